/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of sessions that asks GGSNs for contexts: captures have none. */
#include "control/core/core_gtpc.h"
#include "tests/fuzz/fuzz.h"

void sessions_gtpc_forget(struct sessions *s, uint32_t pdp)
{
    FUZZ_CHECK(!"a request that no capture makes");
}
