/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/core_model.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

static bool has_mobile[CORE_MODEL_MOBILES], has_context[CORE_MODEL_CONTEXTS];
static struct pdp_params contexts[CORE_MODEL_CONTEXTS];

static void add_context(const struct msg *msg)
{
    const struct pdp_params *pdp = &msg->pdp;
    FUZZ_CHECK(msg->index < CORE_MODEL_CONTEXTS && !has_context[msg->index]);
    FUZZ_CHECK(pdp->ms < CORE_MODEL_MOBILES && has_mobile[pdp->ms] && pdp->nsapi >= 5 && pdp->nsapi <= 15);
    for (unsigned i = 0; i < CORE_MODEL_CONTEXTS; i++) {
        if (!has_context[i])
            continue;
        FUZZ_CHECK(contexts[i].ms != pdp->ms || contexts[i].nsapi != pdp->nsapi);
        FUZZ_CHECK(contexts[i].sgsn_ip != pdp->sgsn_ip || contexts[i].teid != pdp->teid);
    }
    has_context[msg->index] = true;
    contexts[msg->index] = *pdp;
}

void core_model_init(void)
{
    memset(has_mobile, 0, sizeof has_mobile);
    memset(has_context, 0, sizeof has_context);
}

void core_request(struct core *core, const struct msg *msg)
{
    switch (msg->type) {
    case MSG_MS_ADD:
        FUZZ_CHECK(msg->index < CORE_MODEL_MOBILES && !has_mobile[msg->index] && msg->ms.imsi_octets <= 8);
        has_mobile[msg->index] = true;
        break;
    case MSG_MS_DEL:
        FUZZ_CHECK(msg->index < CORE_MODEL_MOBILES && has_mobile[msg->index]);
        for (unsigned i = 0; i < CORE_MODEL_CONTEXTS; i++)
            FUZZ_CHECK(!has_context[i] || contexts[i].ms != msg->index);
        has_mobile[msg->index] = false;
        break;
    case MSG_PDP_ADD:
        add_context(msg);
        break;
    case MSG_PDP_DEL:
        FUZZ_CHECK(msg->index < CORE_MODEL_CONTEXTS && has_context[msg->index]);
        has_context[msg->index] = false;
        break;
    default:
        FUZZ_CHECK(!"an order that sessions do not give");
    }
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
        FUZZ_CHECK(sessions_of(s, session->pdp, session->generation) == session);
        FUZZ_CHECK(s->mobiles[session->mobile].nsapis >> session->nsapi & 1);
    }
    for (unsigned i = 0; i < CORE_MODEL_CONTEXTS; i++)
        ordered += has_context[i];
    FUZZ_CHECK(active == ordered);
    for (unsigned i = 0; i < CORE_MODEL_MOBILES; i++)
        FUZZ_CHECK(s->mobiles[i].in_use == has_mobile[i] && has_mobile[i] == (s->mobiles[i].nsapis != 0));
}
