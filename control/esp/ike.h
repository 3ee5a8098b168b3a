/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Associations and policies of an IKE daemon (control/esp/xfrm.h) in a live node, and the daemon's own
 * packets between a TUN device and the ports.
 *
 * Of the associations that are there at the start the node uses none: an earlier run may have had them, and
 * sequence numbers would repeat (RFC 4303 clause 3.3.3). The daemon is told that they end, and makes others.
 */
#ifndef CONTROL_ESP_IKE_H
#define CONTROL_ESP_IKE_H

#include "control/base/neighbour_ip.h"
#include "control/esp/xfrm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ESP_IKE_SAS     256
#define ESP_IKE_PAST    1024
#define ESP_IKE_WAITING 64
#define ESP_IKE_OCTETS  2048

/* An association of the daemon. */
struct esp_ike_sa {
    bool is_there, is_seen; /* seen: in the list that is coming */
    bool is_old;            /* from before the start: not used */
    bool is_told;           /* its soft end */
    bool is_late;           /* another one has its keys, until no worker has that */
    struct xfrm_sa sa;      /* with its keys */
    struct used_key key;
    struct association *association; /* NULL: not used */
    uint64_t told_packets;
    int64_t since_ns;
};

/* Keys that were in use, and the first_sequence with which they may come again, when no worker has them: a
 * daemon that moves an association to other addresses or ports makes it a second time. */
struct esp_ike_past {
    struct used_key key;
    uint64_t number;
};

/* A packet of the daemon that waits: until workers have all that the daemon gave to the kernel before it, a
 * second at most, and then as long for the MAC address of its next hop. */
struct esp_ike_packet {
    uint64_t sync;
    unsigned port;
    size_t octets;
    int64_t held_until_ns, until_ns;
    struct neighbour_ip to;
    uint8_t bytes[ESP_IKE_OCTETS];
};

struct esp_ike {
    bool is_on, is_first_list, has_ended;
    struct xfrm xfrm;
    struct esp_ike_sa sas[ESP_IKE_SAS];
    struct esp_ike_past past[ESP_IKE_PAST];
    unsigned past_next;
    struct esp_ike_packet waiting[ESP_IKE_WAITING]; /* in their order */
    unsigned waiting_count;
    uint64_t sync_asked, sync_had; /* numbers of XFRM_SYNC */
    int64_t look_ns;               /* of the next look at lives and counts */
    int64_t told_ns;               /* when the log may tell again of a packet that waited too long */
    int64_t device_ns;             /* of the next try to open the device, while that is gone */
    uint64_t to_daemon, from_daemon, lost;
};

struct esp_live;

/* Starts the process, before DPDK and threads. False, with a line on stderr. */
bool esp_ike_start(struct esp_live *esp);

/* Takes what the process and the daemon have; returns the time of the next step. */
int64_t esp_ike_step(struct esp_live *esp, int64_t now);

void esp_ike_stop(struct esp_ike *ike);

#endif
