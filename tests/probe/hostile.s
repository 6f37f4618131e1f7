# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Debugging information that no compiler writes: types that lead back to
# themselves, chains of thousands, structs with more parts than anybody can
# count. Each variable of main has one of them; debug.c asks for all.

	.set DEEP, 20000		# types in each chain
	.set WIDE, 40			# structs within structs

	.text
	.globl main
	.type main, @function
main:	xor %eax, %eax
	nop
	ret
.Lend:	.size main, .Lend - main
	.section .note.GNU-stack, "", @progbits

# ---- abbreviations ----------------------------------------------------------

	.macro abbrev number, tag, children, list:vararg
	.uleb128 \number, \tag
	.byte \children
	.uleb128 \list
	.byte 0, 0
	.endm

	.section .debug_abbrev, "", @progbits
.Labbrev:
	abbrev 1, 0x11, 1, 0x03, 0x08, 0x13, 0x05, 0x11, 0x01, 0x12, 0x07	# unit
	abbrev 2, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0x49, 0x13	# function
	abbrev 3, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18			# variable
	abbrev 4, 0x16, 0, 0x03, 0x08, 0x49, 0x13				# typedef
	abbrev 5, 0x26, 0, 0x49, 0x13						# const
	abbrev 6, 0x35, 0, 0x49, 0x13						# volatile
	abbrev 7, 0x0f, 0, 0x49, 0x13						# pointer
	abbrev 8, 0x01, 1, 0x49, 0x13						# array
	abbrev 9, 0x21, 0, 0x37, 0x0b						# its elements
	abbrev 10, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b				# struct
	abbrev 11, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b			# member
	abbrev 12, 0x37, 0, 0x49, 0x13						# restrict
	abbrev 13, 0x04, 0, 0x49, 0x13, 0x0b, 0x0b				# enumeration
	abbrev 14, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b			# number
	abbrev 15, 0x34, 0, 0x31, 0x13						# a copy of a variable
	abbrev 16, 0x34, 0, 0x47, 0x13						# what it is declared by
	abbrev 17, 0x3d, 0, 0x18, 0x13						# import
	abbrev 18, 0x15, 1, 0x49, 0x13						# type of functions
	abbrev 19, 0x05, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18			# parameter
	abbrev 20, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b, 0x0d, 0x0b, 0x0c, 0x0b	# old bitfield
	abbrev 21, 0x1d, 1, 0x31, 0x13, 0x11, 0x01, 0x12, 0x07			# inlined function
	.byte 0

# ---- entries ----------------------------------------------------------------

	.macro ref to
	.long \to - .Lunit
	.endm
	# Its address is in %rdi.
	.macro variable name, type, abbrev=3
	.uleb128 \abbrev
	.asciz "\name"
	ref \type
	.uleb128 2
	.byte 0x75, 0
	.endm
	.macro modifier abbrev, type
	.uleb128 \abbrev
	ref \type
	.endm
	.macro typedef name, type
	.uleb128 4
	.asciz "\name"
	ref \type
	.endm
	.macro array type
	.uleb128 8
	ref \type
	.uleb128 9
	.byte 2
	.byte 0
	.endm
	.macro struct name, size=8
	.uleb128 10
	.asciz "\name"
	.byte \size
	.endm
	.macro member name, type
	.uleb128 11
	.asciz "\name"
	ref \type
	.byte 0
	.endm

	.section .debug_info, "", @progbits
.Lunit:	.long .Lunit_end - .Lunit_begin
.Lunit_begin:
	.short 4
	.long .Labbrev
	.byte 8

	.uleb128 1
	.asciz "hostile.c"
	.short 0x1d	# C11
	.quad main
	.quad .Lend - main

.Lfunction:
	.uleb128 2
	.asciz "main"
	.quad main
	.quad .Lend - main
	ref .Lown_const
	variable parameter, .Lown_struct, 19
	variable own_typedef, .Lown_typedef
	variable own_const, .Lown_const
	variable own_volatile, .Lown_volatile
	variable own_array, .Lown_array
	variable own_pointer, .Lown_pointer
	variable own_restrict, .Lown_restrict
	variable own_struct, .Lown_struct
	variable own_enumeration, .Lown_enumeration
	variable ring, .Lring
	variable struct_ring, .Lstruct_ring
	variable array_ring, .Larray_ring
	variable function_ring, .Lfunction_ring
	variable bitfield_ring, .Lbitfield_ring
	variable long_const, .Lconst_first
	variable long_pointer, .Lpointer_first
	variable long_struct, .Lstruct_first
	variable wide, .Lwide_first
	variable good, .Lint
	variable list, .Llist
.Lcopy:	modifier 15, .Lcopy
.Ldeclared:
	modifier 16, .Ldeclared
	modifier 17, .Lunit_entry
	.uleb128 21
.Linlined:
	ref .Linlined-1
	.quad main
	.quad 2
	.byte 0
	.byte 0
.Lunit_entry = .Lunit + 11

.Lint:	.uleb128 14
	.asciz "int"
	.byte 4, 5
.Lown_typedef:
	typedef own, .Lown_typedef
.Lown_const:
	modifier 5, .Lown_const
.Lown_volatile:
	modifier 6, .Lown_volatile
.Lown_pointer:
	modifier 7, .Lown_pointer
.Lown_restrict:
	modifier 12, .Lown_restrict
.Lown_array:
	array .Lown_array
.Lown_struct:
	struct own_struct
	member only, .Lown_struct
	.byte 0
.Lown_enumeration:
	modifier 13, .Lown_enumeration
	.byte 4

.Lring:	typedef ring_1, .Lring_2
.Lring_2:
	modifier 5, .Lring_3
.Lring_3:
	modifier 6, .Lring_4
.Lring_4:
	typedef ring_4, .Lring

.Lstruct_ring:
	struct struct_ring
	member first, .Lstruct_ring_2
	member second, .Lint
	.byte 0
.Lstruct_ring_2:
	struct struct_ring_2
	member first, .Lstruct_ring
	member second, .Lint
	.byte 0
.Larray_ring:
	array .Larray_ring_2
.Larray_ring_2:
	struct array_ring, 16
	member within, .Larray_ring
	.byte 0
.Lfunction_ring:
	modifier 18, .Lfunction_ring
	variable parameter, .Lfunction_ring, 19
	.byte 0
.Lbitfield_ring:
	struct bitfield_ring
	.uleb128 20
	.asciz "part"
	ref .Lring
	.byte 0, 3, 4
	.byte 0

# What is as it should be: a struct leads to itself by a pointer.
.Llist:	struct list, 16
	member next, .Llist_pointer
	.uleb128 11
	.asciz "value"
	ref .Lint
	.byte 8
	.byte 0
.Llist_pointer:
	modifier 7, .Llist

.Lconst_first:
	.rept DEEP
	modifier 5, .+4
	.endr
	typedef end, .Lint
.Lpointer_first:
	.rept DEEP
	modifier 7, .+4
	.endr
	typedef end, .Lint
# Each has the next one as its only member.
.Lstruct_first:
	.rept DEEP
	struct s
	.uleb128 11
	.asciz "m"
	ref .+6
	.byte 0
	.byte 0
	.endr
	typedef end, .Lint
# Each has the next one twice: WIDE of them have 2^WIDE numbers.
.Lwide_first:
	.rept WIDE
	struct w
	.uleb128 11
	.asciz ""
	ref .+13
	.byte 0
	.uleb128 11
	.asciz ""
	ref .+6
	.byte 0
	.byte 0
	.endr
	typedef end, .Lint
	.byte 0
.Lunit_end:
