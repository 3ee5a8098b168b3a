/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/llc_entity.h"

bool llc_entity_accept(struct llc_entity *e, uint32_t count)
{
    uint32_t behind = e->vur - 1 - count;
    if (behind < LLC_ENTITY_WINDOW) {
        uint32_t bit = UINT32_C(1) << behind;
        bool late = (e->seen & bit) == 0;
        e->seen |= bit;
        return late;
    }
    uint32_t ahead = count - e->vur + 1;
    e->seen = (ahead < LLC_ENTITY_WINDOW ? e->seen << ahead : 0) | 1;
    e->vur = count + 1;
    return true;
}

void llc_entity_restart_overflow(struct llc_entity *e)
{
    e->vu %= LLC_ENTITY_NU_MODULUS;
    e->vur %= LLC_ENTITY_NU_MODULUS;
}
