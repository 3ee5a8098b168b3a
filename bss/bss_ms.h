/* SPDX-License-Identifier: BSD-3-Clause */
/* The mobiles of a BSS: paging, changes of cell with FLUSH-LL, and suspension by a circuit-switched call. */
#ifndef BSS_BSS_MS_H
#define BSS_BSS_MS_H

#include "bss/bss.h"

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
    void (*on_resumed)(void *arg, uint32_t tlli, bool has_resumed);
    /* A DL-UNITDATA names the TLLI that the mobile had before (TS 48.018 clause 10.2.1): it may not know the
     * other one yet. May be NULL. */
    void (*on_renamed)(void *arg, uint32_t tlli, uint32_t tlli_old);
};

/**
 * A mobile changes from one cell to another; both must exist. Downlink LLC-PDUs in the old cell wait there
 * for FLUSH-LL; uplink LLC-PDUs not yet sent are sent in the new cell. The SGSN learns of the change from the
 * next uplink LLC-PDU.
 */
void bss_ms_move(struct bss *bss, uint32_t tlli, uint16_t from, uint16_t to, int64_t now);

/**
 * A mobile is no longer in a cell: neither way carries anything until bss_ms_move() or bss_ms_return().
 * LLC-PDUs of both ways wait. The SGSN does not learn of it.
 */
void bss_ms_leave(struct bss *bss, uint32_t tlli, uint16_t from);

/** A mobile that bss_ms_leave() took out of a cell is in it again; without effect on one that is there. */
void bss_ms_return(struct bss *bss, uint32_t tlli, uint16_t to, int64_t now);

/** As bss_ms_move(), to a cell of another BSS. */
void bss_ms_hand_over(struct bss *bss, uint32_t tlli, uint16_t from, struct bss *to_bss, uint16_t to,
                      int64_t now);

/**
 * A mobile that has left a cell for another SGSN: drops its downlink LLC-PDUs there, as FLUSH-LL without a
 * new cell does; and its uplink ones, whose number is returned.
 */
void bss_ms_drop_down(struct bss *bss, uint32_t tlli, uint16_t from, int64_t now);
uint64_t bss_ms_drop_up(struct bss *bss, uint32_t tlli, uint16_t from, int64_t now);

/**
 * A circuit-switched call takes a mobile of that cell off GPRS: bss_ms_leave(), and SUSPEND to the SGSN. Its
 * end is bss_ms_resume(): bss_ms_return(), and RESUME with the reference of SUSPEND-ACK. Without that:
 * bss_ms_return().
 */
void bss_ms_suspend(struct bss *bss, uint32_t tlli, uint16_t bvci);
void bss_ms_resume(struct bss *bss, uint32_t tlli, uint16_t bvci, uint8_t reference, int64_t now);

struct bssgp;
struct ie_span;

/** Handles a PDU about paging or suspension. False: about neither, or the BSS has no bss_ops.ms. */
bool bss_ms_rx(const struct bss *bss, const struct bssgp *pdu);

enum { BSS_MS_FLUSH_DELETED = 0, BSS_MS_FLUSH_TRANSFERRED = 1 };

/** Handles FLUSH-LL; sdu: its octets. */
void bss_ms_flush(struct bss *bss, const struct bssgp *pdu, const struct ie_span *sdu, int64_t now);

#endif
