/* SPDX-License-Identifier: BSD-3-Clause */
/* The gb_rx*.c files only: LLC-PDUs of a burst, and the checks of each. */
#ifndef DATAPLANE_WORKER_GB_RX_PARTS_H
#define DATAPLANE_WORKER_GB_RX_PARTS_H

#include "dataplane/base/drop.h"
#include "dataplane/wire/llc.h"
#include "dataplane/worker/cipher.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include <stdbool.h>
#include <stdint.h>

/* An LLC-PDU between its frame and SNDCP. */
struct incoming {
    struct rte_mbuf *mbuf;
    struct ms *ms;
    struct llc_entity *entity; /* of a UI frame */
    uint8_t *frame;            /* its first octet */
    struct llc llc;
    uint32_t index;        /* of the mobile */
    uint32_t tlli;         /* in its UL-UNITDATA */
    struct msg_heard from; /* the cell that it came from */
    bool is_elsewhere;     /* that is not the mobile's cell */
    bool is_unprotected;   /* a UI frame of GMM in clear, though ciphering is on */
    bool is_newest;        /* a UI frame whose N(U) is the highest received */
    uint32_t count;        /* with which it was deciphered, see llc_entity.h */
};

/* The LLC-PDUs of one burst, and the jobs of the ciphered ones. */
struct batch {
    unsigned count;
    bool has_guessed;
    struct incoming in[WORKER_BURST];
    struct cipher cipher;
};

/* Adds the job of a UI frame, whose header was read. */
enum drop gb_rx_llc_prepare(struct batch *batch, struct incoming *in);

/* Tests an LLC-PDU after deciphering, and whether its N(U) is new. */
enum drop gb_rx_llc_judge(struct worker *w, struct batch *batch, struct incoming *in);

/*
 * Whether an LLC-PDU that was found right shows where the mobile is: if the mobile is ciphered, only a
 * ciphered UI frame does; and a UI frame only with the highest N(U) received, since an earlier one may have
 * been recorded or delayed. Without ciphering the FCS is all there is.
 */
bool gb_rx_llc_is_proof(const struct incoming *in);

/* The reason to count for a frame that was dropped for `reason`: another one if it came from elsewhere. */
enum drop gb_rx_llc_reason(const struct incoming *in, enum drop reason);

#endif
