/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLC (unacknowledged mode) and SNDCP of a mobile, both directions, one NSAPI. RLC delivers frames in order,
 * without those that the BSS discarded; an N-PDU with a missing segment is dropped when the gap shows.
 */
#ifndef SIM_MS_STACK_H
#define SIM_MS_STACK_H

#include "dataplane/context/llc.h"
#include "dataplane/crypto/gea.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MS_STACK_NPDU_OCTETS 1503
#define MS_STACK_LLC_OCTETS  1526

struct ms_stack {
    uint32_t tlli;
    uint8_t sapi, nsapi;
    uint16_t n201_u;
    bool ignores_cr; /* the C/R bit of UI frames is not judged; osmo-sgsn 1.9 sends it as 0 */
    struct llc_entity llc;
    struct llc_key key;           /* algorithm 0: no frame is ciphered, else every frame */
    const struct gea_engine *gea; /* ciphers and deciphers; static */
    uint16_t next_number;         /* uplink N-PDU number */
    /* The N-PDU in reassembly, or the last whole one. */
    bool is_open;
    uint8_t next_segment;
    uint16_t number;
    uint16_t octets;
    uint8_t *n_pdu;      /* MS_STACK_NPDU_OCTETS, from the first N-PDU with several segments on */
    uint8_t *clear;      /* the last frame, deciphered, MS_STACK_LLC_OCTETS, from the first ciphered one on */
    uint64_t bad_frames; /* wrong FCS, another SAPI, format or ciphering, malformed SNDCP: a defect of the
                            sender */
    uint64_t holes;      /* N-PDUs with a missing segment */
    uint64_t llc_frames, npdus;
};

/* Frees the memory; the stack must not be used afterwards. */
void ms_stack_fini(struct ms_stack *s);

/*
 * Receives a downlink LLC-PDU. Returns the N-PDU that it completes (in the stack or in the LLC-PDU itself,
 * valid until the next call and as long as that) with its octets and number, or NULL. Ends the program when
 * memory is short.
 */
const uint8_t *ms_stack_receive(struct ms_stack *s, const uint8_t *llc_pdu, size_t octets,
                                size_t *n_pdu_octets, uint16_t *number);

/* Sends an uplink N-PDU: calls send() for each LLC-PDU, in order. False: longer than SNDCP carries; not sent.
 */
bool ms_stack_send(struct ms_stack *s, const uint8_t *n_pdu, size_t octets,
                   void (*send)(void *arg, const uint8_t *llc_pdu, size_t octets), void *arg);

#endif
