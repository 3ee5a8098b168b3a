/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/bss_account.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <stdbool.h>

enum state { ABSENT, QUEUED, DEAD };

void bss_account_init(struct bss_account *a)
{
    *a = (struct bss_account){.open_number = -1};
}

const char *bss_account_name(enum bss_account_end end)
{
    static const char *const names[BSS_ACCOUNT_ENDS] = {
        [BSS_ACCOUNT_LIFETIME] = "lifetime",
        [BSS_ACCOUNT_FULL] = "queue_full",
        [BSS_ACCOUNT_OTHER] = "other",
        [BSS_ACCOUNT_INCOMPLETE] = "incomplete",
    };
    return names[end];
}

static bool read_header(struct sndcp *sndcp, const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    int header = llc_decode(&llc, llc_pdu, octets);
    return header >= 0 && llc.format == LLC_UI && sndcp_decode(sndcp, llc_pdu + header, llc.info_octets) >= 0;
}

static void drop(struct bss_account *a, uint16_t number, enum bss_account_end end)
{
    if (a->state[number] != QUEUED)
        return;
    a->state[number] = DEAD;
    a->dropped[end]++;
}

void bss_account_down(struct bss_account *a, const uint8_t *llc_pdu, size_t octets)
{
    struct sndcp sndcp;
    if (!read_header(&sndcp, llc_pdu, octets))
        return;
    if (sndcp.first) {
        if (a->open_number >= 0)
            drop(a, (uint16_t)a->open_number, BSS_ACCOUNT_INCOMPLETE);
        a->in++;
        a->state[sndcp.n_pdu_number] = QUEUED;
        a->open_number = sndcp.n_pdu_number;
    }
    if (!sndcp.more)
        a->open_number = -1;
}

void bss_account_discard(struct bss_account *a, const uint8_t *llc_pdu, size_t octets,
                         enum bss_account_end end)
{
    struct sndcp sndcp;
    if (read_header(&sndcp, llc_pdu, octets))
        drop(a, sndcp.n_pdu_number, end);
}

void bss_account_delivered(struct bss_account *a, uint16_t number)
{
    if (a->state[number] == QUEUED)
        a->out++;
    a->state[number] = ABSENT;
}

uint64_t bss_account_queued(const struct bss_account *a)
{
    uint64_t queued = 0;
    for (unsigned i = 0; i < sizeof(a->state); i++)
        queued += a->state[i] == QUEUED;
    return queued;
}
