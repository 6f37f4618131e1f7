/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a probe records: the expressions of its text (<ktrace/probes.h>) as fields. */
#ifndef KT_LIB_PROBE_FIELD_H
#define KT_LIB_PROBE_FIELD_H

#include "base/text.h"
#include "place.h"
#include "session/prototype.h"

/*
 * Appends "; KIND CTYPE NAME = VALUE" for each (kernel/source/probe/README.md).  -EINVAL, with a
 * message; *@sourceless: it is about a name that debugging information might know, which the place
 * does not have yet.
 */
int fields_write(struct prototypes *p, const struct place *place,
		 const char *expressions, struct text *text, bool *sourceless);

/*
 * What names mean at the place, for whom does not write fields.  *@scope is valid as long as @p and
 * @place are.
 */
struct scope;
int fields_scope(struct prototypes *p, const struct place *place,
		 struct scope *scope);

#endif /* KT_LIB_PROBE_FIELD_H */
