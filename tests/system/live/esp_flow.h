/* SPDX-License-Identifier: BSD-3-Clause */
/* A flow of numbered packets each way between the node's ESP and the kernel's, and what came of them. */
#ifndef TESTS_SYSTEM_LIVE_ESP_FLOW_H
#define TESTS_SYSTEM_LIVE_ESP_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_BURST       32
#define FLOW_PORT_NEAR   5000 /* of UDP inside */
#define FLOW_PORT_FAR    6000
#define FLOW_PORT_ENCAP  4500
#define FLOW_OCTETS_MAX  1300 /* of a payload; in every mode the packet has less than 1500 */
#define FLOW_OCTETS_HEAD 8

enum flow_direction { FLOW_DOWN, FLOW_UP, FLOW_DIRECTIONS }; /* from the node to the kernel; back */

/* One direction: packets are numbers below `count`. */
struct flow_tally {
    uint32_t seed, count;
    uint64_t sent, once, twice, wrong;
    uint8_t *seen; /* a bit for each number */
};

bool flow_tally_new(struct flow_tally *tally, uint32_t seed, uint32_t count);
void flow_tally_free(struct flow_tally *tally);

/* Writes the payload of the number `sent` into FLOW_OCTETS_MAX octets and counts it; returns its octets. */
size_t flow_tally_put(struct flow_tally *tally, uint8_t *payload);

/* Counts a payload that has come: for the first time, once more, or not as it was sent. */
void flow_tally_take(struct flow_tally *tally, const uint8_t *payload, size_t octets);

/* The kernel's end: UDP sockets in one network namespace; in another a bridge between both ends, from whose
 * ports some frames are taken and sent again, at once and when many others have passed. */
struct flow_far;

/* The node's interface in this namespace, and names of the others. NULL: no memory. Ends the program, with a
 * line on stderr, when a socket does not open. */
struct flow_far *flow_far_new(const char *interface, const char *kernel, const char *bridge);

/* Sends a frame of the node. Its octets are copied: of a ring's frame, which the port of DPDK would send, the
 * kernel deciphers copies in place (ESP in UDP, Linux 6.1), and replays would have other octets. */
bool flow_far_put(struct flow_far *far, const uint8_t *frame, size_t octets);

/* Sends up to a burst of the direction up, to the address inside, takes what has come down; returns how many
 * packets moved. */
unsigned flow_far_send(struct flow_far *far, bool is_ipv6, const uint8_t *address, struct flow_tally *up);
unsigned flow_far_receive(struct flow_far *far, struct flow_tally *down);

/* Sends frames again; adds their number to replays[]. */
unsigned flow_far_replay(struct flow_far *far, uint64_t replays[FLOW_DIRECTIONS]);

/* Forgets the frames of a case before. */
void flow_far_forget(struct flow_far *far);

#endif
