/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/llc_tap.h"

#include <string.h>

static bool is_ciphered(const struct llc_tap *t, struct llc *llc, const uint8_t *llc_pdu, size_t octets)
{
    return t->key.algorithm != 0 && llc_decode(llc, llc_pdu, octets) >= 0 && llc->format == LLC_UI && llc->e;
}

static const uint8_t *decipher(struct llc_tap *t, const uint8_t *llc_pdu, size_t octets, uint8_t sapi,
                               uint32_t count)
{
    size_t shown = octets < LLC_TAP_OCTETS ? octets : LLC_TAP_OCTETS;
    struct gea_job job = {
        .key = t->key.key,
        .data = t->clear + LLC_UI_OCTETS,
        .input = llc_cipher_input(t->key.iov_ui, sapi, count),
        .octets = (uint16_t)(shown - LLC_UI_OCTETS),
        .direction = GEA_DOWNLINK,
    };
    memcpy(t->clear, llc_pdu, shown);
    gea_cipher_burst(t->gea, &job, 1);
    return t->clear;
}

const uint8_t *llc_tap_pass(struct llc_tap *t, const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    if (!is_ciphered(t, &llc, llc_pdu, octets))
        return llc_pdu;
    uint32_t count = llc_entity_count(&t->llc, llc.nu);
    llc_entity_accept(&t->llc, count);
    return decipher(t, llc_pdu, octets, llc.sapi, count);
}

const uint8_t *llc_tap_passed(struct llc_tap *t, const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    if (!is_ciphered(t, &llc, llc_pdu, octets))
        return llc_pdu;
    uint32_t latest = t->llc.vur - 1;
    return decipher(t, llc_pdu, octets, llc.sapi, latest - (latest - llc.nu) % LLC_ENTITY_NU_MODULUS);
}
