/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about a mobile's LLC: each holds from the next frame on, at one instant between two. */
#include "dataplane/worker/worker.h"

#define ALL_SAPIS ((1u << MS_SAPIS) - 1)

/* The answer says which frames are the first with the new key. */
int llc_orders_cipher(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    struct msg_numbers *numbers = &w->orders.answer.answer.numbers;
    if (msg->cipher.algorithm != 0 && !w->gea)
        return -1;
    if (ms_cipher_switch(ms, &msg->cipher) < 0)
        return -1;
    for (unsigned i = 0; i < MS_SAPIS; i++) {
        numbers->down[i] = llc_entity_nu(ms->llc[i].vu);
        numbers->up[i] = llc_entity_nu(ms->llc[i].vur);
    }
    return 0;
}

int llc_orders_unprotected(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (msg->unprotected_sapis > ALL_SAPIS)
        return -1;
    w->context.mobiles[index].unprotected = (uint8_t)msg->unprotected_sapis;
    return 0;
}

/* LLC RESET: V(UR) is 0 again. No frame counts as sent before the last change of the key any more: it would
 * be deciphered with the former OC. */
int llc_orders_reset(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    for (unsigned i = 0; i < MS_SAPIS; i++) {
        ms->llc[i].vur = ms->llc[i].seen = 0;
        ms->cipher.switched_vur[i] = 0;
    }
    return 0;
}

int llc_orders_n201_u(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_ms_n201_u(&w->context, index, msg->n201_u_octets, now);
}
