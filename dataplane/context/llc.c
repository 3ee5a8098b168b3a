/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/llc.h"

#include "dataplane/base/bytes.h"
#include "dataplane/crypto/gea.h"

#include <string.h>

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

void llc_entity_leave_last(struct llc_entity *e)
{
    uint32_t left = LLC_ENTITY_NU_MODULUS - e->vu % LLC_ENTITY_NU_MODULUS;
    if (left <= LLC_ENTITY_WINDOW)
        e->vu += left;
}

void llc_entity_restart_overflow(struct llc_entity *e)
{
    e->vu %= LLC_ENTITY_NU_MODULUS;
    e->vur %= LLC_ENTITY_NU_MODULUS;
}

int llc_cipher_key(struct llc_key *key, const struct llc_cipher_params *params)
{
    *key = (struct llc_key){.algorithm = params->algorithm, .iov_ui = params->iov_ui};
    if (gea_refusal(params->algorithm))
        return ERR_UNSUPPORTED;
    if (params->algorithm == 0)
        return 0;
    int octets = gea_key(key->key, params->algorithm, params->kc, params->kc_octets);
    return octets < 0 ? octets : 0;
}

/* GEA3 and GEA4 are one function with keys of two lengths, so algorithms are not compared. */
static bool is_same_stream(const struct llc_key *one, const struct llc_key *other)
{
    return one->algorithm != 0 && other->algorithm != 0 && one->iov_ui == other->iov_ui &&
           memcmp(one->key, other->key, GEA_KEY_OCTETS) == 0;
}

int llc_cipher_switch(struct llc_cipher *c, struct llc_entity entities[LLC_CIPHER_SAPIS],
                      const struct llc_cipher_params *params)
{
    struct llc_key key;
    int rc = llc_cipher_key(&key, params);
    if (rc < 0)
        return rc;
    if (is_same_stream(&key, &c->now) || is_same_stream(&key, &c->before))
        return ERR_MALFORMED;
    c->before = c->now;
    c->now = key;
    for (unsigned i = 0; i < LLC_CIPHER_SAPIS; i++) {
        c->switched_vur[i] = entities[i].vur;
        llc_entity_restart_overflow(&entities[i]);
    }
    return 0;
}

const struct llc_key *llc_cipher_received(const struct llc_cipher *c, unsigned index, uint32_t *count)
{
    uint32_t after = *count - c->switched_vur[index] % LLC_ENTITY_NU_MODULUS;
    if (after < UINT32_MAX - LLC_ENTITY_WINDOW + 1)
        return &c->now;
    *count = c->switched_vur[index] + after;
    return &c->before;
}
