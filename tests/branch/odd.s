# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Instructions that compilers seldom make; for 32 and 64 bits.
	.text
start:
	loop start
	loope start
	loopne start
	jmp start
	jmp far_away
	je far_away
	call far_away
	ret $8
	lret
	lret $4
	iret
	int $0x21
	int3
	.byte 0xf1
	syscall
	sysenter
	xbegin far_away
	xabort $1
	xend
	enter $16, $1
	leave
	pushfw
	popfw
	pushf
	popf
	mov %eax, %ss
	lss (%ebx), %eax
	mov %cr0, AX
	mov $1, %al
	mov $0x1234, %ax
	mov $0x12345678, %eax
	testb $1, (%ebx)
	notb (%ebx)
	testl $1, (%ebx)
	negl (%ebx)
	imul $3, %ebx, %ecx
	imul $300, %ebx, %ecx
	shld $3, %eax, %ebx
	bt $3, %eax
	cmpxchg8b (%ebx)
	pshufw $1, %mm0, %mm1
	psrlq $3, %mm0
	pextrw $1, %mm0, %eax
	insertps $1, %xmm0, %xmm1
	pshufb %xmm0, %xmm1
	palignr $1, %xmm0, %xmm1
	pfadd %mm0, %mm1
	emms
	ud2
	cpuid
	rdtscp
	monitor
	crc32b (%ebx), %eax
	movbe (%ebx), %eax
	repz cmpsb
	repnz scasb
	lock incl (%ebx)
	cs nop
	nopw 0x12345678(%ebx)
	vzeroupper
	vaddps %ymm0, %ymm1, %ymm2
	vaddps (%ebx,%ecx,4), %ymm1, %ymm2
	vpermilps $1, %ymm0, %ymm1
	vpsrlq $3, %ymm0, %ymm1
	vcmpps $1, %ymm0, %ymm1, %ymm2
	vpblendvb %ymm0, %ymm1, %ymm2, %ymm3
	vfmadd213ps 64(%ebx), %ymm1, %ymm2
	vaddps %zmm0, %zmm1, %zmm2{%k1}{z}
	vaddps 64(%ebx), %zmm1, %zmm2
	vaddps 0x12345678(%ebx), %zmm1, %zmm2
	vpternlogd $1, %zmm0, %zmm1, %zmm2
	vcmpps $1, %zmm0, %zmm1, %k2
	vpermb %zmm0, %zmm1, %zmm2
	vpsrlq $3, %zmm0, %zmm1
	kmovw %k1, %eax
	kandw %k1, %k2, %k3
	vpcmov %ymm0, %ymm1, %ymm2, %ymm3
	vphaddbd %xmm0, %xmm1
	vprotb $1, %xmm0, %xmm1
	bextr $0x12345678, %ebx, %ecx
	fldl (%ebx)
	fstpt 0x12345678(%ebx)
	fnstcw (%ebx)
	call *AX
	jmp *AX
	call *(%ebx)
	jmp *0x1234(%ebx,%ecx,8)
	push $1
	push $0x12345678
	.space 300, 0x90
far_away:
	ret
.if WIDE
	jrcxz far_away
	jecxz far_away
	movabs $0x123456789abcdef0, %rax
	movabs 0x123456789abcdef0, %eax
	mov 0x12345678(%rip), %rax
	mov 0x12345678, %eax
	iretq
	lretq
	sysretl
	pushq $0x12345678
	push %r15
	rex.W nop
	cmpxchg16b (%rbx)
	vaddps 64(%r12,%r13,4), %zmm30, %zmm31
	vmovaps (%r8), %ymm15
	pushfq
	popfq
	call *0x1234(%rip)
	jmp *%r11
	notrack jmp *%rax
	endbr64
	movq %rax, %ss
.else
	jecxz far_away
	jcxz far_away
	lcall $1, $0x12345678
	ljmp $1, $0x12345678
	lcall *(%ebx)
	ljmp *(%ebx)
	into
	pop %ss
	push %es
	aaa
	aad
	daa
	bound %eax, (%ebx)
	les (%ebx), %eax
	lds (%ebx), %eax
	mov 0x12345678, %al
	addr16 mov 0x1234, %al
	addr16 mov 0x1234(%bx), %al
	addr16 mov (%bx,%si), %al
	arpl %ax, (%ebx)
	inc %eax
	dec %edi
	pushal
	popal
	call far_away
.endif
