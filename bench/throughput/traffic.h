/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The downlink traffic of many mobiles on Gn: the mobile of each N-PDU, the N-PDU's size, and the frame
 * (Ethernet, IPv4, UDP, GTP-U, and as N-PDU IPv4, UDP and padding).
 *
 * Mobiles are drawn in advance, uniformly or by Zipf's law (weight k^-s for the k-th most popular one; the
 * order of popularity is random), and the list of draws is repeated.
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
    double zipf;     /* exponent; 0: uniform */
    unsigned worker; /* number in the TEIDs */
    uint32_t first;  /* number of the first of these mobiles in the worker's tables, */
    uint32_t slots;  /* which have so many */
    bool is_foreign; /* TEIDs are 1, 2, ... */
    uint32_t sgsn_ip, ggsn_ip;
    uint8_t dst_mac[6], src_mac[6];
    uint64_t seed;
};

struct bench_traffic {
    struct bench_traffic_params params;
    uint32_t *draws, draw_mask, next;
    unsigned at; /* position in the pattern of sizes */
    uint8_t frames[BENCH_TRAFFIC_SIZES][BENCH_TRAFFIC_FRAME_OCTETS];
    uint16_t frame_octets[BENCH_TRAFFIC_SIZES];
};

/* False: out of memory. */
bool bench_traffic_new(struct bench_traffic *t, const struct bench_traffic_params *params);
void bench_traffic_free(struct bench_traffic *t);

/* All frames go to this MAC address from now on. */
void bench_traffic_address(struct bench_traffic *t, const uint8_t mac[6]);

/* The TEID of a mobile's tunnel, by the mobile's number in the worker's tables. */
uint32_t bench_traffic_teid(const struct bench_traffic_params *params, uint32_t mobile);

/* Writes the next frame into BENCH_TRAFFIC_FRAME_OCTETS. Returns its octets. */
uint16_t bench_traffic_put(struct bench_traffic *t, uint8_t *out);

/* The size, as an index, of the next frame; the number of LLC frames of an N-PDU of a size. */
unsigned bench_traffic_size(const struct bench_traffic *t);
unsigned bench_traffic_frames(const struct bench_traffic *t, unsigned size, uint16_t n201_u);

/* The number of LLC frames of an N-PDU of `octets`. */
unsigned bench_traffic_frames_of(uint16_t octets, uint16_t n201_u);

/* Mean octets of the LLC frames that carry an N-PDU. */
double bench_traffic_mean_llc_octets(uint16_t octets, uint16_t n201_u);

/* Mean number of LLC frames of an N-PDU. */
double bench_traffic_mean_frames(uint16_t octets, uint16_t n201_u);

/* Octets of an N-PDU's Ethernet frame on Gn, with FCS: more than the N-PDU has; the mean over the sizes. */
#define BENCH_TRAFFIC_ETHERNET_OCTETS 54
double bench_traffic_mean_frame_octets(uint16_t octets);

/* Octets of preamble and inter-frame gap, which a frame takes on a wire, too. */
#define BENCH_TRAFFIC_GAP_OCTETS 20

/* The number of LLC frames of the longest N-PDU. */
unsigned bench_traffic_most_frames(uint16_t octets, uint16_t n201_u);

#endif
