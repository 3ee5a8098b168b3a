/* SPDX-License-Identifier: BSD-3-Clause */
/* Paging of mobiles, and mobiles that a circuit-switched call suspends. */
#ifndef BSS_BSS_MS_H
#define BSS_BSS_MS_H

#include "bss/bss.h"

/** How often and for how long in all calls held every PDCH of the cell. */
struct bss_calls_stats bss_calls_stats_get(const struct bss *bss, uint16_t bvci, int64_t now);

/* PAGING-PS, in one cell. */
struct bss_page {
    uint16_t bvci;
    bool has_tmsi;
    uint32_t tmsi;       /* P-TMSI */
    const uint8_t *imsi; /* as a mobile identity */
    size_t imsi_octets;
};

/* As struct bss_ops, whose arg they get. Lives as long as the BSS. */
struct bss_ms_ops {
    /* The SGSN pages a mobile in a cell that is up; once for each such cell. */
    void (*on_page)(void *arg, const struct bss_page *page);
    /* SUSPEND-ACK with its Suspend Reference Number. */
    void (*on_suspended)(void *arg, uint32_t tlli, uint8_t reference);
    /* RESUME-ACK or RESUME-NACK. */
    void (*on_resumed)(void *arg, uint32_t tlli, bool is_acknowledged);
};

/**
 * A circuit-switched call takes a mobile of that cell off GPRS: bss_leave(), and SUSPEND to the SGSN. Its end
 * is bss_resume(): bss_return(), and RESUME with the reference of SUSPEND-ACK. Without that: bss_return().
 */
void bss_suspend(struct bss *bss, uint32_t tlli, uint16_t bvci);
void bss_resume(struct bss *bss, uint32_t tlli, uint16_t bvci, uint8_t reference, int64_t now);

#endif
