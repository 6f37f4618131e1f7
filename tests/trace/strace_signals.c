// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What the strace view shows of the ends of threads. */
#include <signal.h>

#include "called.h"

/* Threads end by SIGKILL; with what their process ends says why. */
TEST(ends)
{
	static const struct {
		uint32_t tid;
		int32_t code; /* as wait(2) has it; -1: the process goes on */
		uint64_t hidden;
		const char *line, *object;
	} cases[] = {
		{8, SIGTERM, 0, "+++ killed by SIGTERM +++\n",
		 "\"killed_by\":\"SIGTERM\""},
		{8, SIGSEGV | 0x80, 0, "+++ killed by SIGSEGV +++\n",
		 "\"killed_by\":\"SIGSEGV\""},
		{8, 0, 0, "+++ exited with 0 +++\n", "\"exit_status\":0"},
		{7, 5 << 8, 0, "+++ exited with 5 +++\n", "\"exit_status\":5"},
		{8, -1, 0, "+++ exited with 0 +++\n", "\"kills\":true}"},
		/* Another thread's program takes its place. */
		{7, -1, 0, "", "\"kills\":true}"},
		{8, SIGTERM, 1ull << (SIGTERM - 1), "", ""},
		{8, SIGTERM, 1ull << (SIGKILL - 1),
		 "+++ killed by SIGTERM +++\n", "\"killed_by\":\"SIGTERM\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int json = 0; json < 2; json++) {
			const struct ktrace_output_calls options = {
				.string_max = 32,
				.column = 1,
				.json = json,
				.signals_hidden = cases[i].hidden,
			};
			struct record r = {0};
			uint32_t id;
			char *text;

			begin();
			run(7, 7);
			id = type_of("signal", "signal_delivered",
				     "sig info ka __exit_code");
			number(&r, SIGKILL);
			number(&r, 0);
			number(&r, 0);
			captured(&r, 1);
			memory(&r, &cases[i].code, sizeof(cases[i].code));
			maker_task(maker, 0, cases[i].tid, 7, 1, "program");
			run(cases[i].tid, 7);
			happen(id, &r);
			text = shown(&options);
			if (json && *cases[i].object)
				CHECK(strstr(text, cases[i].object));
			else if (json)
				CHECK_STR(text, "");
			else
				CHECK_STR(strstr(text, "+++") ?: "",
					  cases[i].line);
			free(text);
		}
	}
}

/* The first thread was replaced by an exec that is not shown; a signal then ends the new program. */
TEST(ends_once)
{
	static const struct {
		uint32_t tid;
		int32_t code;
	} ends[] = {{7, -1}, {9, SIGTERM}, {7, SIGTERM}};
	char *text;
	uint32_t id;

	begin();
	run(7, 7);
	id = type_of("signal", "signal_delivered", "sig info ka __exit_code");
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct record r = {0};

		number(&r, SIGKILL);
		number(&r, 0);
		number(&r, 0);
		captured(&r, 1);
		memory(&r, &ends[i].code, sizeof(ends[i].code));
		maker_task(maker, 0, ends[i].tid, 7, 1, "program");
		run(ends[i].tid, 7);
		happen(id, &r);
	}
	text = shown(&(struct ktrace_output_calls){
		.string_max = 32, .column = 1, .pids = true});
	CHECK_STR(text, "[pid     7] +++ killed by SIGTERM +++\n"
			"[pid     9] +++ killed by SIGTERM +++\n");
	free(text);
}

/* Both events of a signal; @fields are those of ours. */
static void signal_records(const char *fields, int signal, struct record *ours,
			   struct record *kernels)
{
	uint64_t handler = 0x1000;
	int32_t code = SIGKILL;

	number(kernels, signal);
	number(kernels, SI_KERNEL);
	number(kernels, handler);
	number(ours, signal);
	number(ours, 0);
	number(ours, 0);
	if (strstr(fields, "__handler")) {
		captured(ours, 3);
		memory(ours, "", 0);
		memory(ours, &handler, sizeof(handler));
		memory(ours, &code, sizeof(code));
	} else if (strstr(fields, "__exit_code")) {
		captured(ours, 1);
		memory(ours, &code, sizeof(code));
	}
}

