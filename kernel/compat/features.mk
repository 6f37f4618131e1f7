# SPDX-License-Identifier: GPL-2.0-only
#
# Asks the kernel's headers for features instead of comparing versions: distributions
# backport new interfaces to old versions. doc/kernels.md has the list.
#
# kt-has FILE,PATTERN,NAME: defines KT_HAS_NAME if include/linux/FILE matches the pattern, a
# regular expression of grep, as whole words.

kt-has = $(shell grep -qsw '$(2)' $(srctree)/include/linux/$(1) && echo -DKT_HAS_$(3))

ccflags-y += $(call kt-has,timekeeping.h,ktime_get_snapshot_id,SNAPSHOT_ID)
ccflags-y += $(call kt-has,fs_struct.h,seqlock_t,FS_SEQLOCK)
ccflags-y += $(call kt-has,mm.h,vm_flags_mod,VM_FLAGS_MOD)
ccflags-y += $(call kt-has,fs.h,inode_set_ctime_current,SET_CTIME)
ccflags-y += $(call kt-has,fs.h,simple_inode_init_ts,INODE_INIT_TS)
ccflags-y += $(call kt-has,fs.h,[*]mkdir. *.struct mnt_idmap,MKDIR_IDMAP)
ccflags-y += $(call kt-has,fs.h,struct dentry \*.\*mkdir,MKDIR_DENTRY)
ccflags-y += $(call kt-has,dcache.h,set_default_d_op,DEFAULT_D_OP)
ccflags-y += $(call kt-has,dcache.h,[*]d_revalidate..struct inode,REVALIDATE_NAME)
ccflags-y += $(call kt-has,hrtimer.h,hrtimer_setup,HRTIMER_SETUP)
ccflags-y += $(call kt-has,../trace/stages/stage6_event_callback.h,__assign_str(dst),ASSIGN_STR_ONE)
ccflags-y += $(call kt-has,syscore_ops.h,register_syscore,SYSCORE)
ccflags-y += $(call kt-has,../trace/events/sched.h,group_dead,GROUP_DEAD)
ccflags-y += $(call kt-has,kallsyms.h,kallsyms_on_each_symbol.*struct module,SYMBOL_MODULE)
ccflags-y += $(call kt-has,module.h,module_kallsyms_on_each_symbol.const char .modname,SYMBOLS_OF)
ccflags-y += $(call kt-has,rethook.h,rethook_alloc.*int num,RETHOOK_POOL)
ccflags-y += $(call kt-has,rethook.h,rethook_handler_t.*unsigned long,RETHOOK_ADDRESS)
ccflags-y += $(call kt-has,objtool.h,define UNWIND_HINT.type,UNWIND_TYPE_FIRST)
ccflags-y += $(call kt-has,module.h,struct module_memory,MODULE_MEMORY)
ccflags-y += $(call kt-has,annotate.h,ANNOTATE_NOENDBR,ANNOTATE)
ccflags-y += $(call kt-has,context_tracking.h,rcu_is_watching_curr_cpu,RCU_WATCHING)
ccflags-y += $(call kt-has,../../arch/x86/include/asm/current.h,struct pcpu_hot,PCPU_HOT)
ccflags-y += $(call kt-has,uprobes.h,extern struct uprobe .uprobe_register,UPROBE_HANDLE)
ccflags-y += $(call kt-has,uprobes.h,handler.*pt_regs .regs. __u64 .data,UPROBE_DATA)
