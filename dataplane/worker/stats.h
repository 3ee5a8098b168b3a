/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker counts. Written by the worker only; others may read single fields at any time.
 *
 * Invariants, between steps:
 *   gn_frames = npdu_in + frame drops among gn_drops + gn_merged + gn_held
 *   npdu_in = npdu_out + N-PDU drops among gn_drops + queued
 *   gn_asked = gn_echo_responses + gn_error_indications + gn_extension_notices
 *            + gn_over_budget + gn_unanswerable + gn_answers_lost
 *   gb_frames = punted + ul_segments + ul_held + frame drops among gb_drops
 */
#ifndef DATAPLANE_WORKER_STATS_H
#define DATAPLANE_WORKER_STATS_H

#include "dataplane/base/drop.h"

#include <stdint.h>

struct worker_stats {
    uint64_t gn_frames;
    uint64_t gn_merged; /* fragments that became part of a datagram whose last one is counted on */
    uint64_t gn_held;   /* fragments that wait for the rest of their datagram */
    uint64_t npdu_in;   /* G-PDUs to an address of ours */
    uint64_t npdu_out;  /* last segment handed to NS */
    uint64_t npdu_octets_out;
    uint64_t llc_frames;           /* DL LLC-PDUs */
    uint64_t gn_asked;             /* messages on Gn that ask for an answer from the worker itself */
    uint64_t gn_echo_responses;    /* answers sent: to Echo Requests, */
    uint64_t gn_error_indications; /* to G-PDUs of unknown tunnels, */
    uint64_t gn_extension_notices; /* to extension headers that had to be understood */
    uint64_t gn_over_budget;       /* not sent: too many of them, */
    uint64_t gn_unanswerable;      /* longer than what asked, or to no address and port to answer to, */
    uint64_t gn_answers_lost;      /* no buffer or no room */
    uint64_t gn_tunnel_errors;     /* Error Indications about tunnels of ours, told to control */
    uint64_t gb_frames;
    uint64_t punted; /* NS PDUs handed to control */
    uint64_t ul_llc_frames;
    uint64_t ul_npdu_out;          /* reassembled and sent towards the GGSN */
    uint64_t ul_segments;          /* SNDCP segments that are in those */
    uint64_t ul_held;              /* segments that wait for the rest of their N-PDU */
    uint64_t trace_lost;           /* events for which the trace had no room */
    uint64_t gn_drops[DROP_COUNT]; /* of frames from Gn, and of downlink N-PDUs */
    uint64_t gb_drops[DROP_COUNT]; /* of frames from Gb */
};

#endif
