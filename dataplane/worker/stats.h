/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker counts. Written by the worker only; others may read single fields at any time.
 *
 * Invariants, between steps:
 *   gn_frames + gn_steered_in = npdu_in + frame drops among gn_drops + gn_merged + gn_held + gn_steered_out
 *   npdu_in + npdu_joined = npdu_out + N-PDU drops among gn_drops + queued + npdu_held + npdu_left
 *   gn_asked = gn_echo_responses + gn_error_indications + gn_extension_notices
 *            + gn_over_budget + gn_unanswerable + gn_answers_lost
 *   gb_frames + gb_steered_in + gb_returned = punted + ul_segments + ul_held + gb_steered_out
 *                                           + frame drops among gb_drops
 */
#ifndef DATAPLANE_WORKER_STATS_H
#define DATAPLANE_WORKER_STATS_H

#include "dataplane/base/drop.h"

#include <stdint.h>

struct worker_stats {
    uint64_t gn_frames;
    uint64_t gn_merged;      /* fragments that became part of a datagram whose last one is counted on */
    uint64_t gn_held;        /* fragments that wait for the rest of their datagram */
    uint64_t gn_steered_out; /* frames given to the worker that their TEID names */
    uint64_t gn_steered_in;  /* the same, received by others and given to us */
    uint64_t npdu_in;        /* G-PDUs to an address of ours */
    uint64_t npdu_left;      /* of mobiles of ours, sent on to the worker that serves them, and with them */
    uint64_t npdu_joined;    /* the same, to this worker; what has left and not joined is on its way */
    uint64_t npdu_held;      /* that wait for mobiles on the move */
    uint64_t npdu_out;       /* last segment handed to NS */
    uint64_t npdu_octets_out;
    uint64_t llc_frames;           /* DL LLC-PDUs of users' packets */
    uint64_t llc_orders;           /* DL LLC-PDUs that control had sent */
    uint64_t gn_asked;             /* messages on Gn that ask for an answer from the worker itself */
    uint64_t gn_echo_responses;    /* answers sent: to Echo Requests, */
    uint64_t gn_error_indications; /* to G-PDUs of unknown tunnels, */
    uint64_t gn_extension_notices; /* to extension headers that had to be understood */
    uint64_t gn_over_budget;       /* not sent: too many of them, */
    uint64_t gn_unanswerable;      /* longer than what asked, or to no address and port to answer to, */
    uint64_t gn_answers_lost;      /* no buffer, no room or no next hop */
    uint64_t gn_echo_requests;     /* of our own, sent; */
    uint64_t gn_echo_lost;         /* not sent: no buffer, no room or no next hop */
    uint64_t gn_echo_answered;     /* Echo Responses that were waited for, told to control */
    uint64_t gn_echo_unexpected;   /* others */
    uint64_t gn_cut;               /* datagrams that were sent in fragments, */
    uint64_t gn_cut_pieces;        /* and the fragments */
    uint64_t gn_tunnel_errors;     /* Error Indications about tunnels of ours, told to control */
    uint64_t gn_errors_elsewhere;  /* the same about tunnels that are not ours, but may be another worker's */
    uint64_t gb_frames;
    uint64_t gb_steered_out;     /* frames given to the worker that has their NS-VC */
    uint64_t gb_steered_in;      /* the same, received by others and given to us */
    uint64_t gb_returned;        /* punted before by whoever did not have their mobile */
    uint64_t gb_signalling_lost; /* frames of control's: too many waited for their part of the link's rate */
    uint64_t punted;             /* NS PDUs handed to control, LLC frames of its own and of unknown mobiles */
    uint64_t ul_llc_frames;
    uint64_t ul_guesses;           /* at an overflow counter that wraps nobody saw have moved on, */
    uint64_t ul_regained;          /* and those that were right */
    uint64_t ul_npdu_out;          /* reassembled and sent towards the GGSN */
    uint64_t ul_segments;          /* SNDCP segments that are in those */
    uint64_t ul_held;              /* segments that wait for the rest of their N-PDU */
    uint64_t trace_lost;           /* events for which the trace had no room */
    uint64_t gn_drops[DROP_COUNT]; /* of frames from Gn, and of downlink N-PDUs */
    uint64_t gb_drops[DROP_COUNT]; /* of frames from Gb */
};

#endif
