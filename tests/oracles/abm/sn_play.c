/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracles/abm/sn_play.h"

#include <assert.h>
#include <stdlib.h>

void sn_play_established(struct sn_play *p)
{
    p->sn.slots = p->slots;
    p->unit = NULL;
    sn_ack_established(&p->sn);
}

bool sn_play_deliver(struct sn_play *p, const struct info *info)
{
    struct sn_data header;
    int octets = sn_data_decode(&header, info->header, info->header_octets);
    assert(octets == info->header_octets && header.nsapi == SN_PLAY_NSAPI);
    enum sn_ack_fate fate = sn_ack_receive(&p->sn, &header);
    assert(fate != SN_ACK_ERROR);
    if (fate == SN_ACK_AGAIN)
        return false;
    if (fate == SN_ACK_BEGIN || fate == SN_ACK_WHOLE) {
        p->partial = info->n_pdu;
        p->partial_segments = 0;
    }
    assert(p->partial == info->n_pdu && p->partial_segments == info->segment);
    p->partial_segments++;
    return fate == SN_ACK_WHOLE || fate == SN_ACK_END;
}

bool sn_play_confirm(struct sn_play *p, uint32_t *number)
{
    const struct unit *unit = sn_ack_confirm(&p->sn);
    if (!unit)
        return false;
    p->confirmed++;
    *number = unit->number;
    return true;
}

bool sn_play_find(struct sn_play *p, struct rng *rng, bool may_make)
{
    if (p->unit && p->segment < p->unit->segments)
        return true;
    p->segment = 0;
    p->unit = sn_ack_offer(&p->sn, &p->unit_number);
    if (p->unit || !may_make)
        return p->unit != NULL;
    struct unit *unit = &p->units[p->made % SN_ACK_SLOTS];
    const struct unit made = {p->made, 1 + (unsigned)rng_below(rng, SN_PLAY_SEGMENTS)};
    if (sn_ack_put(&p->sn, unit, made.segments) < 0)
        return false;
    *unit = made;
    p->made++;
    p->unit = sn_ack_offer(&p->sn, &p->unit_number);
    return true;
}

struct info *sn_play_next(struct sn_play *p, unsigned octets)
{
    struct info *info = calloc(1, sizeof *info);
    assert(info);
    const struct sn_data header = {.nsapi = SN_PLAY_NSAPI,
                                   .number = p->unit_number,
                                   .first = p->segment == 0,
                                   .more = p->segment + 1 < p->unit->segments};
    info->n_pdu = p->unit->number;
    info->segment = (uint8_t)p->segment++;
    info->octets = (uint16_t)octets;
    info->header_octets = (uint8_t)sn_data_encode(info->header, sizeof info->header, &header);
    return info;
}
