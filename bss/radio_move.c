/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles that leave a cell or return to it. */
#include <assert.h>
#include <stdlib.h>

#include "bss/radio_state.h"
#include "dataplane/base/moment.h"

#define CENTISECOND_NS INT64_C(10000000)

void radio_leave(struct radio *radio, uint32_t tlli)
{
    struct radio_mobile *known = radio_mobile_get(radio, tlli);
    struct radio_mobile *mobile = known ? known : radio_mobile_add(radio, tlli);
    for (unsigned way = 0; mobile && way < RADIO_WAYS; way++) {
        struct radio_flow *flow = &mobile->flows[way];
        radio_air_forget(&radio->airs[way], flow);
        radio_flow_restart(flow);
        flow->restart_ns = 0;
        flow->is_away = true;
    }
}

void radio_enter(struct radio *radio, uint32_t tlli, int64_t now)
{
    struct radio_mobile *mobile = radio_mobile_get(radio, tlli);
    for (unsigned way = 0; mobile && way < RADIO_WAYS; way++) {
        struct radio_flow *flow = &mobile->flows[way];
        bool was_away = flow->is_away;
        flow->is_away = false;
        if (was_away && flow->waiting.head)
            radio_begin(radio, way, mobile, now);
    }
}

bool radio_is_away(const struct radio *radio, uint32_t tlli)
{
    const struct radio_mobile *mobile = radio_mobile_get(radio, tlli);
    return mobile && mobile->flows[RADIO_DOWN].is_away;
}

static uint16_t lifetime_left_cs(const struct radio_pdu *pdu, int64_t now)
{
    if (pdu->latest_ns == MOMENT_NEVER)
        return RADIO_INFINITE_CS;
    int64_t left_cs = pdu->latest_ns > now ? (pdu->latest_ns - now) / CENTISECOND_NS : 0;
    return (uint16_t)moment_min(left_cs, RADIO_INFINITE_CS - 1);
}

uint64_t radio_take(struct radio *radio, enum radio_way way, uint32_t tlli, radio_take_fn take, void *arg,
                    int64_t now)
{
    struct radio_mobile *mobile = radio_mobile_get(radio, tlli);
    struct radio_sum *taken = &radio->airs[way].stats.taken;
    uint64_t before_octets = taken->octets;

    while (mobile && mobile->flows[way].waiting.head) {
        assert(mobile->flows[way].is_away);
        struct radio_pdu *pdu = radio_flow_pop(&mobile->flows[way].waiting);
        struct radio_frame frame = {tlli, pdu->llc_pdu, pdu->octets};
        radio_unqueue(radio, way, pdu);
        taken->frames++;
        taken->octets += pdu->octets;
        take(arg, &frame, lifetime_left_cs(pdu, now));
        free(pdu);
    }
    return taken->octets - before_octets;
}
