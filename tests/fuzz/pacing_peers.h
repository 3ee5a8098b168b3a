/* SPDX-License-Identifier: BSD-3-Clause */
/* A TCP connection of a mobile and a server, strict in what they accept, for the soak of dataplane/pacing. */
#ifndef TESTS_FUZZ_PACING_PEERS_H
#define TESTS_FUZZ_PACING_PEERS_H

#include "dataplane/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

#define PACING_PEERS_MOST_OCTETS 1600

/* How a segment is carried; what is not plain cannot be paced. */
enum pacing_peers_form {
    PACING_PEERS_IPV4,
    PACING_PEERS_IPV6,
    PACING_PEERS_FRAGMENTS,
    PACING_PEERS_EXTENSIONS
};

struct pacing_peers_segment {
    uint32_t seq, ack, ts;
    uint16_t window, octets; /* octets: of data */
    uint8_t flags, form;
    bool has_sack, has_ts;
    const uint8_t *data;
};

/* A packet on its way, of connection `slot` as long as that has this generation. */
struct pacing_peers_packet {
    struct pacing_peers_packet *next;
    uint32_t slot, generation;
    uint16_t octets, tcp_at;
    bool is_up;
    uint32_t ms;
    uint16_t cell;
    uint32_t sent; /* by the server within its windows, as the SGSN knew when this came, with has_sent */
    bool has_sent;
    struct pacing_peers_segment segment; /* as it was sent */
    uint8_t bytes[PACING_PEERS_MOST_OCTETS];
};

enum pacing_peers_end { PACING_PEERS_OPEN, PACING_PEERS_DONE, PACING_PEERS_RESET, PACING_PEERS_LEFT };

struct pacing_peers {
    uint32_t slot, generation, ms;
    struct rng *rng;
    uint16_t port, mss;
    uint8_t scale, form;
    bool is_from_server; /* who sends the SYN */
    bool has_scale, has_ts, has_sack, has_ecn, is_mixed;
    enum pacing_peers_end end;
    int64_t began_ns;
    struct {
        uint32_t iss, una, nxt, max, edge, wl1, wl2, rcv, ts_recent, cwnd, total;
        unsigned dups;
        int64_t rto_ns, timer_ns;
        bool is_open, has_fin;
    } server;
    struct {
        uint32_t iss, una, nxt, rcv, edge, room, used, total;
        int64_t rto_ns, timer_ns, read_ns, ack_ns, alive_ns;
        unsigned unacked;
        bool is_open, has_syn_ack, has_fin, is_closed;
    } mobile;
    /* What the network has seen: the greatest edge of the mobile, and the end of what the server sent. */
    uint32_t out_edge, sent;
    bool has_out_edge, has_sent;
    bool has_late_syn; /* after an ACK: with a full table it may begin the flow again */
};

/* What the peers send goes here; the callee copies it. */
void pacing_soak_send(struct pacing_peers *c, bool is_up, const struct pacing_peers_segment *segment,
                      int64_t now);

void pacing_peers_begin(struct pacing_peers *c, int64_t now);
void pacing_peers_at_mobile(struct pacing_peers *c, const struct pacing_peers_segment *in, int64_t now);
void pacing_peers_at_server(struct pacing_peers *c, const struct pacing_peers_segment *in, int64_t now);
/* Timers that are due. */
void pacing_peers_step(struct pacing_peers *c, int64_t now);
int64_t pacing_peers_next_ns(const struct pacing_peers *c);

/* The whole IP packet, with its checksums. */
void pacing_peers_encode(const struct pacing_peers *c, struct pacing_peers_packet *packet);
/* The segment of a packet of this connection; false: its checksum or its data are wrong. */
bool pacing_peers_decode(const struct pacing_peers_packet *packet, struct pacing_peers_segment *out);

/* The octet at a number of a stream, and a run of them. */
const uint8_t *pacing_peers_data(uint32_t number);

#endif
