/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Learns sessions by listening to GTP-C: a Create PDP Context Request and the answer that accepts it make
 * one, a Delete exchange ends it. It answers nothing itself. Over IPv4 and IPv6, without fragments.
 */
#ifndef APP_REPLAY_GTPC_LEARN_H
#define APP_REPLAY_GTPC_LEARN_H

#include "control/base/neighbour_ip.h"
#include "control/core/sessions.h"
#include "dataplane/wire/gtpc.h"

#include <stddef.h>
#include <stdint.h>

#define GTPC_LEARN_PENDING 1024 /* requests without an answer yet; the oldest gives way */

struct gtpc_learn_request {
    struct gtpc msg; /* qos points nowhere any more */
    struct neighbour_ip from, to;
    uint8_t qclass;
    bool in_use;
};

struct gtpc_learn {
    struct sessions *sessions;
    struct gtpc_learn_request pending[GTPC_LEARN_PENDING];
    uint32_t next;
    uint64_t messages;   /* GTP-C messages that decoded */
    uint64_t malformed;  /* and those that did not */
    uint64_t unfollowed; /* Update exchanges, tunnels without TEID or ends: seen, not followed */
};

void gtpc_learn_init(struct gtpc_learn *g, struct sessions *sessions);

/* Looks at one Ethernet frame; anything but GTP-C is passed over. */
void gtpc_learn_frame(struct gtpc_learn *g, const uint8_t *frame, size_t octets);

#endif
