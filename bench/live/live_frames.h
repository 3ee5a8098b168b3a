/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames that the far ends of a live node send: what brings Gb up, announcements of mobiles' buckets, users'
 * packets, and a flood of PDUs that ask for nothing. One NSE with NSEI and NSVCI 101, one cell with BVCI
 * 1800, TLLIs, TEIDs and addresses that count up.
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

/* What a BSS sends to come up, in order, and the first octets of the NS PDU that answers it. */
struct live_frames_step {
    struct live_frame frame;
    uint8_t answer[9], answer_octets;
};
void live_frames_steps(struct live_frames_step out[LIVE_FRAMES_STEPS]);

void live_frames_alive_ack(struct live_frame *out);

/* FLOW-CONTROL-MS; is_open: a bucket that holds nothing back, else one that lets nothing through. */
void live_frames_flow(struct live_frame *out, uint32_t mobile, uint8_t tag, bool is_open);

/* The same once more for another mobile, in a frame that live_frames_flow() made. */
void live_frames_flow_again(uint8_t *bytes, uint32_t mobile, uint8_t tag);

/* An N-PDU of 40 octets whose last four are a number. */
void live_frames_user(struct live_frame *out, uint32_t mobile, uint32_t number);
void live_frames_user_again(uint8_t *bytes, uint32_t mobile, uint32_t number);

/* The number at the end of an N-PDU in a frame that the node sent on Gb. */
uint32_t live_frames_number(const uint8_t *bytes, size_t octets);

/* Malformed and unknown NS and BSSGP PDUs, none of which has anything done; how many. */
unsigned live_frames_floods(struct live_frame out[LIVE_FRAMES_FLOODS_MAX]);

/* A node's configuration with so many mobiles, between devices of rings; worker on that CPU. False: it could
 * not be written. */
struct live_frames_node {
    const char *path, *prefix;
    uint32_t mobiles;
    unsigned core;
    bool is_polling;
};
bool live_frames_write_node(const struct live_frames_node *node);

#endif
