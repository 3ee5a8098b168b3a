/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables with two NSEs of two NS-VCs each, a cell on each NSE (BVCI 7 and 8), all usable, and no mobiles. */
#ifndef TESTS_UNIT_DATAPLANE_CONTEXT_RIG_H
#define TESTS_UNIT_DATAPLANE_CONTEXT_RIG_H

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/context/context.h"
#include "tests/unit/unit.h"

#define RIG_NSES    2
#define RIG_NSVCS   5
#define RIG_BVCS    3
#define RIG_MOBILES 4
#define RIG_PDPS    6
#define RIG_N_PDUS  64

struct rig {
    struct context c;
    int64_t now;
    struct n_pdu n_pdus[RIG_N_PDUS];
    unsigned used;
};

void rig_open(struct rig *rig);
/* The same; has_elements: with a table of elements of DL-UNITDATA. */
void rig_open_with(struct rig *rig, bool has_elements);
/* With a policy of the caller's. */
void rig_open_policy(struct rig *rig, const struct context_policy *policy, bool has_elements);
void rig_close(struct rig *rig);

/* Whether a cell may send. */
bool rig_is_usable(const struct rig *rig, uint16_t bvc);

/* LLC-DISCARDED of a mobile in its cell. */
int rig_discard(struct rig *rig, uint32_t ms, uint64_t octets);

/* A flow without a ratio. */
struct gb_flow rig_flow(uint64_t octets, uint64_t rate_bps, uint64_t ms_octets, uint64_t ms_rate_bps);

/* What a mobile and a context of it are made of. */
struct ms_params rig_ms(uint16_t bvc, uint32_t tlli);
struct pdp_params rig_pdp(uint32_t ms, uint8_t nsapi);

/* Queues an N-PDU of a context; it stays the rig's. */
void rig_put(struct rig *rig, uint32_t ms, uint32_t pdp, uint16_t octets);

/* The same of an N-PDU like this one. */
void rig_put_of(struct rig *rig, uint32_t ms, struct n_pdu what);

/* Takes LLC-PDUs until none goes; how many. */
unsigned rig_send(struct rig *rig);

/* Takes the dropped N-PDUs; how many, and that all have this reason. */
unsigned rig_dropped(struct rig *rig, enum drop reason);

#endif
