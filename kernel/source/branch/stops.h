/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches of programs, found by stopping the processor behind each instruction: on every
 * machine, exactly, and slowly.
 *
 * The task itself switches stops on and off, on its way back to the program (task work), because only
 * then its registers lie still.
 *
 * The program does not see it: flags that it pushes, or that lie in the frame of a signal, are those
 * that it would have.  The kernel's own debugging (ptrace) and uprobes use the same stops; each
 * gets its own.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_STOPS_H
#define KT_KERNEL_SOURCE_BRANCH_STOPS_H

/* Tells steppers (stepper.h) what their tasks do. */
void branch_stops_init(void);

#endif /* KT_KERNEL_SOURCE_BRANCH_STOPS_H */
