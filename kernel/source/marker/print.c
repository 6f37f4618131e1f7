// SPDX-License-Identifier: GPL-2.0-only
/*
 * Markers as lines in the kernel's log, for debugging a module: the control tree's files
 * `print' and `printed'.
 *
 *	MODULE:NAME: the marker's own format, filled in
 *
 * A marker may be hit in an NMI, so this takes no lock.  A line is built on the stack,
 * stored in the kernel's log at once, and shown on consoles later.  Memory that may not be
 * there is copied first, within bounds.
 *
 * Conversions are done one by one by the kernel's own snprintf().  Values of 64 bits are
 * first converted to what C would have passed.  Of the kernel's extensions of %p, two kinds
 * are supported: those that read a few bytes at the pointer (h, M, m, I4, I6, U), and those
 * that show only the pointer itself.  The others could read anywhere, and become a plain
 * %p.
 *
 * The number of lines in an interval is limited for each place.  Lines that are left out,
 * or that the log does not take, are counted.  The count is printed before the first line
 * of a later interval, or when printing of the place is switched off.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "env.h"
#include "event/tracepoints.h"
#include "session/session.h"
#include "marker.h"
#include "pattern.h"

#define INTERVAL   (5 * HZ)
#define BURST	   10
#define LINE_MAX   480
#define STRING_MAX 240
#define BYTES_MAX  64

struct kt_printer {
	struct ktrace_marker_probe probe; /* first member: see printer_hit() */
	const char *module;
	unsigned long begin; /* of the interval */
	atomic_t left;
	atomic_t missed;
	atomic_long_t printed;
	atomic_long_t suppressed;
};

static struct kt_patterns prints;
static struct tracepoint *console; /* printk's own tracepoint */

/* ---- one conversion ------------------------------------------------------- */

struct conversion {
	char flags[6];
	int width;     /* -1: none */
	int precision; /* -1: none */
	u32 bytes;     /* of an integer */
	char type;
	char extension[5]; /* of %p */
};

struct line {
	char text[LINE_MAX];
	u32 used;
};

/* The arguments that are left. */
struct arguments {
	const struct ktrace_argument *next;
	const u64 *values;
};

static bool argument_take(struct arguments *a, struct ktrace_argument *argument,
			  u64 *value)
{
	if (!a->next->kind)
		return false;
	*argument = *a->next++;
	*value = *a->values++;
	return true;
}

/* Parses a number, or a `*' that stands for an argument. */
static const char *number_parse(const char *p, struct arguments *a, int *number)
{
	struct ktrace_argument argument;
	u64 value;

	if (*p == '*') {
		if (argument_take(a, &argument, &value))
			*number = clamp_t(s64, (s32)value, -LINE_MAX, LINE_MAX);
		return p + 1;
	}
	*number = 0;
	for (; isdigit(*p); p++)
		*number = min(*number * 10 + *p - '0', LINE_MAX);
	return p;
}

static const char *flags_parse(const char *p, struct conversion *c)
{
	u32 nr = 0;

	while (*p && strchr("-+ #0", *p)) {
		if (!memchr(c->flags, *p, nr))
			c->flags[nr++] = *p;
		p++;
	}
	c->flags[nr] = '\0';
	return p;
}

static const char *size_parse(const char *p, struct conversion *c)
{
	c->bytes = 4;
	for (; *p && strchr("hlLqjzt", *p); p++) {
		if (*p == 'h')
			c->bytes = c->bytes == 4 ? 2 : 1;
		else
			c->bytes = 8;
	}
	return p;
}

/* @p is behind the `%'; returns what follows the conversion. */
static const char *conversion_parse(const char *p, struct conversion *c,
				    struct arguments *a)
{
	u32 nr = 0;

