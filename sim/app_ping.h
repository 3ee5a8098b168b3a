/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile pings a server. A reply counts however late it arrives; a ping without reply at the end is lost or
 * in transit. */
#ifndef SIM_APP_PING_H
#define SIM_APP_PING_H

#include "sim/host.h"
#include "sim/payload.h"

struct app_ping_config {
    struct host *mobile;    /* must outlive it; uses one of its timers and one echo identifier */
    uint32_t server;        /* address */
    uint16_t id;            /* echo identifier, free on this mobile */
    uint32_t packet_octets; /* the whole IP packet, 28 .. 1500 */
    uint32_t count;         /* 0: until stop_ns, at most 65536 */
    int64_t interval_ns;    /* > 0 */
    enum payload_content content;
    int64_t start_ns, stop_ns;
    void *arg;
    void (*on_reply)(void *arg, int64_t now, int64_t rtt_ns); /* may be NULL */
};

struct app_ping;

/* NULL: a value out of range, no memory, identifier taken, or no room on the host. */
struct app_ping *app_ping_new(const struct app_ping_config *config);
void app_ping_free(struct app_ping *a);

/* Round-trip time of each ping sent, in order, -1 without reply; valid until the next step of the host. */
const int64_t *app_ping_rtts_ns(const struct app_ping *a, uint32_t *sent);

#endif
