// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* How a probe is armed in several sessions: lib/probe/armed.c, on lines that are written here. */
#include "check.h"
#include "probe/armed.h"
#include "session/session.h"

static char reason[ARMED_REASON];

/* Only armed_read() asks for sessions. */
int ktrace_sessions_each(struct ktrace_session *session,
			 int (*use)(void *data, const char *name), void *data)
{
	(void)session;
	(void)use;
	(void)data;
	return 0;
}

static struct ktrace_probe find(char *lines)
{
	struct armed armed = {.lines = {.s = lines, .len = strlen(lines)}};
	struct ktrace_probe probe = {.system = "probe", .name = "one"};

	CHECK_EQ(armed_index(&armed), 0);
	armed_find(&armed, &probe, reason);
	table_free(&armed.by_name);
	return probe;
}

#define GOOD  "probe:one 0xff ftrace hits 7 missed nested 1 open 2 idle 3\n"
#define JUMP  "probe:one 0xff jump hits 4 missed nested 0 open 0 idle 0\n"
#define WAITS "probe:one 0x0 waiting hits 4 missed nested 0 open 0 idle 0\n"
#define REFUSED \
	"probe:one 0x0 refused hits 0 missed nested 4 open 5 idle 6: no place\n"
#define OTHER \
	"probe:one_2 0x0 refused hits 0 missed nested 7 open 7 idle 7: other\n"

TEST(in_no_session)
{
	struct ktrace_probe probe = find(OTHER);

	CHECK(!probe.armed && !probe.refusal && !probe.missed_nested);
}

TEST(in_one_session)
{
	struct ktrace_probe probe = find(OTHER GOOD OTHER);

	CHECK_STR(probe.armed, "ftrace");
	CHECK(!probe.refusal);
	CHECK_EQ(probe.missed_nested, 1);
	CHECK_EQ(probe.missed_open, 2);
	CHECK_EQ(probe.missed_idle, 3);
	CHECK_EQ(probe.hits, 7);
}

/* A reason is never beside a way that is not refused. */
TEST(the_worst_of_several)
{
	struct ktrace_probe probe = find(REFUSED OTHER GOOD);

	CHECK_STR(probe.armed, "refused");
	CHECK_STR(probe.refusal, "no place");
	CHECK_EQ(probe.missed_nested, 5);
	probe = find(GOOD REFUSED JUMP);
	CHECK_STR(probe.armed, "refused");
	CHECK_STR(probe.refusal, "no place");
	CHECK_EQ(probe.missed_idle, 9);
	probe = find(JUMP WAITS GOOD);
	CHECK_STR(probe.armed, "waiting");
	CHECK(!probe.refusal);
	probe = find(JUMP GOOD JUMP);
	CHECK_EQ(probe.hits, 15);
	CHECK_STR(probe.armed, "ftrace");
	CHECK(!probe.refusal);
}

TEST(a_way_that_is_not_known)
{
	struct ktrace_probe probe = find(
		REFUSED
		"probe:one 0xff beam hits 4 missed nested 0 open 0 idle 0\n");

	CHECK_STR(probe.armed, "?");
	CHECK(!probe.refusal);
}

CHECK_MAIN