	p = flags_parse(p, c);
	c->width = c->precision = -1;
	if (isdigit(*p) || *p == '*') {
		p = number_parse(p, a, &c->width);
		if (c->width < 0) {
			c->width = -c->width;
			strlcat(c->flags, strchr(c->flags, '-') ? "" : "-",
				sizeof(c->flags));
		}
	}
	if (*p == '.')
		p = number_parse(p + 1, a, &c->precision);
	p = size_parse(p, c);
	c->type = *p;
	if (*p)
		p++;
	if (c->type == 'p') {
		for (; isalnum(*p); p++) {
			if (nr < sizeof(c->extension) - 1)
				c->extension[nr++] = *p;
		}
	}
	c->extension[nr] = '\0';
	return p;
}

/* Writes the conversion for snprintf(), with @type and without a `*'. */
static const char *conversion_text(const struct conversion *c, const char *type,
				   char *text, size_t size)
{
	size_t used = scnprintf(text, size, "%%%s", c->flags);

	if (c->width >= 0)
		used += scnprintf(text + used, size - used, "%d", c->width);
	if (c->precision >= 0)
		used += scnprintf(text + used, size - used, ".%d",
				  c->precision);
	scnprintf(text + used, size - used, "%s", type);
	return text;
}

#define line_add(line, format, ...)                                     \
	((line)->used += scnprintf((line)->text + (line)->used,         \
				   sizeof((line)->text) - (line)->used, \
				   format, ##__VA_ARGS__))

static void integer_add(struct line *line, const struct conversion *c,
			u64 value)
{
	const char type[] = {'l', 'l', c->type, '\0'};
	char text[32];

	if (c->type == 'd' || c->type == 'i')
		value = sign_extend64(value, c->bytes * 8 - 1);
	else if (c->bytes < 8)
		value &= (1ull << c->bytes * 8) - 1;
	line_add(line, conversion_text(c, type, text, sizeof(text)), value);
}

static void string_add(struct line *line, const struct conversion *c,
		       const struct ktrace_argument *argument, u64 value)
{
	char string[STRING_MAX + 1] = "(null)", text[32];
	u32 max = STRING_MAX;
	long length;

	if (argument->kind != KTRACE_ARG_POINTER && argument->size)
		max = min_t(u32, max, argument->size);
	if (c->precision >= 0)
		max = min_t(u32, max, c->precision);
	if (value) {
		length = env_copy_string(string, value, max, true);
		if (length < 0)
			strscpy(string, "(fault)", sizeof(string));
		else
			string[length] = '\0';
	}
	line_add(line, conversion_text(c, "s", text, sizeof(text)), string);
}

/* How many bytes an extension of %p reads at the pointer; 0: not known. */
static u32 extension_bytes(const struct conversion *c)
{
	switch (c->extension[0]) {
	case 'h':
		return clamp(c->width, 1, BYTES_MAX);
	case 'M':
	case 'm':
		return 6;
	case 'U':
		return 16;
	case 'I':
	case 'i':
		return c->extension[1] == '4'	? 4
		       : c->extension[1] == '6' ? 16
						: 0;
	default:
		return 0;
	}
}

static void bytes_add(struct line *line, struct conversion *c, u32 have,
		      u64 value)
{
	u8 bytes[BYTES_MAX];
	char type[8], text[32];
	u32 want = extension_bytes(c);

	if (!want || (want > have && c->extension[0] != 'h')) {
		/* Not supported: show the bytes in hexadecimal. */
		strscpy(c->extension, "hN", sizeof(c->extension));
		want = BYTES_MAX;
	}
	want = min(want, have);
	if (c->extension[0] == 'h')
		c->width = want;
	if (env_copy(bytes, value, want, true)) {
		line_add(line, "(fault)");
		return;
	}
	scnprintf(type, sizeof(type), "p%s", c->extension);
	line_add(line, conversion_text(c, type, text, sizeof(text)), bytes);
}

static void pointer_add(struct line *line, struct conversion *c,
			const struct ktrace_argument *argument, u64 value)
{
	char type[8], text[32];
	u32 bytes = extension_bytes(c);

	c->precision = -1;
	if (argument->kind == KTRACE_ARG_BYTES) {
		bytes_add(line, c, min_t(u32, argument->size, BYTES_MAX),
			  value);
		return;
	}
	if (bytes && value) {
		bytes_add(line, c, bytes, value);
		return;
	}
	/* These show the address itself: its symbol, raw, or an error. */
	if (!strchr("SsBxe", c->extension[0]))
		c->extension[0] = '\0';
	scnprintf(type, sizeof(type), "p%s", c->extension);
	line_add(line, conversion_text(c, type, text, sizeof(text)),
		 (void *)(uintptr_t)value);
}

static void conversion_add(struct line *line, struct conversion *c,
			   struct arguments *a)
{
	struct ktrace_argument argument;
	u64 value;

	if (!argument_take(a, &argument, &value)) {
		line_add(line, "%%%c", c->type);
		return;
	}
	switch (c->type) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		integer_add(line, c, value);
		break;
	case 'c':
		line_add(line, "%c", (int)value);
		break;
	case 's':
		string_add(line, c, &argument, value);
		break;
	case 'p':
		pointer_add(line, c, &argument, value);
		break;
	default:
		line_add(line, "?");
		break;
	}
}

/* ---- a line --------------------------------------------------------------- */

/* Makes it one line, whatever characters its strings have. */
static void line_tidy(struct line *line)
{
	u32 i;

	while (line->used && line->text[line->used - 1] == '\n')
		line->text[--line->used] = '\0';
	for (i = 0; i < line->used; i++) {
		if (iscntrl(line->text[i]))
			line->text[i] = ' ';
	}
}

static void line_fill(struct line *line, const struct ktrace_marker *marker,
		      const u64 *values)
{
	struct arguments arguments = {marker->arguments, values};
	const char *p = marker->format;

	line->used = 0;
	line->text[0] = '\0';
	while (*p) {
		struct conversion c;

		if (*p != '%' || p[1] == '%') {
			line_add(line, "%c", *p);
			p += *p == '%' ? 2 : 1;
			continue;
		}
		p = conversion_parse(p + 1, &c, &arguments);
		conversion_add(line, &c, &arguments);
	}
	line_tidy(line);
}

/*
 * Before 6.3 the kernel warns about every message in an NMI, also its own, while the
 * tracepoint printk:console is enabled (KT_CONSOLE_IDLE).  It has functions from before it
 * is enabled until after it is disabled, so they are what is checked.  Somebody may still
 * enable it between this check and the message; nothing here could prevent that.
 */
static bool log_refuses(void)
{
	return KT_CONSOLE_IDLE && in_nmi() && console &&
	       rcu_access_pointer(console->funcs);
}

/*
 * Like printk(), but consoles are called later, in an interrupt, as for messages of the
 * scheduler.  Where the marker is, any lock may be held, and a console may need that lock.
 * False: the log did not take it.
 */
static __printf(1, 2) bool log_print(const char *format, ...)
{
	va_list args;
	int length;

	if (log_refuses())
		return false;
	va_start(args, format);
	length = vprintk_emit(0, LOGLEVEL_SCHED, NULL, format, args);
	va_end(args);
	return length > 0;
}

static void missed_tell(struct kt_printer *printer, const char *name)
{
	int missed = atomic_xchg(&printer->missed, 0);

	if (missed && !log_print(KERN_INFO "%s:%s: %d lines were left out\n",
				 printer->module, name, missed))
		atomic_add(missed, &printer->missed);
}

static void line_miss(struct kt_printer *printer)
{
	atomic_inc(&printer->missed);
	atomic_long_inc(&printer->suppressed);
}

/* If several CPUs find that the interval is over, only one begins the next. */
static bool printer_may(struct kt_printer *printer, const char *name)
{
	unsigned long now = jiffies, begin = READ_ONCE(printer->begin);

	if (time_after_eq(now, begin + INTERVAL) &&
	    cmpxchg(&printer->begin, begin, now) == begin) {
		missed_tell(printer, name);
		atomic_set(&printer->left, BURST);
	}
	return atomic_dec_if_positive(&printer->left) >= 0;
}

static noinline void line_print(struct kt_printer *printer,
				const struct ktrace_marker *marker,
				const u64 *values)
{
	struct line line;

	line_fill(&line, marker, values);
	/* The log refuses a line if it comes in the middle of too many other messages. */
	if (log_print(KERN_INFO "%s:%s: %s\n", printer->module, marker->name,
		      line.text))
		atomic_long_inc(&printer->printed);
	else
		line_miss(printer);
}

static void printer_hit(struct ktrace_marker_probe *probe,
			const struct ktrace_marker *marker, const u64 *values)
{
	struct kt_printer *printer =
		container_of(probe, struct kt_printer, probe);

	if (printer_may(printer, marker->name))
		line_print(printer, marker, values);
	else
		line_miss(printer);
}

/* ---- which ---------------------------------------------------------------- */

static void site_print(struct kt_site *site)
{
	struct kt_printer *printer;

	if (site->printer || !kt_patterns_want(&prints, site))
		return;
	printer = kzalloc(sizeof(*printer), GFP_KERNEL);
	if (printer) {
		printer->probe.hit = printer_hit;
		printer->module = site->module;
		printer->begin = jiffies;
		atomic_set(&printer->left, BURST);
	}
	if (!printer || kt_site_attach(site, &printer->probe)) {
		pr_warn("ktrace: %s:%s is not printed: no memory\n",
			site->module, site->marker->name);
		kfree(printer);
		return;
	}
	site->printer = printer;
}

static bool site_unprint(struct kt_site *site)
{
	if (!site->printer)
		return false;
	kt_site_detach(site, &site->printer->probe);
	return true;
}

static void site_forget(struct kt_site *site)
{
	if (!site->printer)
		return;
	missed_tell(site->printer, site->marker->name);
	kfree(site->printer);
	site->printer = NULL;
}

static void visit_print(struct kt_site *site, void *unused)
{
	site_print(site);
}

static void visit_unprint(struct kt_site *site, void *any)
{
	if (!kt_patterns_want(&prints, site) && site_unprint(site))
		*(bool *)any = true;
}

static void visit_forget(struct kt_site *site, void *unused)
{
	if (!kt_patterns_want(&prints, site))
		site_forget(site);
}

int kt_prints_write(struct kt_session *session, char *text)
{
	struct kt_patterns patterns;
	bool any = false;
	int err;

	err = kt_patterns_change(session, &prints, text, &patterns);
	if (err)
		return err;
	kt_patterns_free(&prints);
	prints = patterns;
	console = kt_tracepoint_find("console");
	kt_sites_each(visit_unprint, &any);
	if (any) {
		tracepoint_synchronize_unregister();
		kt_sites_each(visit_forget, NULL);
	}
	kt_sites_each(visit_print, NULL);
	return 0;
}

void kt_prints_show(struct seq_file *m)
{
	kt_patterns_show(m, &prints);
}

static void visit_show(struct kt_site *site, void *m)
{
	const struct kt_printer *printer = site->printer;

	if (printer)
		seq_printf(m, "%s:%s %s:%u printed %ld left_out %ld\n",
			   site->module, site->marker->name, site->marker->file,
			   site->marker->line,
			   atomic_long_read(&printer->printed),
			   atomic_long_read(&printer->suppressed));
}

void kt_printed_show(struct seq_file *m)
{
	kt_sites_each(visit_show, m);
}

static void prints_clear(void)
{
	kt_patterns_free(&prints);
}

const struct kt_site_user kt_site_prints = {
	.add = site_print,
	.remove = site_unprint,
	.forget = site_forget,
	.clear = prints_clear,
};
