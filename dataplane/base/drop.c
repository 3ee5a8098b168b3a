/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/drop.h"

#include <assert.h>

static const char *const names[DROP_COUNT] = {
    [DROP_NONE] = "none",
#define DROP_FRAME(id, name, cause)   [DROP_##id] = name,
#define DROP_HANDLED(id, name, cause) [DROP_##id] = name,
#define DROP_NPDU(id, name, cause)    [DROP_##id] = name,
#include "dataplane/base/drop.def"
#undef DROP_FRAME
#undef DROP_HANDLED
#undef DROP_NPDU
};

#define DROP_FRAME(id, name, cause)   static_assert(DROP_##id < DROP_FIRST_NPDU, "frames come first");
#define DROP_HANDLED(id, name, cause) static_assert(DROP_##id < DROP_FIRST_NPDU, "frames come first");
#define DROP_NPDU(id, name, cause)    static_assert(DROP_##id >= DROP_FIRST_NPDU, "frames come first");
#include "dataplane/base/drop.def"

const char *drop_name(enum drop reason)
{
    return (unsigned)reason < DROP_COUNT && names[reason] ? names[reason] : "?";
}
