/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One end of a QUIC connection (RFC 9000, 9002) in virtual time: Debian's libngtcp2 with the simulation's
 * clock and random numbers. Streams carry octets of a known pattern.
 *
 * No cipher and no TLS: packets have the sizes of real ones (16 octets of a tag, handshake flights of a given
 * size), their payload is readable. The model and its limits: docs/quic.md.
 */
#ifndef SIM_QUIC_H
#define SIM_QUIC_H

#include "sim/app_record.h"
#include "sim/host.h"

#include <stdbool.h>
#include <stdint.h>

enum quic_cc { QUIC_RENO, QUIC_CUBIC, QUIC_BBR, QUIC_BBR2 };

enum { QUIC_MIN_DATAGRAM_OCTETS = 1200, QUIC_MAX_DATAGRAM_OCTETS = 1472, QUIC_MAX_STREAMS = 100 };

struct quic_params {
    enum quic_cc cc;
    uint32_t datagram_octets;       /* largest UDP payload, QUIC_MIN_ .. QUIC_MAX_DATAGRAM_OCTETS */
    uint64_t receive_window_octets; /* of a connection and of each of its streams */
    uint32_t certificate_octets;    /* of the server's certificate message */
    uint32_t ack_every_packets;
    int64_t ack_delay_ns, initial_rtt_ns, idle_ns;
    bool has_ecn;
};

/* Of stream payload: what this end sent and received. */
struct quic_stats {
    uint64_t sent_octets, retransmitted_octets; /* sent_octets: retransmitted ones included */
    uint64_t repeated_octets;                   /* arrived again after they had arrived in order */
    uint64_t corrupt_octets;                    /* not of the pattern: a defect */
    uint64_t timeouts;                          /* probe timeouts */
    uint64_t rtt_count;                         /* changes of the latest RTT */
    int64_t rtt_sum_ns, rtt_min_ns, rtt_max_ns;
};

enum quic_end {
    QUIC_END_CLOSED,  /* CONNECTION_CLOSE of either end */
    QUIC_END_TIMEOUT, /* idle for too long, also while it opens */
    QUIC_END_ERROR,   /* of the protocol */
};

/* on_receive() may call quic_open(), quic_write(), quic_cut() and quic_close(); on_over() is the last call,
 * and may free the connection. */
struct quic_events {
    void *arg;
    void (*on_receive)(void *arg, int64_t stream, uint64_t octets, bool is_end, int64_t now);
    void (*on_over)(void *arg, enum quic_end end, int64_t now);
};

struct quic_config {
    struct host *host; /* must outlive it; one timer */
    uint32_t remote;   /* address */
    uint16_t local_port, remote_port;
    const struct quic_params *params; /* must outlive it */
    uint64_t seed, stream;            /* of connection ids and all other chance, as for rng_init() */
    struct quic_events events;
    struct app_record_watch watch; /* of what this end sends; its observer may be NULL */
};

struct quic;

/* False: built without libngtcp2; then no connection opens. */
bool quic_is_built(void);

/* NULL: no memory, or no room on the host. The handshake begins at once. */
struct quic *quic_connect(const struct quic_config *config, int64_t now);

/* The server's end, for a first packet, which quic_receive() is to have next. NULL: likewise, or the packet
 * opens no connection. */
struct quic *quic_accept(const struct quic_config *config, const struct ip_packet *packet, int64_t now);

void quic_free(struct quic *q);

void quic_receive(struct quic *q, const struct ip_packet *packet, int64_t now);

/* The client's next stream, in both directions; it opens as soon as the server allows it. */
int64_t quic_open(struct quic *q);

#define QUIC_ENDLESS (UINT64_C(1) << 61)

/* Sends octets on a stream; is_end: the last ones. No effect on a stream that has ended. */
void quic_write(struct quic *q, int64_t stream, uint64_t octets, bool is_end, int64_t now);

/* All streams end with what has been sent so far. */
void quic_cut(struct quic *q, int64_t now);

/* Sends CONNECTION_CLOSE; on_over() follows after the closing period (RFC 9000 section 10.2). */
void quic_close(struct quic *q, int64_t now);

const struct quic_stats *quic_stats(const struct quic *q);

#endif
