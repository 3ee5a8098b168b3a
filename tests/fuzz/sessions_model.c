/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of sessions that ask GGSNs for contexts, serve phones and adopt records of a restart: captures
 * have none. */
#include "control/core/core_gtpc.h"
#include "control/core/core.h"
#include "control/core/sessions.h"
#include "tests/fuzz/fuzz.h"

void sessions_gtpc_forget(struct sessions *s, uint32_t pdp)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

void sessions_gtpc_class(struct sessions *s, uint64_t id, uint8_t qclass, int cause)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

bool sessions_gtpc_reclass(struct sessions *s, uint32_t mobile, uint8_t nsapi,
                           const struct lua_gtpc_change *change)
{
    FUZZ_CHECK(!"a request that no capture makes");
    return 0;
}

bool sessions_gtpc_set_llc(struct sessions *s, uint32_t mobile, uint8_t nsapi, bool is_acknowledged)
{
    FUZZ_CHECK(!"a request that no capture makes");
    return false;
}

void sessions_gtpc_llc(struct sessions *s, uint32_t pdp, uint32_t generation, bool is_set)
{
    FUZZ_CHECK(!"an answer to no order");
}

void sessions_gtpc_llc_lost(struct sessions *s, uint32_t pdp)
{
    FUZZ_CHECK(!"news of no context");
}

void sessions_gtpc_down(struct sessions *s, uint64_t id)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

void sessions_gtpc_drop(struct sessions *s, uint32_t mobile, uint8_t nsapi)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

void sessions_gtpc_ended(struct sessions *s, uint64_t id, int cause)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

void sessions_gtpc_up(struct sessions *s, uint64_t id, const struct core_given *given)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const struct node_config_mobile *listed,
                        const struct node_config_context *context, const struct session *params)
{
    FUZZ_CHECK(!"a request that no capture makes");
    return 0;
}

uint32_t sessions_phones_add(struct sessions *s, uint32_t tlli, uint16_t cell)
{
    FUZZ_CHECK(!"a request that no capture makes");
    return 0;
}

void sessions_phones_del(struct sessions *s, uint32_t slot)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

void sessions_phones_imsi(struct sessions *s, uint32_t slot, const char *imsi)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

void sessions_phones_tlli(struct sessions *s, uint32_t slot, uint32_t tlli)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

bool sessions_phones_want(struct sessions *s, uint32_t slot, const struct core_phone_context *context)
{
    FUZZ_CHECK(!"a request that no capture makes");
    return 0;
}

void sessions_restart_contexts(struct sessions *s)
{
    FUZZ_CHECK(!"a request that no capture makes");
}

void sessions_restart_mobiles(struct sessions *s)
{
    FUZZ_CHECK(!"a request that no capture makes");
}
