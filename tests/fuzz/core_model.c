/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/core_model.h"

#include "control/core/core_gtpc.h"
#include "control/core/core.h"
#include "control/core/core_acts.h"
#include "control/core/core_gb.h"
#include "control/core/core_link.h"
#include "control/core/core_path.h"
#include "control/sessions/sessions.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static bool has_mobile[CORE_MODEL_MOBILES], has_context[CORE_MODEL_CONTEXTS];
static struct pdp_params contexts[CORE_MODEL_CONTEXTS];

static void add_context(const struct msg *msg)
{
    const struct pdp_params *pdp = &msg->pdp;
    FUZZ_CHECK(msg->slot < CORE_MODEL_CONTEXTS && !has_context[msg->slot]);
    FUZZ_CHECK(pdp->ms < CORE_MODEL_MOBILES && has_mobile[pdp->ms] && pdp->nsapi >= 5 && pdp->nsapi <= 15);
    for (unsigned i = 0; i < CORE_MODEL_CONTEXTS; i++) {
        if (!has_context[i])
            continue;
        FUZZ_CHECK(contexts[i].ms != pdp->ms || contexts[i].nsapi != pdp->nsapi);
        FUZZ_CHECK(contexts[i].sgsn_ip != pdp->sgsn_ip || contexts[i].teid != pdp->teid);
    }
    has_context[msg->slot] = true;
    contexts[msg->slot] = *pdp;
}

void core_model_init(void)
{
    memset(has_mobile, 0, sizeof has_mobile);
    memset(has_context, 0, sizeof has_context);
}

void core_link_order(struct core *core, unsigned worker, const struct msg *msg)
{
    FUZZ_CHECK(worker == 0);
    switch (msg->type) {
    case MSG_MS_ADD:
        FUZZ_CHECK(msg->slot < CORE_MODEL_MOBILES && !has_mobile[msg->slot] && msg->ms.imsi_octets <= 8);
        has_mobile[msg->slot] = true;
        break;
    case MSG_MS_DEL:
        FUZZ_CHECK(msg->slot < CORE_MODEL_MOBILES && has_mobile[msg->slot]);
        for (unsigned i = 0; i < CORE_MODEL_CONTEXTS; i++)
            FUZZ_CHECK(!has_context[i] || contexts[i].ms != msg->slot);
        has_mobile[msg->slot] = false;
        break;
    case MSG_PDP_ADD:
        add_context(msg);
        break;
    case MSG_PDP_DEL:
        FUZZ_CHECK(msg->slot < CORE_MODEL_CONTEXTS && has_context[msg->slot]);
        has_context[msg->slot] = false;
        break;
    case MSG_GN_IPV6:
        break;
    default:
        FUZZ_CHECK(!"an order that sessions do not give");
    }
}

void core_order(struct core *core, const struct msg *msg)
{
    core_link_order(core, 0, msg);
}

/* No other workers. */
void core_link_order_others(struct core *core, unsigned but, const struct msg *msg)
{
}

/* No GGSN is asked for anything. */
void core_gtpc_set_place(struct core *core, uint64_t id, uint16_t cell)
{
    (void)core;
    (void)id;
    (void)cell;
}

/* The control plane is not there. */
void core_gb_ms_add(struct core *core, uint32_t slot, uint32_t tlli, const char *imsi, uint16_t cell)
{
}

void core_acts_gone(struct core *core, uint32_t slot)
{
}

void core_gb_ms_elements(struct core *core, uint32_t tlli, uint16_t cell,
                         const struct bssgp_elements *elements)
{
}

void core_gb_llc_ms_add(struct core *core, uint32_t slot, uint16_t cell,
                        const struct llc_cipher_params *ciphering)
{
}

void core_path_add(struct core *core, uint32_t ours, uint32_t theirs)
{
    FUZZ_CHECK(theirs == ADDRESS_NONE || address_is_ipv6(ours) == address_is_ipv6(theirs));
}

void core_path_del(struct core *core, uint32_t ours, uint32_t theirs)
{
}

void core_model_check(struct sessions *s)
{
    unsigned active = 0, ordered = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct session *session = &s->list[i];
        if (!session->is_active)
            continue;
        active++;
        FUZZ_CHECK(has_context[session->pdp] && contexts[session->pdp].teid == session->teid);
        FUZZ_CHECK(sessions_of(s, 0, session->pdp, session->generation) == session);
        FUZZ_CHECK(s->mobiles[session->mobile].nsapis >> session->nsapi & 1);
    }
    for (unsigned i = 0; i < CORE_MODEL_CONTEXTS; i++)
        ordered += has_context[i];
    FUZZ_CHECK(active == ordered);
    for (unsigned i = 0; i < CORE_MODEL_MOBILES; i++)
        FUZZ_CHECK(s->mobiles[i].in_use == has_mobile[i] && has_mobile[i] == (s->mobiles[i].nsapis != 0));
}
