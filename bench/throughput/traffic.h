/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The downlink of many mobiles on Gn: which mobile is next, how long its N-PDU is, and the frame that
 * carries it (Ethernet, IPv4, UDP, GTP-U, and in it IPv4, UDP and octets of no meaning).
 *
 * Mobiles are drawn beforehand, alike or by Zipf's law (the k-th most popular one with a weight of k^-s),
 * popularity in no relation to place; the draws are used over and over.
 */
#ifndef BENCH_THROUGHPUT_TRAFFIC_H
#define BENCH_THROUGHPUT_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_TRAFFIC_FRAME_OCTETS 1600
#define BENCH_TRAFFIC_SIZES        3
#define BENCH_TRAFFIC_ADDRESS      0x64400000 /* of the first mobile; 100.64.0.0 */

struct bench_traffic_params {
    uint32_t mobiles;
    uint16_t octets; /* BENCH_PLAN_IMIX */
    double zipf;     /* 0: alike */
    unsigned worker; /* in TEIDs */
    bool is_foreign; /* TEIDs are small numbers */
    uint32_t sgsn_ip, ggsn_ip;
    uint8_t dst_mac[6], src_mac[6];
    uint64_t seed;
};

struct bench_traffic {
    struct bench_traffic_params params;
    uint32_t *draws, draw_mask, next;
    unsigned at; /* in the pattern of sizes */
    uint8_t frames[BENCH_TRAFFIC_SIZES][BENCH_TRAFFIC_FRAME_OCTETS];
    uint16_t frame_octets[BENCH_TRAFFIC_SIZES];
};

/* False without memory. */
bool bench_traffic_new(struct bench_traffic *t, const struct bench_traffic_params *params);
void bench_traffic_free(struct bench_traffic *t);

/* The TEID of a mobile's tunnel. */
uint32_t bench_traffic_teid(const struct bench_traffic_params *params, uint32_t mobile);

/* Writes the next frame; room for BENCH_TRAFFIC_FRAME_OCTETS. Returns its octets. */
uint16_t bench_traffic_put(struct bench_traffic *t, uint8_t *out);

/* Which of the sizes the next frame has; and LLC frames for an N-PDU of a size. */
unsigned bench_traffic_size(const struct bench_traffic *t);
unsigned bench_traffic_frames(const struct bench_traffic *t, unsigned size, uint16_t n201_u);

/* LLC frames for an N-PDU of so many octets. */
unsigned bench_traffic_frames_of(uint16_t octets, uint16_t n201_u);

/* Octets of an N-PDU on average, and of the LLC frames that carry it. */
double bench_traffic_mean_octets(uint16_t octets);
double bench_traffic_mean_llc_octets(uint16_t octets, uint16_t n201_u);

/* LLC frames for the longest N-PDU. */
unsigned bench_traffic_most_frames(uint16_t octets, uint16_t n201_u);

#endif
