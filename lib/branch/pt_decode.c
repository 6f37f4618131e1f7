// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See pt_decode.h.
 *
 * libipt tells each instruction that has run.  A branch is where the next one is not behind it.  What kind it
 * is, the bytes of the instruction say (core/instruction.h), as for single steps.  A conditional jump to
 * the instruction behind it is the same if it is taken or not, and is never told.
 */
#include <dlfcn.h>
#include <errno.h>
#include <intel-pt.h>
#include <string.h>

#include "instruction.h"
#include "pt_decode.h"

/*
 * So many instructions do not run without a packet, unless these are made up: a loop that needs none never ends.
 * Who finds a few such loops has been given them on purpose.
 */
#define WITHOUT_PACKET_MAX (1u << 18)
#define ENDLESS_MAX	   4

static __typeof__(pt_cpu_errata) *ipt_errata;
static __typeof__(pt_insn_alloc_decoder) *ipt_create;
static __typeof__(pt_insn_free_decoder) *ipt_destroy;
static __typeof__(pt_insn_get_image) *ipt_image;
static __typeof__(pt_image_set_callback) *ipt_set_code;
static __typeof__(pt_insn_sync_forward) *ipt_sync;
static __typeof__(pt_insn_get_offset) *ipt_offset;
static __typeof__(pt_insn_time) *ipt_time;
static __typeof__(pt_insn_next) *ipt_next;
static __typeof__(pt_insn_event) *ipt_event;

