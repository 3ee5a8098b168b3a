/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/sessions_gtpc.h"
#include "tests/fuzz/fuzz.h"

/* No GGSN is asked for anything. */
bool sessions_gtpc_has(const struct sessions *s, uint32_t pdp)
{
    return false;
}

bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const struct node_config_mobile *listed,
                        const struct node_config_context *context, const struct session *params)
{
    FUZZ_CHECK(!"a context that a GGSN is asked for");
    return false;
}
