/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile's stack in acknowledged mode against an SGSN's side of the link, over a channel that loses frames.
 * N-PDUs are known by their number and way. */
#ifndef TESTS_UNIT_SIM_ABM_WORLD_H
#define TESTS_UNIT_SIM_ABM_WORLD_H

#include "dataplane/abm/link.h"
#include "dataplane/base/rng.h"
#include "dataplane/compression/compression_pool.h"
#include "sim/ms_stack.h"

#define MS INT64_C(1000000)

enum {
    SAPI = 3,
    NSAPI = 5,
    MOST_NPDUS = 400,
    FRAME_OCTETS = 1600,
    MOST_FRAMES = 1024,
    DELAY_MS = 100,
    IOV_UI = 77,
    ROOM = 128,
    IP_TCP = 40
};

struct frame {
    int64_t at_ns;
    size_t octets;
    uint8_t bytes[FRAME_OCTETS];
};

struct channel {
    struct frame *frames;
    unsigned first, count;
};

/* The SGSN's side. */
struct network {
    struct link link;
    struct link_kind kind;
    struct abm_sent sent[128];
    void *stored[128];
    struct n_pdu n_pdus[MOST_NPDUS];
    int references[MOST_NPDUS];
    unsigned taken;                            /* uplink N-PDUs */
    uint8_t room[ROOM + MS_STACK_NPDU_OCTETS]; /* the one in reassembly, behind ROOM */
    size_t octets;
    uint8_t comp;
    struct compression_entity *entity; /* NULL: no compression */
    struct compression_pool pool;
    struct compression_scratch scratch;
    uint8_t *whole[MOST_NPDUS]; /* of N-PDUs that are compressed */
    uint64_t packed;
    uint32_t iov;
    unsigned repeated;
};

struct world {
    struct ms_stack stack;
    struct network net;
    struct channel up, down;
    struct rng rng;
    uint32_t loss_ppm;
    int64_t now;
    unsigned taken; /* downlink N-PDUs */
    unsigned lost;
    bool is_lost_up; /* all uplink frames */
    uint64_t hash;   /* of all frames */
};

extern const struct link_values world_bounds;

void world_begin(struct world *w, uint8_t algorithm, uint32_t loss_ppm, uint64_t seed);
void world_end(struct world *w);

/* Both sides compress headers, or data, from now on. */
void world_compress(struct world *w);
void world_compress_data(struct world *w);

/* The octets of an N-PDU: TCP over IPv4 where there is room for it. */
void world_fill(uint8_t *bytes, size_t octets, bool is_down, unsigned number);

void world_put_down(struct world *w, unsigned number);
bool world_put_up(struct world *w, unsigned number);

/* Runs until nothing is due before `until_ns`. */
void world_run(struct world *w, int64_t until_ns);

/* Gives a frame to the mobile, whose N-PDUs are checked. */
void world_deliver(struct world *w, const struct frame *frame);

#endif