bool pt_decoder_known(void)
{
	static void *library;

	if (!library)
		library = dlopen(IPT_SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	ipt_errata = dlsym(library, "pt_cpu_errata");
	ipt_create = dlsym(library, "pt_insn_alloc_decoder");
	ipt_destroy = dlsym(library, "pt_insn_free_decoder");
	ipt_image = dlsym(library, "pt_insn_get_image");
	ipt_set_code = dlsym(library, "pt_image_set_callback");
	ipt_sync = dlsym(library, "pt_insn_sync_forward");
	ipt_offset = dlsym(library, "pt_insn_get_offset");
	ipt_time = dlsym(library, "pt_insn_time");
	ipt_next = dlsym(library, "pt_insn_next");
	ipt_event = dlsym(library, "pt_insn_event");
	return ipt_errata && ipt_create && ipt_destroy && ipt_image &&
	       ipt_set_code && ipt_sync && ipt_offset && ipt_time && ipt_next &&
	       ipt_event;
}

struct decoding {
	const struct pt_packets *packets;
	const struct pt_side *side;
	struct kt_branch_log *log;
	struct ktrace_branches_decoded *losses;
	struct pt_insn_decoder *decoder;

	uint32_t tid;  /* that runs; 0: not known */
	uint64_t time; /* of the last stamp */
	bool hole;     /* before what comes next, something may be missing */

	/* The instruction that has run last; length 0: not known. */
	struct kt_instruction last;
	uint64_t last_ip;
	bool last_is_sysenter;

	uint64_t packet;     /* the offset of the last one that was needed */
	uint32_t unprompted; /* instructions since then */
};

/* ---- entries -------------------------------------------------------------- */

static void entry_add(struct decoding *d, unsigned int kind, uint64_t from,
		      uint64_t to)
{
	/* Of nobody, none is kept. */
	if (d->tid)
		kt_branch_log_add(d->log, kind, from, to);
}

static void stamp_add(struct decoding *d, enum kt_branch_kind kind)
{
	entry_add(d, kind,
		  (uint64_t)d->tid << KT_BRANCH_TID_SHIFT | d->packets->cpu,
		  d->time);
}

static uint64_t offset_now(struct decoding *d)
{
	uint64_t offset = 0;

	return ipt_offset(d->decoder, &offset) ? d->packets->size : offset;
}

/* Says who runs from now on; @kind: of the stamp if it is who ran before. */
static void runs(struct decoding *d, enum kt_branch_kind kind)
{
	uint64_t tsc = 0, time = 0;
	uint32_t tid;

	if (ipt_time(d->decoder, &tsc, NULL, NULL))
		tsc = 0;
	tid = d->side->runs(d->side->data, d->packets->offset + offset_now(d),
			    tsc, &time);
	if (time < d->time)
		time = d->time;
	if (tid != d->tid) {
		/* Behind a hole, it is not known when who ran last has left. */
		if (d->tid && !d->hole) {
			uint64_t left = d->time;

			d->time = time;
			stamp_add(d, KT_BRANCH_LEAVES);
			d->time = left;
		}
		kind = d->hole ? KT_BRANCH_BEGINS : KT_BRANCH_ARRIVES;
	} else if (d->hole) {
		kind = KT_BRANCH_BEGINS;
	}
	d->tid = tid;
	d->time = time;
	d->hole = !tid;
	if (kind != KT_BRANCH_NONE)
		stamp_add(d, kind);
}

/* All but a conditional jump go where they go, be it the next instruction. */
static bool has_branched(const struct decoding *d, uint64_t ip)
{
	return d->last.length &&
	       (ip != d->last_ip + d->last.length ||
		(d->last.kind && d->last.kind != KT_BRANCH_CONDITIONAL));
}

/* The instruction at @ip comes next. */
static void next_is(struct decoding *d, uint64_t ip)
{
	if (d->hole)
		runs(d, KT_BRANCH_NONE);
	else if (has_branched(d, ip))
		entry_add(d, d->last.kind ?: KT_BRANCH_UNKNOWN, d->last_ip, ip);
	d->last.length = 0;
}

static void hole_make(struct decoding *d)
{
	d->hole = true;
	d->last.length = 0;
}

/* ---- what libipt tells ---------------------------------------------------- */

/* By a branch, it went to where nothing is traced: the kernel, or what a filter leaves out. */
static void left(struct decoding *d, const struct pt_event *event)
{
	struct kt_instruction last = d->last;
	uint64_t behind = d->last_ip + last.length;

	if (last.length && last.kind == KT_BRANCH_SYSCALL) {
		/* sysenter comes back wherever the kernel wants. */
		entry_add(d, PT_LEFT_BY_CALL, d->last_ip,
			  d->last_is_sysenter ? 0 : behind);
		d->last.length = 0;
		return;
	}
	if (last.length && !event->ip_suppressed)
		next_is(d, event->variant.disabled.ip);
	hole_make(d);
}

static void came(struct decoding *d, uint64_t ip)
{
	bool holed = d->hole;

	d->last.length = 0;
	runs(d, KT_BRANCH_NONE);
	if (holed)
		return;
	entry_add(d, PT_CAME, 0, ip);
	stamp_add(d, KT_BRANCH_TIME);
}

/* Where packets are missing, the program is not traced: it has left before that, and comes behind it. */
static bool is_behind_hole(struct decoding *d, const struct pt_event *event)
{
	return event->type != ptev_disabled &&
	       event->type != ptev_async_disabled &&
	       d->side->missing(d->side->data,
				d->packets->offset + offset_now(d));
}

static void event_take(struct decoding *d, const struct pt_event *event)
{
	if (is_behind_hole(d, event))
		hole_make(d);
	switch (event->type) {
	case ptev_enabled:
		if (!event->status_update)
			came(d, event->variant.enabled.ip);
		break;
	case ptev_disabled:
		left(d, event);
		break;
	case ptev_async_disabled:
		next_is(d, event->variant.async_disabled.at);
		entry_add(d, PT_LEFT, event->variant.async_disabled.at, 0);
		break;
	case ptev_async_branch:
		next_is(d, event->variant.async_branch.from);
		if (event->ip_suppressed)
			hole_make(d);
		else
			entry_add(d, KT_BRANCH_UNKNOWN,
				  event->variant.async_branch.from,
				  event->variant.async_branch.to);
		break;
	case ptev_overflow:
		d->losses->overflows++;
		hole_make(d);
		break;
	case ptev_stop:
		hole_make(d);
		break;
	default:
		break;
	}
}

static void instruction_take(struct decoding *d, const struct pt_insn *insn)
{
	next_is(d, insn->ip);
	if (!kt_instruction_decode(&d->last, insn->raw, insn->size,
				   insn->mode == ptem_32bit))
		d->last = (struct kt_instruction){0};
	d->last.length = insn->size;
	d->last_ip = insn->ip;
	d->last_is_sysenter = insn->raw[0] == 0x0f && insn->raw[1] == 0x34;
}

static bool is_endless(struct decoding *d)
{
	uint64_t packet;

	if (++d->unprompted & 0xffff)
		return false;
	packet = offset_now(d);
	if (packet != d->packet)
		d->unprompted = 0;
	d->packet = packet;
	if (d->unprompted < WITHOUT_PACKET_MAX)
		return false;
	++*d->side->endless;
	return true;
}

/* From a place where packets tell all that is needed, as far as it goes.  A negative status. */
static int follow(struct decoding *d, int status)
{
	struct pt_insn insn;
	struct pt_event event;

	d->unprompted = 0;
	while (status >= 0) {
		if (status & pts_event_pending) {
			status = ipt_event(d->decoder, &event, sizeof(event));
			if (status >= 0)
				event_take(d, &event);
			continue;
		}
		insn.iclass = ptic_error;
		status = ipt_next(d->decoder, &insn, sizeof(insn));
		if (insn.iclass != ptic_error)
			instruction_take(d, &insn);
		if (status >= 0 && is_endless(d))
			return -pte_bad_query;
	}
	return status;
}

/* Until the end of the packets. */
static void all_follow(struct decoding *d)
{
	uint64_t failed = 0, now;
	int status;

	while ((status = ipt_sync(d->decoder)) != -pte_eos) {
		now = offset_now(d);
		if (failed)
			d->losses->skipped += now - failed;
		if (status >= 0)
			status = follow(d, status);
		if (status == -pte_eos)
			return;
		if (status == -pte_nomap && !d->tid)
			d->losses->unowned++;
		else if (status == -pte_nomap)
			d->losses->unread++;
		else
			d->losses->errors++;
		hole_make(d);
		/* Behind the place that is not understood, if that was not the last one. */
		failed = offset_now(d);
		if (failed < now || failed >= d->packets->size ||
		    *d->side->endless >= ENDLESS_MAX)
			break;
		failed += failed == now;
	}
	if (failed && failed < d->packets->size)
		d->losses->skipped += d->packets->size - failed;
}

static int code_read(uint8_t *buffer, size_t size, const struct pt_asid *asid,
		     uint64_t ip, void *context)
{
	struct decoding *d = context;
	uint64_t time = d->time;
	size_t nr;

	/* The first instruction behind a hole: whose is it? */
	if (d->hole)
		runs(d, KT_BRANCH_NONE);
	nr = d->side->code(d->side->data, buffer, size, ip, &time);
	if (time > d->time && d->tid) {
		d->time = time;
		stamp_add(d, KT_BRANCH_TIME);
	}
	return nr ? (int)nr : -pte_nomap;
}

int pt_decode(const struct pt_packets *packets,
	      const struct pt_processor *processor, const struct pt_side *side,
	      struct kt_branch_log *log, struct ktrace_branches_decoded *losses)
{
	struct decoding d = {
		.packets = packets,
		.side = side,
		.log = log,
		.losses = losses,
		.hole = true,
	};
	struct pt_config config;

	if (!packets->size)
		return 0;
	losses->bytes += packets->size;
	if (*side->endless >= ENDLESS_MAX) {
		losses->errors++;
		losses->skipped += packets->size;
		return 0;
	}
	pt_config_init(&config);
	/* It only reads there. */
	config.begin = (uint8_t *)packets->bytes;
	config.end = config.begin + packets->size;
	config.cpu = (struct pt_cpu){
		.vendor = processor->family ? pcv_intel : pcv_unknown,
		.family = processor->family,
		.model = processor->model,
		.stepping = processor->stepping,
	};
	if (processor->family)
		ipt_errata(&config.errata, &config.cpu);
	config.mtc_freq = processor->mtc_frequency;
	config.nom_freq = processor->nominal;
	config.cpuid_0x15_eax = processor->ctc_eax;
	config.cpuid_0x15_ebx = processor->ctc_ebx;
	d.decoder = ipt_create(&config);
	if (!d.decoder)
		return -ENOMEM;
	ipt_set_code(ipt_image(d.decoder), code_read, &d);
	all_follow(&d);
	ipt_destroy(d.decoder);
	return 0;
}
