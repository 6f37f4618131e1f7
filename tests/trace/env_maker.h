/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The world of made traces (KT_ENV): that of programs, with the maker's clock. */
#ifndef KT_TESTS_TRACE_ENV_MAKER_H
#define KT_TESTS_TRACE_ENV_MAKER_H

#define env_clock env_clock_machine
#include "env_user.h"
#undef env_clock

u64 env_clock(void);

#endif /* KT_TESTS_TRACE_ENV_MAKER_H */
