/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mobile between radio and IP: LLC in unacknowledged mode and SNDCP, both directions, one NSAPI. Frames
 * come in order and without loss from RLC, except those that the BSS threw away; an N-PDU with a hole is
 * dropped when the hole shows.
 */
#ifndef SIM_MS_STACK_H
#define SIM_MS_STACK_H

#include "dataplane/context/llc_cipher.h"
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
    struct llc_entity llc;
    struct llc_key key;           /* algorithm 0: nothing is ciphered, else everything */
    const struct gea_engine *gea; /* for it; static */
    uint16_t next_number;         /* uplink N-PDU number */
    /* The N-PDU that is being put together. */
    bool is_open;
    uint8_t next_segment;
    uint16_t number;
    uint16_t octets;
    uint8_t n_pdu[MS_STACK_NPDU_OCTETS];
    uint8_t clear[MS_STACK_LLC_OCTETS]; /* the last frame, deciphered */
    uint64_t
        bad_frames; /* wrong FCS, another SAPI, format or ciphering, malformed SNDCP: a defect of somebody */
    uint64_t holes; /* N-PDUs of which a segment never came */
    uint64_t llc_frames, npdus;
};

/*
 * A downlink LLC-PDU. Returns the N-PDU that it completes (points into the stack, until the next call) and
 * its octets and number, or NULL.
 */
const uint8_t *ms_stack_receive(struct ms_stack *s, const uint8_t *llc_pdu, size_t octets,
                                size_t *n_pdu_octets, uint16_t *number);

/* An uplink N-PDU as LLC-PDUs: send() takes each, in order. Longer ones than SNDCP carries are not sent:
 * false. */
bool ms_stack_send(struct ms_stack *s, const uint8_t *n_pdu, size_t octets,
                   void (*send)(void *arg, const uint8_t *llc_pdu, size_t octets), void *arg);

#endif
