/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/llc_entity.h"

#define MASK (LLC_ENTITY_NU_MODULUS - 1)

uint16_t llc_entity_take_nu(struct llc_entity *e)
{
    uint16_t nu = e->vu;
    e->vu = (nu + 1) & MASK;
    return nu;
}

bool llc_entity_accept(struct llc_entity *e, uint16_t nu)
{
    unsigned behind = (unsigned)(e->vur - 1 - nu) & MASK;
    if (behind < LLC_ENTITY_WINDOW) {
        uint32_t bit = UINT32_C(1) << behind;
        bool late = (e->seen & bit) == 0;
        e->seen |= bit;
        return late;
    }
    unsigned ahead = ((unsigned)(nu - e->vur) & MASK) + 1;
    e->seen = (ahead < LLC_ENTITY_WINDOW ? e->seen << ahead : 0) | 1;
    e->vur = (nu + 1) & MASK;
    return true;
}