/* The kernel's event and ours are of one signal: the one that tells more is shown. */
TEST(events_of_one_signal)
{
	static const struct {
		const char *fields; /* of ours */
		int number;
		const char *line;
	} cases[] = {
		{"sig info ka __info __handler __exit_code", SIGTERM,
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER} ---\n"},
		{"sig info ka __exit_code", SIGKILL,
		 "+++ killed by SIGKILL +++\n"},
		/* The kernel's has told what the process does. */
		{"sig info ka", SIGTERM,
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_KERNEL} ---\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct record ours = {0}, kernels = {0};
		uint32_t id, other;
		char *text;

		begin();
		run(7, 7);
		id = type_of("signal", "signal_delivered", cases[i].fields);
		other = type_of("signal", "signal_deliver",
				"sig code sa_handler");
		signal_records(cases[i].fields, cases[i].number, &ours,
			       &kernels);
		/* Whichever comes first. */
		if (i & 1)
			happen(other, &kernels);
		happen(id, &ours);
		if (!(i & 1))
			happen(other, &kernels);
		text = shown(&(struct ktrace_output_calls){.string_max = 32,
							   .column = 1});
		CHECK_STR(strpbrk(text, "-+") ?: "", cases[i].line);
		free(text);
	}
}

static void lose(void)
{
	const struct maker_plain plain = {1, 0};
	uint64_t before = maker_lost(maker, 0);

	maker_stall(maker, 0, true);
	while (maker_lost(maker, 0) == before)
		maker_event(maker, 0, MAKER_PLAIN, &plain, sizeof(plain));
	maker_stall(maker, 0, false);
}

/* Without the lines that tell of losses. */
static void losses_remove(char *text)
{
	char *to = text;

	for (char *line = text, *next; *line; line = next) {
		next = strchrnul(line, '\n');
		next += *next == '\n';
		if (*line == '*')
			continue;
		memmove(to, line, next - line);
		to += next - line;
	}
	*to = '\0';
}

/* One of the two may be missing: not selected, not recorded, lost. */
TEST(one_event_of_a_signal)
{
	static const struct {
		const char *fields; /* of ours */
		int number;
		const char *events; /* k: the kernel's, o: ours, l: a loss */
		const char *line;
	} cases[] = {
		{"sig info ka __info __handler __exit_code", SIGTERM, "k",
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_KERNEL} ---\n"},
		{"sig info ka __info __handler __exit_code", SIGTERM, "kk",
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_KERNEL} ---\n"
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_KERNEL} ---\n"},
		{"sig info ka __info __handler __exit_code", SIGTERM, "kok",
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER} ---\n"
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_KERNEL} ---\n"},
		{"sig info ka __info __handler __exit_code", SIGTERM, "kokoko",
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER} ---\n"
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER} ---\n"
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER} ---\n"},
		{"sig info ka __info __handler __exit_code", SIGTERM, "okk",
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER} ---\n"
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_KERNEL} ---\n"},
		/* The kernel's of one, and ours of the next one, were lost. */
		{"sig info ka __info __handler __exit_code", SIGTERM, "olk",
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER} ---\n"
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_KERNEL} ---\n"},
		{"sig info ka __exit_code", SIGKILL, "k",
		 "+++ killed by SIGKILL +++\n"},
		{"sig info ka", SIGTERM, "o",
		 "--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER} ---\n"
		 "+++ killed by SIGTERM +++\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct record ours = {0}, kernels = {0};
		uint32_t id, other;
		char *text;

		begin();
		maker_task(maker, 0, 7, 7, 1, "program");
		run(7, 7);
		id = type_of("signal", "signal_delivered", cases[i].fields);
		other = type_of("signal", "signal_deliver",
				"sig code sa_handler");
		signal_records(cases[i].fields, cases[i].number, &ours,
			       &kernels);
		for (const char *e = cases[i].events; *e; e++) {
			if (*e == 'l')
				lose();
			else
				happen(*e == 'k' ? other : id,
				       *e == 'k' ? &kernels : &ours);
		}
		text = shown(&(struct ktrace_output_calls){.string_max = 32,
							   .column = 1});
		losses_remove(text);
		CHECK_STR(text, cases[i].line);
		free(text);
	}
}

CHECK_MAIN
