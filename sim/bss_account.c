/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/bss_account.h"

#include "dataplane/wire/llc.h"

static bool read_header(struct sndcp *sndcp, const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    int header = llc_decode(&llc, llc_pdu, octets);
    return header >= 0 && llc.format == LLC_UI && sndcp_decode(sndcp, llc_pdu + header, llc.info_octets) >= 0;
}

static void drop(struct bss_account *a, uint16_t number, enum bss_account_end end)
{
    if (a->queued[number] == 0)
        return;
    a->queued[number]--;
    a->is_dead[number] = true;
    a->dropped[end]++;
}

void bss_account_down(struct bss_account *a, const uint8_t *llc_pdu, size_t octets)
{
    struct sndcp sndcp;
    if (!read_header(&sndcp, llc_pdu, octets))
        return;
    if (sndcp.first) {
        if (a->is_open && !a->is_dead[a->open_number])
            drop(a, a->open_number, BSS_ACCOUNT_INCOMPLETE);
        a->in++;
        a->queued[sndcp.n_pdu_number]++;
        a->is_dead[sndcp.n_pdu_number] = false;
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
    if (read_header(&sndcp, llc_pdu, octets) && (sndcp.first || !a->is_dead[sndcp.n_pdu_number]))
        drop(a, sndcp.n_pdu_number, end);
}

void bss_account_delivered(struct bss_account *a, uint16_t number)
{
    a->is_dead[number] = false;
    if (a->queued[number] == 0)
        return;
    a->queued[number]--;
    a->out++;
}

uint64_t bss_account_queued(const struct bss_account *a)
{
    uint64_t queued = 0;
    for (unsigned i = 0; i < SNDCP_NPDU_MODULUS; i++)
        queued += a->queued[i];
    return queued;
}
