/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Learns sessions from the GTP-C messages in a capture: a Create PDP Context Request with an accepting
 * Response makes a session, a Delete exchange ends it. It sends nothing. Over IPv4 and IPv6, also in IP
 * fragments.
 */
#ifndef APP_REPLAY_GTPC_LEARN_H
#define APP_REPLAY_GTPC_LEARN_H

#include "app/replay/gtpc_pieces.h"
#include "control/sessions/sessions.h"
#include "dataplane/wire/gtpc.h"

#include <stddef.h>
#include <stdint.h>

#define GTPC_LEARN_PENDING 1024 /* requests without an answer yet; the oldest gives way */

struct gtpc_learn_request {
    struct gtpc msg; /* its member qos is not valid */
    struct gtpc_pieces_way way;
    uint8_t qclass;
    bool in_use;
};

struct gtpc_learn {
    struct sessions *sessions;
    struct gtpc_learn_request pending[GTPC_LEARN_PENDING];
    uint32_t next;
    struct gtpc_pieces pieces;
    uint64_t messages;   /* GTP-C messages decoded */
    uint64_t malformed;  /* GTP-C messages that could not be decoded */
    uint64_t unfollowed; /* exchanges without effect: updates, tunnels without TEID or addresses */
};

void gtpc_learn_init(struct gtpc_learn *g, struct sessions *sessions);

/* Takes one Ethernet frame that arrives now; ignores all but GTP-C. */
void gtpc_learn_frame(struct gtpc_learn *g, const uint8_t *frame, size_t octets, int64_t now);

#endif
