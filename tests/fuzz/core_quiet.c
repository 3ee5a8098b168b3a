/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of the core: a log that nothing reads, and no workers. */
#include "control/core/core.h"
#include "tests/fuzz/fuzz.h"

void core_tell(const struct core *unused_core, const char *unused_who, const char *unused_level,
               const char *text)
{
    FUZZ_CHECK(text);
}

void core_order_to(struct core *unused_core, unsigned unused_worker, const struct msg *unused_msg)
{
    FUZZ_CHECK(false); /* there are no workers */
}
