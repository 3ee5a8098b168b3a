/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/llc_orders.h"

#include "dataplane/worker/worker.h"

#define ALL_SAPIS ((1u << MS_SAPIS) - 1)

static int switch_cipher(const struct worker *w, struct ms *ms, const struct msg *order, struct msg *answer)
{
    if (order->cipher.algorithm != 0 && !w->gea)
        return -1;
    if (llc_cipher_switch(&ms->cipher, ms->llc, &order->cipher) < 0)
        return -1;
    for (unsigned i = 0; i < MS_SAPIS; i++) {
        answer->answer.numbers.down[i] = llc_entity_nu(ms->llc[i].vu);
        answer->answer.numbers.up[i] = llc_entity_nu(ms->llc[i].vur);
    }
    return 0;
}

static int set_unprotected(struct ms *ms, uint32_t sapis)
{
    if (sapis > ALL_SAPIS)
        return -1;
    ms->unprotected = (uint8_t)sapis;
    return 0;
}

/* Late frames of before are none any more: they would be deciphered with what they were not ciphered with. */
static int reset(struct ms *ms)
{
    for (unsigned i = 0; i < MS_SAPIS; i++) {
        ms->llc[i].vur = ms->llc[i].seen = 0;
        ms->cipher.switched_vur[i] = 0;
    }
    return 0;
}

int llc_orders_apply(struct worker *w, const struct msg *order, struct msg *answer, int64_t now)
{
    if (order->slot >= w->context.limits.mobiles || !w->context.mobiles[order->slot].in_use)
        return -1;
    struct ms *ms = &w->context.mobiles[order->slot];
    switch (order->type) {
    case MSG_MS_CIPHER:
        return switch_cipher(w, ms, order, answer);
    case MSG_MS_PM:
        return set_unprotected(ms, order->unprotected_sapis);
    case MSG_MS_LLC_RESET:
        return reset(ms);
    case MSG_MS_N201:
        return context_ms_n201_u(&w->context, order->slot, order->n201_u_octets, now);
    default:
        return -1;
    }
}
