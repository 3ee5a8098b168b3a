/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker on two ports without hardware, with one NSE, NS-VC, cell, mobile and PDP context that were ordered
 * by messages. Every step holds the sums of stats.h; kit_close() holds that every buffer came back.
 */
#ifndef TESTS_UNIT_DATAPLANE_WORKER_KIT_H
#define TESTS_UNIT_DATAPLANE_WORKER_KIT_H

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/ports/port.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/worker.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdint.h>

#define KIT_SGSN_IP      0xc0000201u /* Gn, ours */
#define KIT_GGSN_IP      0xc0000202u
#define KIT_GB_IP        0xc6336401u /* Gb, ours */
#define KIT_BSS_IP       0xc6336402u
#define KIT_GB_PORT      23000
#define KIT_BSS_PORT     23001 /* of NS-VC i: this + i */
#define KIT_TEID         0x00001001u
#define KIT_GGSN_TEID    0x00002002u
#define KIT_TLLI         0xc0000001u
#define KIT_BVCI         7
#define KIT_NSAPI        5
#define KIT_SAPI         3
#define KIT_FRAME_OCTETS 2048
#define KIT_BUFFERS      4095
#define KIT_MOBILES      8
#define KIT_PDPS         16
#define KIT_MS           INT64_C(1000000)

/* Zero stands for what most tests want: KIT_BUFFERS, 8, 8, 1520, 1 MB, no end of lifetime, no IMSI. */
struct kit_options {
    uint32_t rx_buffers, tx_buffers;
    uint32_t fragments, reassemblies;
    uint16_t n201_u;
    uint8_t imsi_octets;
    uint32_t queue_limit_octets;
    uint32_t class_limit_pkts, budget_pkts;
    int64_t lifetime_ns;
    bool is_split;                                      /* the lifetime counts over SGSN and BSS */
    bool has_no_elements, is_aligned, is_silent_of_old; /* of DL-UNITDATA; the last: no TLLI(old) */
    uint16_t gn_mtu_octets;
    bool is_gn_whole;      /* nothing is fragmented on Gn */
    bool no_uplink_filter; /* what mobiles send is not looked at */
    bool is_any_ggsn;      /* the source of a tunnel's packets does not matter */
    const char *gea;       /* name of an engine; NULL: the best */
    bool has_no_gea;
    bool has_gtpc;       /* GTP-C goes to control */
    bool has_neighbours; /* frames of the links go to control, which tells next hops on Gn */
    bool has_paging;
    bool has_unlisted; /* NS-RESET of unknown endpoints goes to control */
    struct marking gn_marking, gb_marking;
    struct pacing_params pacing;                     /* classes 0: off */
    struct link_settings abm;                        /* links 0: no acknowledged mode */
    struct compression_settings compression;         /* entities 0: off */
    int64_t ready_ns;                                /* READY timer; 0: none */
    struct guards guards;                            /* of both ports; ops NULL: none */
    int gb_overhead_octets;                          /* 0: links do not count headers */
    const struct context_policy *policy;             /* NULL: as the fields above say */
    void (*configure)(struct worker_config *config); /* NULL, or changes all of that */
};

struct kit {
    struct kit_options options;
    struct rte_mempool *rx_pool, *tx_pool;
    struct vport gn, gb;
    struct worker *worker;
    int64_t now;
    uint32_t seq;
};

/* Group set-up: DPDK, once in a process. */
int kit_start(void **state);

void kit_open(struct kit *kit, const struct kit_options *options);
void kit_close(struct kit *kit);

/* Ends the worker, which must have given all buffers back; pools and ports stay. Then a new worker on them.
 */
void kit_pause(struct kit *kit);
void kit_resume(struct kit *kit);

/* Steps at kit->now until the worker rests, and returns its deadline. */
int64_t kit_settle(struct kit *kit);
/* The same at another instant. */
int64_t kit_settle_at(struct kit *kit, int64_t now);

/* Sends one request, lets it be applied and returns its status. */
int kit_order(struct kit *kit, const struct msg *msg);
/* The same, which must be carried out. */
void kit_do(struct kit *kit, const struct msg *msg);

/* Two more cells with wide buckets: cell 1, BVCI 9, on NSE 1 with NS-VC 1; cell 2, BVCI 10, on NSE 0. */
void kit_open_cells(struct kit *kit);

/* Bucket of the cell, and of its mobiles. */
void kit_flow(struct kit *kit, uint64_t octets, uint64_t rate_bps);

/* What the kit's mobile and context were ordered with. */
struct msg kit_ms(const struct kit *kit, uint32_t index, uint32_t tlli);
struct msg kit_pdp(uint32_t index, uint32_t ms, uint8_t nsapi, uint32_t teid);
struct msg kit_nsvc(uint32_t index);

/* Hands the worker a frame and lets it settle. */
void kit_from_gn(struct kit *kit, const uint8_t *frame, size_t octets);
void kit_from_gb(struct kit *kit, const uint8_t *frame, size_t octets);

/* The same with the mobile's next uplink frame, a whole N-PDU, from a cell on an NS-VC under a TLLI. */
void kit_from_ms(struct kit *kit, unsigned nsvc, uint16_t bvci, uint32_t tlli);

/* Takes a frame that the worker sent; 0: there is none. Room for KIT_FRAME_OCTETS. */
size_t kit_take_gb(struct kit *kit, uint8_t *frame);
size_t kit_take_gn(struct kit *kit, uint8_t *frame);
/* Takes all of them away; how many. */
unsigned kit_drain(struct vport *port);

/* Takes a message of this type for control, MSG_PUNT's buffer becomes the caller's; false: none. */
bool kit_take_msg(struct kit *kit, struct msg *msg);

/* The sums of stats.h. */
void kit_check(const struct kit *kit);

/* A test with a kit of these options, NULL or a pointer to them, that is there before and gone after it. */
#define KIT_TEST(name, ...) TEST_IN(name, struct kit, kit, kit_open(kit, __VA_ARGS__), kit_close(kit))

#endif
