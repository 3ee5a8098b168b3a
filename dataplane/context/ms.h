/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mobile: who it is, where it is, its queue and bucket, and the numbering of its LLC entities.
 *
 * Invariants: a mobile in use is in the list of exactly one cell; with own_flow the bucket's parameters come
 * from FLOW-CONTROL-MS, else they are the cell's defaults.
 */
#ifndef DATAPLANE_CONTEXT_MS_H
#define DATAPLANE_CONTEXT_MS_H

#include "dataplane/context/llc_entity.h"
#include "dataplane/queue/sched.h"

#define MS_NONE        UINT32_MAX
#define MS_IMSI_OCTETS 8  /* Mobile Identity value of 15 digits */
#define MS_SAPIS       6  /* 1, 3, 5, 7, 9, 11 */
#define MS_NSAPIS      16 /* 0..15, contexts on 5..15 */
#define MS_PDP_NONE    UINT32_MAX

struct ms {
    struct sched_ms sched;
    uint32_t tlli;
    uint16_t bvc; /* index of its cell */
    bool in_use;
    bool own_flow;
    uint8_t imsi_octets; /* 0: not known */
    uint8_t imsi[MS_IMSI_OCTETS];
    uint16_t n201_u;
    uint32_t prev_in_bvc, next_in_bvc;
    struct llc_entity llc[MS_SAPIS];
    uint32_t pdp[MS_NSAPIS]; /* index of the context on an NSAPI, MS_PDP_NONE */
};

struct ms_params {
    uint32_t tlli;
    uint16_t bvc;
    uint16_t n201_u;
    uint32_t queue_limit_octets;
    uint8_t imsi_octets;
    uint8_t imsi[MS_IMSI_OCTETS];
};

/* Index into ms.llc of a SAPI that carries users' packets or signalling (1, 3, 5, 7, 9, 11); -1 for the
 * others. */
int ms_sapi_index(uint8_t sapi);

/* Segmenting of N-PDUs at N201-U (TS 44.065 clause 6.7), with LLC's three header octets and FCS counted in.
 */
struct segmenting ms_segmenting(uint16_t n201_u);

#endif
