/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The BSS that `gbflow bench generate` plays on Gb: brings up one NS-VC and the cells (bss/bss.h), announces
 * the highest bucket rates of BSSGP, and answers NS-ALIVE. Frames that carry users' LLC-PDUs are for the
 * generator.
 *
 * Frames are sent to the node's MAC address; before that is known, to the broadcast address. There is no ARP:
 * the configuration that node_file.h writes names all MAC addresses.
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
    uint16_t cells, ip_id;
    uint8_t node_mac[6];
    bool is_mac_known;
    int64_t next_ns;               /* time of the BSS's next timer */
    uint64_t unsent, other_frames; /* frames without room; frames that carry no NS PDU for this BSS */
};

/* A BSS on a started port, with mbufs of pool. mac: the node's; NULL: learnt from its frames. False: out of
 * memory. *peer must keep its address. */
bool bench_gb_peer_new(struct bench_gb_peer *peer, const struct port *gb, struct rte_mempool *pool,
                       uint16_t cells, const uint8_t *mac);
void bench_gb_peer_free(struct bench_gb_peer *peer);

/* Runs the timers that are due. */
void bench_gb_peer_step(struct bench_gb_peer *peer, int64_t now);

/* Whether a frame carries a user's LLC-PDU. */
bool bench_gb_peer_is_user(const uint8_t *frame, size_t octets);

/* Processes any other frame. */
void bench_gb_peer_take(struct bench_gb_peer *peer, const uint8_t *frame, size_t octets, int64_t now);

/* Whether all cells are in service. */
bool bench_gb_peer_is_up(const struct bench_gb_peer *peer);

#endif
