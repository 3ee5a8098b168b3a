/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/bss_account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_ciphered(const struct bss_account_tap *t, struct llc *llc, const uint8_t *llc_pdu,
                        size_t octets)
{
    return t->key.algorithm != 0 && llc_decode(llc, llc_pdu, octets) >= 0 && llc->format == LLC_UI && llc->e;
}

static const uint8_t *decipher(struct bss_account_tap *t, const uint8_t *llc_pdu, size_t octets, uint8_t sapi,
                               uint32_t count)
{
    size_t shown = octets < BSS_ACCOUNT_TAP_OCTETS ? octets : BSS_ACCOUNT_TAP_OCTETS;
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

const uint8_t *bss_account_tap_pass(struct bss_account_tap *t, const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    if (!is_ciphered(t, &llc, llc_pdu, octets))
        return llc_pdu;
    uint32_t count = llc_entity_count(&t->llc, llc.nu);
    llc_entity_accept(&t->llc, count);
    return decipher(t, llc_pdu, octets, llc.sapi, count);
}

const uint8_t *bss_account_tap_passed(struct bss_account_tap *t, const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    if (!is_ciphered(t, &llc, llc_pdu, octets))
        return llc_pdu;
    uint32_t latest = t->llc.vur - 1;
    return decipher(t, llc_pdu, octets, llc.sapi, latest - (latest - llc.nu) % LLC_ENTITY_NU_MODULUS);
}

void bss_account_fini(struct bss_account *a)
{
    for (unsigned i = 0; i < SNDCP_NPDU_MODULUS / BSS_ACCOUNT_CHUNK; i++)
        free(a->chunks[i]);
    *a = (struct bss_account){0};
}

static struct bss_account_numbers *chunk_of(struct bss_account *a, uint16_t number)
{
    struct bss_account_numbers **chunk = &a->chunks[number / BSS_ACCOUNT_CHUNK];
    if (!*chunk)
        *chunk = calloc(1, sizeof(**chunk));
    if (!*chunk) {
        fprintf(stderr, "gbflow: out of memory for the N-PDUs of a BSS\n");
        exit(1);
    }
    return *chunk;
}

static uint8_t *queued(struct bss_account *a, uint16_t number)
{
    return &chunk_of(a, number)->queued[number % BSS_ACCOUNT_CHUNK];
}

static bool is_dead(struct bss_account *a, uint16_t number)
{
    return chunk_of(a, number)->dead[number % BSS_ACCOUNT_CHUNK / 8] >> number % 8 & 1;
}

static void set_dead(struct bss_account *a, uint16_t number, bool dead)
{
    uint8_t *octet = &chunk_of(a, number)->dead[number % BSS_ACCOUNT_CHUNK / 8],
            bit = (uint8_t)(1 << number % 8);
    *octet = (uint8_t)(dead ? *octet | bit : *octet & ~bit);
}

static bool read_header(struct sndcp *sndcp, const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    int header = llc_decode(&llc, llc_pdu, octets);
    return header >= 0 && llc.format == LLC_UI && sndcp_decode(sndcp, llc_pdu + header, llc.info_octets) >= 0;
}

static void drop(struct bss_account *a, uint16_t number, enum bss_account_end end)
{
    if (*queued(a, number) == 0)
        return;
    (*queued(a, number))--;
    set_dead(a, number, true);
    a->dropped[end]++;
}

static bool is_i_frame(const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    return llc_decode(&llc, llc_pdu, octets) >= 0 && llc.format == LLC_I;
}

/* An I frame has left the BSS. */
static bool take_frame(struct bss_account *a, const uint8_t *llc_pdu, size_t octets)
{
    if (!is_i_frame(llc_pdu, octets) || a->queued_frames == 0)
        return false;
    a->queued_frames--;
    return true;
}

void bss_account_frame_delivered(struct bss_account *a, const uint8_t *llc_pdu, size_t octets)
{
    a->out += take_frame(a, llc_pdu, octets);
}

static void put_frame(struct bss_account *a, const uint8_t *llc_pdu, size_t octets)
{
    bool is_i = is_i_frame(llc_pdu, octets);
    a->in += is_i;
    a->queued_frames += is_i;
}

void bss_account_down(struct bss_account *a, const uint8_t *llc_pdu, size_t octets)
{
    struct sndcp sndcp;
    put_frame(a, llc_pdu, octets);
    if (!read_header(&sndcp, llc_pdu, octets))
        return;
    if (sndcp.first) {
        if (a->is_open && !is_dead(a, a->open_number))
            drop(a, a->open_number, BSS_ACCOUNT_INCOMPLETE);
        a->in++;
        (*queued(a, sndcp.n_pdu_number))++;
        set_dead(a, sndcp.n_pdu_number, false);
        a->open_number = sndcp.n_pdu_number;
        a->is_open = true;
    }
    if (!sndcp.more)
        a->is_open = false;
}

void bss_account_discard(struct bss_account *a, const uint8_t *llc_pdu, size_t octets,
                         enum bss_account_end end)
{
    struct sndcp sndcp;
    a->dropped[end] += take_frame(a, llc_pdu, octets);
    if (read_header(&sndcp, llc_pdu, octets) && (sndcp.first || !is_dead(a, sndcp.n_pdu_number)))
        drop(a, sndcp.n_pdu_number, end);
}

void bss_account_delivered(struct bss_account *a, uint16_t number)
{
    set_dead(a, number, false);
    if (*queued(a, number) == 0)
        return;
    (*queued(a, number))--;
    a->out++;
}

uint64_t bss_account_queued(const struct bss_account *a)
{
    uint64_t sum = a->queued_frames;
    for (unsigned chunk = 0; chunk < SNDCP_NPDU_MODULUS / BSS_ACCOUNT_CHUNK; chunk++)
        for (unsigned i = 0; a->chunks[chunk] && i < BSS_ACCOUNT_CHUNK; i++)
            sum += a->chunks[chunk]->queued[i];
    return sum;
}
