/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an open file is, where its path does not say it:
 *
 *	char MAJOR:MINOR	a device
 *	block MAJOR:MINOR
 *	pid PID			a process that has not gone, by a pidfd; its number in the first
 *				namespace
 *	PROTOCOL:[WHAT]		a socket
 *
 * PROTOCOL is the kernel's name of it: TCP, UDPv6, UNIX-STREAM, NETLINK ... WHAT is
 *
 *	INODE			the socket's, if it has no address yet, or one of another kind
 *	ADDRESS:PORT[->ADDRESS:PORT]
 *				of the Internet: its own, and that of the other end; addresses of
 *				version 6 are in [ ]
 *	INODE[->INODE][,"PATH" | ,@"NAME"]
 *				UNIX: its own, that of the other end, and its own address.  No byte
 *				of it is escaped; an abstract name ends at its first NUL
 *	NUMBER:PORT		NETLINK: which one (NETLINK_ROUTE is 0), and its port
 */
#ifndef KT_KERNEL_BASE_OBJECT_H
#define KT_KERNEL_BASE_OBJECT_H

#include <linux/types.h>

struct file;

void kt_object_init(void);

/*
 * Writes it, without a NUL: its length.  0: the path says it all, or there are more than @max
 * bytes.  Takes spinlocks of the socket, of that at its other end, and of all netlink sockets, so only
 * hooks of system calls may ask.
 */
long kt_object_describe(char *to, struct file *file, u32 max);

#endif /* KT_KERNEL_BASE_OBJECT_H */
