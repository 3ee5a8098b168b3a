/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLC and SNDCP of a mobile, both directions, one NSAPI. In unacknowledged mode RLC delivers frames in order,
 * without those that the BSS discarded; an N-PDU with a missing segment is dropped when the gap shows. In
 * acknowledged mode frames are repeated until they have arrived (ms_link.h). N-PDUs are compressed by the
 * entities of ms_compression.h.
 */
#ifndef SIM_MS_STACK_H
#define SIM_MS_STACK_H

#include "dataplane/abm/link.h"
#include "dataplane/compression/compression.h"
#include "dataplane/context/llc.h"
#include "dataplane/crypto/gea.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MS_STACK_NPDU_OCTETS 1503
#define MS_STACK_LLC_OCTETS  1526

/* N-PDUs of a mobile that are not confirmed or not sent yet, in acknowledged mode. More would make two N-PDUs
 * of one number possible (SN_MOST_UNCONFIRMED). */
#define MS_STACK_QUEUE_NPDUS 127

/* Of acknowledged mode. */
struct ms_stack_counts {
    uint64_t established, failed;   /* links that opened; that N200, DM or FRMR ended */
    uint64_t sent_frames, repeated; /* I frames sent, repetitions included; those */
    uint64_t received_frames;       /* I frames with a right FCS */
    uint64_t again;                 /* of these, not needed: duplicates, or outside of the window */
    uint64_t npdus_again;           /* N-PDUs received whole before the link was established again */
    uint64_t renewed; /* times that it was established again because an N-PDU was not restored */
    uint64_t queue_full,
        abandoned; /* N-PDUs to be sent: refused; dropped because the link could not be had */
};

/* Settings of a mobile's layers that follow the SGSN's; all 0: LLC is unacknowledged, and N-PDUs are plain.
 */
struct ms_settings {
    bool has_link;                           /* LLC in acknowledged mode */
    struct link_values link;                 /* with has_link: what the mobile allows */
    struct compression_settings compression; /* that it offers; entities 0: none */
};

/* The offer of compression (ms_offer.h). */
enum ms_offer_state { MS_OFFER_NONE, MS_OFFER_DUE, MS_OFFER_ASKED, MS_OFFER_OVER };

struct ms_offer {
    uint8_t state; /* enum ms_offer_state */
    uint8_t tries;
    int64_t due_ns;
    uint64_t asked, unanswered; /* XID commands sent, repetitions included; offers given up */
    uint64_t accepted, refused; /* entities */
};

struct ms_compression;
struct ms_link;

struct ms_stack {
    uint32_t tlli;
    uint8_t sapi, nsapi;
    uint16_t n201_u;
    bool ignores_cr; /* the C/R bit of UI frames is not judged; osmo-sgsn 1.9 sends it as 0 */
    struct llc_entity llc;
    struct llc_key key;                 /* algorithm 0: no frame is ciphered, else every frame */
    const struct gea_engine *gea;       /* ciphers and deciphers; static */
    uint16_t next_number;               /* uplink N-PDU number */
    struct ms_link *link;               /* NULL: unacknowledged mode */
    struct ms_compression *compression; /* NULL: none */
    struct ms_offer offer;
    /* The N-PDU in reassembly, or the last whole one. */
    bool is_open;
    uint8_t next_segment;
    uint8_t comp; /* DCOMP << 4 | PCOMP */
    uint16_t number;
    uint16_t octets;
    uint8_t *n_pdu;      /* MS_STACK_NPDU_OCTETS, from the first N-PDU with several segments on */
    uint8_t *clear;      /* the last frame, deciphered, MS_STACK_LLC_OCTETS, from the first ciphered one on */
    uint64_t bad_frames; /* wrong FCS, another SAPI, format or ciphering, malformed SNDCP: a defect of the
                            sender */
    uint64_t holes;      /* N-PDUs with a missing segment */
    uint64_t lost;       /* N-PDUs that could not be decompressed */
    uint64_t llc_frames, npdus;
    struct ms_stack_counts counts;
};

typedef void ms_stack_send_fn(void *arg, const uint8_t *llc_pdu, size_t octets);

/* Switches to acknowledged mode with these bounds, or, with NULL, to unacknowledged mode. N-PDUs that are not
 * confirmed are dropped. The stack must not move afterwards. Ends the program when memory is short. */
void ms_stack_acknowledge(struct ms_stack *s, const struct link_values *most);

/* A context begins: its mode of LLC, and from `at_ns` on its offer. ms_stack_end(): it is over. */
void ms_stack_begin(struct ms_stack *s, const struct ms_settings *settings, int64_t at_ns);
void ms_stack_end(struct ms_stack *s);

/* Gives it memory for compression; entities come by ms_compression_set(). ms_offer_begin() does both. */
void ms_stack_compress(struct ms_stack *s, const struct compression_settings *settings);

/* Frees the memory; the stack must not be used afterwards. */
void ms_stack_fini(struct ms_stack *s);

/*
 * Receives a downlink LLC-PDU. Returns the N-PDU that it completes (in the stack or in the LLC-PDU itself,
 * valid until the next call and as long as that) with its octets and number, or NULL. One that is lost has
 * `number` of the stack. Ends the program when
 * memory is short.
 */
const uint8_t *ms_stack_receive(struct ms_stack *s, const uint8_t *llc_pdu, size_t octets,
                                size_t *n_pdu_octets, uint16_t *number, int64_t now);

/* The next N-PDU that the last LLC-PDU has completed, likewise: in acknowledged mode frames behind a gap
 * wait. */
const uint8_t *ms_stack_receive_more(struct ms_stack *s, size_t *n_pdu_octets, uint16_t *number, int64_t now);

/* Sends an uplink N-PDU: calls send() for each LLC-PDU that may leave now, in order. False: longer than SNDCP
 * carries, or the queue of acknowledged mode is full; not sent. */
bool ms_stack_send(struct ms_stack *s, const uint8_t *n_pdu, size_t octets, ms_stack_send_fn *send, void *arg,
                   int64_t now);

/* When ms_stack_step() is to be called: 0 after a receipt that makes it send something; MOMENT_NEVER. */
int64_t ms_stack_due_ns(const struct ms_stack *s);

/* The radio has not sent all of the mobile's LLC-PDUs: a timer that is due begins again, and does not count.
 * Before ms_stack_step(). */
void ms_stack_pause(struct ms_stack *s, int64_t now);

/* Handles timers that are due, and sends what may leave. */
void ms_stack_step(struct ms_stack *s, ms_stack_send_fn *send, void *arg, int64_t now);

/* XID Reset: N(U) and the overflow counter restart at 0 in both directions, the link is in ADM, and
 * compression is offered again. */
void ms_stack_reset(struct ms_stack *s, int64_t now);

#endif
