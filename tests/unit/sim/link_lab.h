/* SPDX-License-Identifier: BSD-3-Clause */
/* Two hosts and a link in virtual time: rate, delay, a tail-drop queue, and harm by script or by chance. */
#ifndef TESTS_UNIT_SIM_LINK_LAB_H
#define TESTS_UNIT_SIM_LINK_LAB_H

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "sim/host.h"

#define LAB_MS  (MOMENT_SECOND / 1000)
#define LAB_RUN (INT64_C(100000) * MOMENT_SECOND)

enum { LAB_QUEUE = 4096, LAB_SCRIPT = 16, LAB_MOBILE = 0, LAB_SERVER = 1 };

/* One direction; packets are numbered from 1 in the order in which they are sent. */
struct lab_link {
    uint64_t rate_bps;        /* 0: no limit */
    uint32_t overhead_octets; /* what each packet takes on the link besides itself */
    uint32_t lose_one_in;     /* each n-th packet with a payload is lost as it arrives; 0: none */
    int64_t delay_ns;
    uint32_t queue_limit_packets; /* waiting for the link; 0: LAB_QUEUE */
    uint64_t drop[LAB_SCRIPT];    /* numbers of packets that are lost */
    uint64_t late[LAB_SCRIPT];    /* and of those that come late_ns later */
    int64_t late_ns;
    uint32_t loss_ppm, late_ppm, flip_ppm; /* by chance; flip: one octet is changed */
    int64_t down_from_ns, down_until_ns;   /* loses all in between */
    /* so far */
    uint64_t sent, lost, flipped, arrived; /* arrived: with a payload */
    int64_t free_at_ns;
    uint32_t waiting;
};

struct lab_packet {
    int64_t leave_ns, at_ns;
    uint64_t order;
    uint8_t to;
    bool has_left;
    uint16_t octets;
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
};

struct lab;
struct lab_end {
    struct lab *lab;
    int index;
};

struct lab {
    struct host *host[2];
    struct lab_end end[2];
    struct lab_link link[2]; /* by the host that sends */
    struct lab_packet *packets;
    uint32_t packet_count;
    uint64_t order, digest; /* digest: of all packets and their times */
    struct rng rng;
    int64_t now;
    /* Sees each packet as it is sent, before harm. May be NULL. */
    void (*watch)(void *arg, int from, const struct ip_packet *packet, int64_t now);
    void *arg;
};

/* Addresses 10.45.0.1 (mobile) and 10.46.0.1 (server). Fails the test without memory. The lab must not move.
 */
void link_lab_init(struct lab *lab, uint64_t seed);
void link_lab_fini(struct lab *lab);

/* Steps both hosts and the links from lab->now up to and including until; stops early when nothing waits. */
void link_lab_run(struct lab *lab, int64_t until);

#endif
