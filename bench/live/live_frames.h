/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames that BSS and GGSN of a live node send: the PDUs that bring Gb up, announcements of mobiles' buckets,
 * users' packets, and a flood of PDUs without effect. One NSE with NSEI and NSVCI 101, one cell with BVCI
 * 1800; TLLIs, TEIDs and addresses increment.
 */
#ifndef BENCH_LIVE_LIVE_FRAMES_H
#define BENCH_LIVE_LIVE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVE_FRAMES_OCTETS     160
#define LIVE_FRAMES_STEPS      6
#define LIVE_FRAMES_NS_OFFSET  42 /* of the NS PDU in a frame of Gb over IPv4 */
#define LIVE_FRAMES_BVCI       1800
#define LIVE_FRAMES_TLLI       0xc0000000
#define LIVE_FRAMES_TEID       0x1000
#define LIVE_FRAMES_FLOODS_MAX 160

struct live_frame {
    uint16_t octets;
    uint8_t bytes[LIVE_FRAMES_OCTETS];
};

/* A PDU that the BSS sends to come up, and the first octets of the NS PDU that answers it. */
struct live_frames_step {
    struct live_frame frame;
    uint8_t answer[9], answer_octets;
};
void live_frames_steps(struct live_frames_step out[LIVE_FRAMES_STEPS]);

void live_frames_alive_ack(struct live_frame *out);

/* FLOW-CONTROL-MS; is_open: a bucket that never limits, else one that stays closed. */
void live_frames_flow(struct live_frame *out, uint32_t mobile, uint8_t tag, bool is_open);

/* Rewrites a frame of live_frames_flow() for another mobile. */
void live_frames_flow_again(uint8_t *bytes, uint32_t mobile, uint8_t tag);

/* An N-PDU of 40 octets whose last four are a number. */
void live_frames_user(struct live_frame *out, uint32_t mobile, uint32_t number);
void live_frames_user_again(uint8_t *bytes, uint32_t mobile, uint32_t number);

/* The number at the end of an N-PDU in a frame that the node sent on Gb. */
uint32_t live_frames_number(const uint8_t *bytes, size_t octets);

/* Malformed and unknown NS and BSSGP PDUs without effect; returns how many. */
unsigned live_frames_floods(struct live_frame out[LIVE_FRAMES_FLOODS_MAX]);

/* Writes a node's configuration with `mobiles` mobiles, ring devices as ports and the worker on CPU `core`.
 * False: it could not be written. */
struct live_frames_node {
    const char *path, *prefix;
    uint32_t mobiles;
    unsigned core;
    bool is_polling;
};
bool live_frames_write_node(const struct live_frames_node *node);

#endif
