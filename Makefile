# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What one may want done, by name.  The work is Meson's (user space), Kbuild's
# (modules, by way of tools/modules) and that of the scripts in tools/ and tests/.

# The modules are for the kernel that runs here if its headers are installed.
KERNEL ?= $(if $(wildcard /lib/modules/$(shell uname -r)/build),running,6.1)
# The kernels of make check, and on which of them all is tested: on the others only what
# depends on the kernel; what make check-all has beside them, for the suites that ask most of
# a kernel; its kernel for suites that take long; and those with the kernel's own checkers, for
# make check-debug.
KERNELS ?= 6.1 6.12 7.3
WHOLE ?= $(if $(filter file,$(origin KERNELS)),6.12,$(KERNELS))
KERNELS_MORE ?= 6.12.107 7.2
KERNEL_LONG ?= 6.12
KERNELS_DEBUG ?= 6.12-debug 7.3-debug 7.3-kcsan

PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help demo check check-all check-debug setup setup-all user modules bench style sparse install clean distclean vm
# The scripts take care of their own parallelism.
.NOTPARALLEL:

help:
	@echo 'make demo      install what is missing, build, record a workload in a virtual machine'
	@echo 'make check     install what is missing, build, run every test (KERNELS="$(KERNELS)");'
	@echo '               one suite on one kernel: make check SUITE=kernel KERNEL=6.12'
	@echo '               (all of it on $(WHOLE), on the others what depends on the kernel)'
	@echo 'make check-all all of it on each, and some of it on more kernels ($(KERNELS_MORE))'
	@echo 'make check-debug'
	@echo '               the suites of the modules on kernels with KASAN, lockdep, KCSAN'
	@echo '               ($(KERNELS_DEBUG)), which it compiles first'
	@echo
	@echo 'make user      build the command and the library (build/user)'
	@echo 'make modules   build the modules (build/modules) for KERNEL=$(KERNEL);'
	@echo '               running, the path of a kernel image, or a name of tools/kernel list'
	@echo 'make install   install both below PREFIX=$(PREFIX) and for the running kernel'
	@echo 'make vm        a shell in a virtual machine with ktrace loaded'
	@echo 'make bench     measure beside other tracers (QUICK=1: in minutes)'
	@echo 'make style     check style, includes, and where kernel versions are named'
	@echo 'make sparse    run sparse over the modules'
	@echo 'make setup     install what is missing (packages of tools, nothing else)'
	@echo 'make clean     remove what was built; distclean: the test kernels too'

demo: setup
	@tools/demo

# SUITE and KERNEL choose: make check SUITE=kernel KERNEL=6.12
check: setup user
	@KERNELS='$(if $(filter command%,$(origin KERNEL)),$(KERNEL),$(KERNELS))' \
		WHOLE='$(if $(filter command%,$(origin KERNEL)),$(KERNEL),$(WHOLE))' tests/run $(SUITE)

check-all: setup-all user
	@KERNELS='$(KERNELS)' MORE='$(KERNELS_MORE)' LONG='$(KERNEL_LONG)' KTRACE_VM_RANDOM=yes tests/run

check-debug: setup user
	@KERNELS='$(KERNELS_DEBUG)' KTRACE_TIMEOUT=7200 tests/run kernel syscalls

setup:
	@tools/setup

setup-all:
	@tools/setup --all

user: build/user/build.ninja
	@ninja -C build/user

build/user/build.ninja:
	@meson setup --prefix $(PREFIX) build/user

modules:
	@tools/modules $(KERNEL)

bench: setup user
	@bench/run

style:
	@tools/style

sparse:
	@rm -f build/modules/$(KERNEL)/.built
	@tools/modules $(KERNEL) C=2 CF='-D__CHECK_ENDIAN__'

install: user
	@tools/modules running
	@meson install -C build/user --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))
	install -d $(DESTDIR)/lib/modules/$(shell uname -r)/ktrace
	install -m 644 build/modules/$(shell uname -r)/*.ko \
		$(wildcard build/modules/$(shell uname -r)/events.*) \
		$(DESTDIR)/lib/modules/$(shell uname -r)/ktrace
	$(if $(DESTDIR),,depmod)

clean:
	rm -rf build/user build/modules build/check

distclean:
	rm -rf build

vm: user
	@tools/modules $(if $(filter running,$(KERNEL)),6.1,$(KERNEL))
	@tools/vm -i -k $(if $(filter running,$(KERNEL)),6.1,$(KERNEL)) -- bash
