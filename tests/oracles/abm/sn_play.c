/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracles/abm/sn_play.h"

#include <assert.h>
#include <stdlib.h>

void sn_play_established(struct sn_play *p)
{
    p->unit = NULL;
    p->offered = p->confirmed;
    p->confirmed_segments = 0;
    sn_receive_established(&p->in);
}

bool sn_play_deliver(struct sn_play *p, const struct info *info)
{
    struct sn_data header;
    int octets = sn_data_decode(&header, info->header, info->header_octets);
    assert(octets == info->header_octets && header.nsapi == SN_PLAY_NSAPI);
    enum sn_fate fate = sn_receive_take(&p->in, &header);
    assert(fate != SN_ERROR);
    if (fate == SN_AGAIN)
        return false;
    if (fate == SN_BEGIN || fate == SN_WHOLE) {
        p->partial = info->n_pdu;
        p->partial_segments = 0;
    }
    assert(p->partial == info->n_pdu && p->partial_segments == info->segment);
    p->partial_segments++;
    return fate == SN_WHOLE || fate == SN_END;
}

bool sn_play_confirm(struct sn_play *p, uint32_t *number)
{
    const struct unit *unit = &p->units[p->confirmed % SN_PLAY_UNITS];
    assert(p->confirmed < p->offered);
    if (++p->confirmed_segments < unit->segments)
        return false;
    *number = unit->number;
    p->confirmed++;
    p->confirmed_segments = 0;
    return true;
}

bool sn_play_find(struct sn_play *p, struct rng *rng, bool may_make)
{
    if (p->unit && p->segment < p->unit->segments)
        return true;
    p->segment = 0;
    p->unit = NULL;
    if (p->offered == p->made && (!may_make || p->made - p->confirmed >= SN_MOST_UNCONFIRMED))
        return false;
    if (p->offered == p->made) {
        p->units[p->made % SN_PLAY_UNITS] =
            (struct unit){p->made, 1 + (unsigned)rng_below(rng, SN_PLAY_SEGMENTS)};
        p->made++;
    }
    p->unit = &p->units[p->offered++ % SN_PLAY_UNITS];
    return true;
}

struct info *sn_play_next(struct sn_play *p, unsigned octets)
{
    struct info *info = calloc(1, sizeof *info);
    assert(info);
    const struct sn_data header = {.nsapi = SN_PLAY_NSAPI,
                                   .number = (uint8_t)p->unit->number,
                                   .first = p->segment == 0,
                                   .more = p->segment + 1 < p->unit->segments};
    info->n_pdu = p->unit->number;
    info->segment = (uint8_t)p->segment++;
    info->octets = (uint16_t)octets;
    info->header_octets = (uint8_t)sn_data_encode(info->header, sizeof info->header, &header);
    return info;
}
