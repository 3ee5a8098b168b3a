/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The BSS that `gbflow bench generate` plays on Gb: brings up an NS-VC and its cells (bss/bss.h), lets every
 * rate through that BSSGP can say, answers NS-ALIVE, and leaves users' frames to the generator.
 *
 * Frames go to the node's MAC address, to all until the node has sent something or it was given. Not here:
 * ARP, which nobody asks for in the node file that belongs to it (bench_node_file.h).
 */
#ifndef BENCH_THROUGHPUT_GB_PEER_H
#define BENCH_THROUGHPUT_GB_PEER_H

#include "bss/bss.h"
#include "dataplane/ports/port.h"

#define BENCH_GB_PEER_SGSN_IP UINT32_C(0x0a000101) /* 10.0.1.1 */
#define BENCH_GB_PEER_BSS_IP  UINT32_C(0x0a000102)
#define BENCH_GB_PEER_PORT    23000
#define BENCH_GB_PEER_NSEI    1
#define BENCH_GB_PEER_NSVCI   1
#define BENCH_GB_PEER_BVCI    2 /* of the first cell */

/* Ours: locally administered. */
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
    uint16_t cells, ip_id;
    uint8_t node_mac[6];
    bool is_mac_known;
    int64_t next_ns;               /* when the BSS has something to do */
    uint64_t unsent, other_frames; /* frames without room; what was no NS PDU for us */
};

/* A BSS on a started port; its frames come of pool. mac: the node's, NULL: found out. False without memory.
 * The far side must not move. */
bool bench_gb_peer_new(struct bench_gb_peer *peer, const struct port *gb, struct rte_mempool *pool,
                       uint16_t cells, const uint8_t *mac);
void bench_gb_peer_free(struct bench_gb_peer *peer);

/* Does what is due. */
void bench_gb_peer_step(struct bench_gb_peer *peer, int64_t now);

/* Whether a frame carries a user's LLC-PDU: then it is not for bench_gb_peer_take(). */
bool bench_gb_peer_is_user(const uint8_t *frame, size_t octets);

/* Takes any other frame. */
void bench_gb_peer_take(struct bench_gb_peer *peer, const uint8_t *frame, size_t octets, int64_t now);

/* Whether all cells are in service. */
bool bench_gb_peer_is_up(const struct bench_gb_peer *peer);

#endif
