// SPDX-License-Identifier: GPL-2.0-only
/* What an open file is: object.h. */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ipv6.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/stat.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <net/af_unix.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "compat/socket.h"
#include "object.h"
#include "symbol.h"

/* A text of limited length. */
struct text {
	char *bytes;
	u32 max;
	u32 length; /* more than @max: it did not fit */
};

static __printf(2, 3) void put(struct text *text, const char *format, ...)
{
	u32 at = text->length;
	va_list arguments;

	if (at > text->max)
		return;
	/* The caller has room for a NUL. */
	va_start(arguments, format);
	text->length += vsnprintf(text->bytes + at, text->max - at + 1, format,
				  arguments);
	va_end(arguments);
}

/* pidfd_pid() is not exported.  Without access to symbols, no file is a pidfd. */
static struct pid *no_pid(const struct file *file)
{
	return ERR_PTR(-EBADF);
}

DEFINE_STATIC_CALL(pid_of, no_pid);

void __init kt_object_init(void)
{
	unsigned long address = kt_symbol("pidfd_pid");

	if (address)
		static_call_update(pid_of, (void *)address);
}

#ifdef CONFIG_NET
static void put_inode(struct text *text, const struct socket *socket)
{
	put(text, "%lu",
	    (unsigned long)SOCK_INODE((struct socket *)socket)->i_ino);
}

/* The ends of a socket of the Internet. */
struct ends {
	u16 port, to_port;
	bool connected;
};

/*
 * A socket that has no port of its own any more (inet_num) may still have the old one, and the other
 * end's address, in its other words.  False: it has none.
 */
static bool ends_read(struct ends *ends, const struct socket *socket)
{
	const struct inet_sock *inet = inet_sk(socket->sk);

	if (kt_socket_is_smc(socket->sk) || !READ_ONCE(inet->inet_num))
		return false;
	ends->port = ntohs(READ_ONCE(inet->inet_sport));
	ends->to_port = ntohs(READ_ONCE(inet->inet_dport));
	/* Of protocols without ports, the address tells. */
	ends->connected = ends->to_port || socket->type == SOCK_RAW;
	return true;
}

/* Another thread may bind or connect it now, so what is read is copied first. */
static void put_inet(struct text *text, const struct socket *socket)
{
	__be32 own = READ_ONCE(inet_sk(socket->sk)->inet_rcv_saddr);
	__be32 to = READ_ONCE(socket->sk->sk_daddr);
	struct ends ends;

	if (!ends_read(&ends, socket)) {
		put_inode(text, socket);
		return;
	}
	put(text, "%pI4:%u", &own, ends.port);
	if (ends.connected && (to || ends.to_port))
		put(text, "->%pI4:%u", &to, ends.to_port);
}

#if IS_ENABLED(CONFIG_IPV6)
/* Addresses of this size are copied in parts: one that changes meanwhile may be of both. */
static void put_inet6(struct text *text, const struct socket *socket)
{
	struct in6_addr own = socket->sk->sk_v6_rcv_saddr;
	struct in6_addr to = socket->sk->sk_v6_daddr;
	struct ends ends;

	if (!ends_read(&ends, socket)) {
		put_inode(text, socket);
		return;
	}
	put(text, "[%pI6c]:%u", &own, ends.port);
	if (ends.connected && (ends.to_port || !ipv6_addr_any(&to)))
		put(text, "->[%pI6c]:%u", &to, ends.to_port);
}
#endif

/* The address does not change any more once it is there. */
static void put_unix_address(struct text *text, const struct unix_sock *u)
{
	const struct unix_address *address = smp_load_acquire(&u->addr);
	u32 head = offsetof(struct sockaddr_un, sun_path), length;
	const char *name;

	if (!address || address->len <= head)
		return;
	name = address->name->sun_path;
	length = min_t(u32, address->len - head, UNIX_PATH_MAX);
	/* An abstract name may have NULs, and often ends with many: it is told up to the first one. */
	if (*name)
		put(text, ",\"%.*s\"", (int)length, name);
	else
		put(text, ",@\"%.*s\"", (int)length - 1, name + 1);
}

static void put_unix(struct text *text, const struct socket *socket)
{
	unsigned long inode = 0;
	struct sock *peer;

	put_inode(text, socket);
	/* sock_i_ino() may let softirqs run at its end: not while the lock is held. */
	local_bh_disable();
	unix_state_lock(socket->sk);
	peer = unix_peer(socket->sk);
	if (peer)
		inode = sock_i_ino(peer);
	unix_state_unlock(socket->sk);
	local_bh_enable();
	/* The other end of what is closed has no inode any more. */
	if (inode)
		put(text, "->%lu", inode);
	put_unix_address(text, unix_sk(socket->sk));
}

/*
 * netlink_sock is not in the kernel's headers.  Its getname() does not sleep; it takes the lock of all
 * netlink sockets for reading, and may wake who waits to change their table.
 */
static void put_netlink(struct text *text, struct socket *socket)
{
	struct sockaddr_storage address = {};
	const struct sockaddr_nl *own = (void *)&address;

	if (READ_ONCE(socket->ops)->getname(socket, (void *)&address, 0) < 0 ||
	    !own->nl_pid)
		put_inode(text, socket);
	else
		put(text, "%u:%u", socket->sk->sk_protocol, own->nl_pid);
}

/* IPV6_ADDRFORM may change the family meanwhile, but not what the memory is. */
static void put_socket(struct text *text, struct socket *socket)
{
	/* Unlike sk_prot, it is there as long as the socket, and does not change. */
	put(text, "%s:[", socket->sk->sk_prot_creator->name);
	switch (READ_ONCE(socket->sk->sk_family)) {
	case AF_INET:
		put_inet(text, socket);
		break;
#if IS_ENABLED(CONFIG_IPV6)
	case AF_INET6:
		put_inet6(text, socket);
		break;
#endif
	case AF_UNIX:
		put_unix(text, socket);
		break;
	case AF_NETLINK:
		put_netlink(text, socket);
		break;
	default:
		put_inode(text, socket);
	}
	put(text, "]");
}

/* A file that is open as a socket keeps what is behind it, until it is closed. */
static bool socket_describe(struct text *text, struct file *file)
{
	struct socket *socket = sock_from_file(file);

	if (!socket)
		return false;
	if (socket->sk)
		put_socket(text, socket);
	return true;
}
#else
static bool socket_describe(struct text *text, struct file *file)
{
	return false;
}
#endif

long kt_object_describe(char *to, struct file *file, u32 max)
{
	const struct inode *inode = file_inode(file);
	struct text text = {.bytes = to, .max = max};
	struct pid *pid;

	if (S_ISCHR(inode->i_mode) || S_ISBLK(inode->i_mode)) {
		put(&text, "%s %u:%u",
		    S_ISCHR(inode->i_mode) ? "char" : "block", imajor(inode),
		    iminor(inode));
	} else if (!socket_describe(&text, file)) {
		pid = static_call(pid_of)(file);
		if (!IS_ERR_OR_NULL(pid) && pid_has_task(pid, PIDTYPE_PID))
			put(&text, "pid %d", pid_nr(pid));
	}
	return text.length <= max ? text.length : 0;
}
