/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A BSS that `gbflow bench generate` plays on Gb, one for each worker of the node: brings up one NS-VC and
 * the worker's cells (bss/bss.h), announces the highest bucket rates of BSSGP, and answers NS-ALIVE. Frames
 * that carry users' LLC-PDUs are for the generator.
 *
 * Frames are sent to the node's MAC address, none before that is known (node_mac.h). The configuration that
 * node_file.h writes names all MAC addresses of this side.
 */
#ifndef BENCH_THROUGHPUT_GB_PEER_H
#define BENCH_THROUGHPUT_GB_PEER_H

#include "bench/throughput/generator.h"
#include "bss/bss.h"
#include "dataplane/context/llc.h"
#include "dataplane/ports/port.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The generator's receive path on Gb: counts LLC frames, and decodes them as far as the trial asks for. */

#define BENCH_GB_PEER_STAMP_OCTETS 8 /* the last octets of an N-PDU: its sending time */

/* Receives one burst of one link; returns the number of users' frames in it. */
unsigned bench_gb_peer_rx_burst(struct bench_generator *g, struct bench_generator_link *way,
                                struct bench_trial *t, int64_t now);

#define BENCH_GB_PEER_SGSN_IP UINT32_C(0x0a000101) /* 10.0.1.1 */
#define BENCH_GB_PEER_BSS_IP  UINT32_C(0x0a000102)
#define BENCH_GB_PEER_PORT    23000 /* of the node and of the first BSS; the next BSS has the next one, */
#define BENCH_GB_PEER_NSEI    1     /* as of these */
#define BENCH_GB_PEER_NSVCI   1
#define BENCH_GB_PEER_BVCI    2 /* of the first cell */

/* Of this side: locally administered. */
#define BENCH_GB_PEER_GN_MAC                                                                                 \
    {                                                                                                        \
        0x02, 0x67, 0x62, 0x66, 0x00, 0x01                                                                   \
    }
#define BENCH_GB_PEER_GB_MAC                                                                                 \
    {                                                                                                        \
        0x02, 0x67, 0x62, 0x66, 0x00, 0x02                                                                   \
    }

struct bench_gb_peer {
    struct bss *bss;
    const struct port *gb;
    struct rte_mempool *pool;
    uint16_t first_bvci, cells, ip_id, udp_port;
    uint8_t node_mac[6];
    bool is_mac_known;
    int64_t next_ns;               /* time of the BSS's next timer */
    uint64_t unsent, other_frames; /* frames without room; frames that carry no NS PDU for this BSS */
};

struct bench_gb_peer_params {
    unsigned number;            /* of the worker */
    uint16_t first_cell, cells; /* first_cell: cells of the BSSs before it */
    const uint8_t *mac;         /* the node's; NULL: asked for */
};

/* A BSS on a started port, with mbufs of pool. False: out of memory. *peer must keep its address. */
bool bench_gb_peer_new(struct bench_gb_peer *peer, const struct port *gb, struct rte_mempool *pool,
                       const struct bench_gb_peer_params *params);
void bench_gb_peer_free(struct bench_gb_peer *peer);

/* Runs the timers that are due. */
void bench_gb_peer_step(struct bench_gb_peer *peer, int64_t now);

/* Whether all cells of so many BSSs are in service. */
bool bench_gb_peer_are_up(const struct bench_gb_peer *peers, unsigned count);

#endif
