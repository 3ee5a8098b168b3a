/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames from Gb: users' LLC-PDUs become G-PDUs to their GGSN, all other PDUs are punted to control. Uplink
 * has no scheduler.
 */
#ifndef DATAPLANE_WORKER_GB_RX_H
#define DATAPLANE_WORKER_GB_RX_H

#include "dataplane/base/drop.h"
#include "dataplane/wire/llc.h"
#include "dataplane/worker/gb_tx.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include <stdbool.h>
#include <stdint.h>

/* The gb_rx*.c files only: LLC-PDUs of a burst, and the checks of each. */

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
    uint32_t count;        /* with which it was deciphered, see llc.h */
};

/* The LLC-PDUs of one burst, and the jobs of the ciphered ones. */
struct batch {
    unsigned count;
    bool has_guessed;
    struct incoming in[WORKER_BURST];
    struct cipher cipher;
};

struct rte_mbuf;
struct worker;

/* Receives one burst; returns the number of frames. */
unsigned gb_rx_receive(struct worker *w, int64_t now);

/* Handles at most WORKER_BURST frames of this worker's NS-VCs that another worker received; takes ownership.
 * */
void gb_rx_take_steered(struct worker *w, struct rte_mbuf *const *frames, unsigned count, int64_t now);

#endif
