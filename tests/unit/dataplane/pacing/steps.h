/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of tests of windows: TCP segments of a mobile and its servers, played at a place and an instant. */
#ifndef TESTS_UNIT_DATAPLANE_PACING_STEPS_H
#define TESTS_UNIT_DATAPLANE_PACING_STEPS_H

#include "dataplane/pacing/pacing.h"
#include "dataplane/wire/tcp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECOND INT64_C(1000000000)
#define TARGET (SECOND * 3 / 4)
#define MSS    1000
#define PACKET 128

enum { UP, DOWN };
enum { SYN = TCP_SYN, ACK = TCP_ACK, SYN_ACK = TCP_SYN | TCP_ACK, FIN_ACK = TCP_FIN | TCP_ACK };

/* Where and when the next steps play, and an octet of the packet that another replaces; at 0: none. */
struct change {
    uint8_t at, value;
};
extern struct pacing_at at;
extern int64_t now;
extern struct change change;

/* What the scheduler says: mobiles of the class that wait for a turn, octets that the cell sent. */
extern uint32_t waiting_mobiles;
extern uint64_t sent_octets;
uint32_t steps_waiting(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass);
uint64_t steps_sent(const void *unused_owner, uint16_t unused_bvc);

struct step {
    uint8_t way, flags;
    uint16_t port;
    uint32_t seq, ack;
    uint16_t window, expected; /* after it passed */
    int8_t scale; /* of a SYN; -1: none, -2: none, and an option of RFC 5925; -3: none, and timestamps */
    uint16_t data_octets;
};

#define OPEN(up, down)                                                                                       \
    {UP, SYN, 80, 99, 0, 65000, 65000, up},                                                                  \
    {                                                                                                        \
        DOWN, SYN_ACK, 80, 999, 100, 60000, 60000, down                                                      \
    }

/* The mobile's first ACK of a server's data. */
extern const struct step ACK_0;

/* Begins a test, at a second, in a cell where R of a mobile is 32 kbit/s and one waits. With 750 ms A is 3000
 * octets, so W is 3 MSS with one flow. */
void steps_begin(void);
struct pacing *open_with(uint32_t flows, uint8_t classes);

/* Plays a step; returns the window afterwards. Data is only counted in the length. */
uint16_t steps_play(struct pacing *p, const struct step *step, bool is_ipv6);
void open_flow(struct pacing *p, bool is_ipv6);

/* An IP header for `octets`, and zeros behind it; returns where TCP begins. */
uint8_t *put_ip(uint8_t *packet, bool is_ipv6, unsigned way, unsigned octets);
/* The sum of a segment with its pseudo header, folded: 0xffff if its checksum is right. */
uint32_t sum_of(const uint8_t *packet, bool is_ipv6);
void put_checksum(uint8_t *packet, bool is_ipv6);

#endif
