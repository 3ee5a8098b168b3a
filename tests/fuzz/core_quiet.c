/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of the core: a log that nothing reads, and no workers. */
#include "control/core/core.h"
#include "control/core/core_link.h"
#include "tests/fuzz/fuzz.h"

void core_log(const struct core *unused_core, const char *unused_who, const char *unused_level,
              const char *text)
{
    FUZZ_CHECK(text);
}

void core_link_order(struct core *unused_core, unsigned unused_worker, const struct msg *unused_msg)
{
    FUZZ_CHECK(false); /* there are no workers */
}
