/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC of frames from the BSS: the LLC-PDUs of a burst, before the burst is deciphered and behind it. */
#ifndef DATAPLANE_WORKER_GB_RX_LLC_H
#define DATAPLANE_WORKER_GB_RX_LLC_H

#include "dataplane/worker/punts.h"
#include "dataplane/worker/worker.h"

#include "dataplane/memory/pool.h"
#include "dataplane/wire/llc.h"

#include <stdbool.h>
#include <stdint.h>

/* An LLC-PDU between its frame and SNDCP. */
struct gb_rx_llc {
    struct rte_mbuf *mbuf;
    struct ms *ms;
    struct llc_entity *entity; /* of a UI frame */
    struct gb_abm_link *link;  /* of an I, S or U frame; NULL: none */
    struct llc_abm abm;        /* of an I or S frame with a link */
    uint8_t *frame;            /* its first octet */
    struct llc llc;
    uint32_t index;        /* of the mobile */
    uint32_t tlli;         /* in its UL-UNITDATA */
    struct msg_heard from; /* the cell that it came from */
    bool is_elsewhere;     /* that is not the mobile's cell */
    bool is_unprotected;   /* a UI frame of GMM in clear, though ciphering is on */
    bool is_newest;        /* a UI frame whose N(U) is the highest received */
    bool is_restarted;     /* struct msg_llc */
    uint32_t count;        /* with which it was deciphered, see llc.h */
};

/* The LLC-PDUs of one burst, and the jobs of the ciphered ones. */
struct gb_rx_batch {
    unsigned count;
    bool has_guessed;
    struct gb_rx_llc in[WORKER_BURST];
    struct cipher cipher;
};

/* Sets the buffer's data to octets at bytes. */
static inline void gb_rx_llc_cut(struct rte_mbuf *mbuf, const uint8_t *bytes, size_t octets)
{
    mbuf->data_off = (uint16_t)(bytes - (const uint8_t *)mbuf->buf_addr);
    mbuf->data_len = (uint16_t)octets;
    mbuf->pkt_len = mbuf->data_len;
}

/* DROP_NONE: another one owns the frame. */
static inline void gb_rx_llc_drop(struct worker *w, struct rte_mbuf *mbuf, enum drop reason, int64_t now)
{
    if (reason != DROP_NONE)
        punts_drop(w, MSG_PORT_GB, mbuf, reason, now);
}

/* Reads the LLC header of in->frame, which has `octets`, of the known mobile in->index; adds the frame, which
 * is the next one of the batch, and its job if it is ciphered. */
enum drop gb_rx_llc_add(struct worker *w, struct gb_rx_batch *batch, struct gb_rx_llc *in, size_t octets);

/* Tests a deciphered frame, and whether its N(U) is new; one that is right may tell the mobile's cell. */
enum drop gb_rx_llc_judge(struct worker *w, struct gb_rx_batch *batch, struct gb_rx_llc *in, int64_t now);

static inline bool gb_rx_llc_is_signalling(const struct llc *llc)
{
    return llc->format == LLC_UI && (llc->sapi == LLC_SAPI_GMM || llc->sapi == LLC_SAPI_SMS);
}

#endif
