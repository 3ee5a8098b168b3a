/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of TLS 1.3 below QUIC (RFC 9001): messages with the types and the sizes of TLS's, which carry only
 * the transport parameters, and a null cipher: the payload as it is and a tag of zeros, no mask on headers.
 * As packets pass it, it sees their frames (RFC 9000 section 19).
 */
#ifndef SIM_QUIC_TLS_H
#define SIM_QUIC_TLS_H

#include "dataplane/base/rng.h"
#include "sim/quic_lib.h"

#include <stdbool.h>
#include <stdint.h>

enum { QUIC_TLS_LEVELS = 2, QUIC_TLS_KEPT_OCTETS = 512, QUIC_TLS_MAX_CERTIFICATE_OCTETS = 65536 };

/* A message in arrival. */
struct quic_tls_message {
    uint32_t octets;                    /* so far, header included */
    uint8_t kept[QUIC_TLS_KEPT_OCTETS]; /* the first of them */
};

struct quic_tls_stream_frame {
    uint64_t stream, offset, octets;
};

struct quic_tls {
    struct quic_lib_probes probes; /* first */
    bool is_server;
    uint32_t certificate_octets;
    struct rng rng; /* of ids, tokens and challenges, and of congestion controllers */
    void *arg;      /* of the two below, which see each STREAM frame of packets that are sent or received */
    void (*on_sent)(void *arg, const struct quic_tls_stream_frame *frame);
    void (*on_arrived)(void *arg, const struct quic_tls_stream_frame *frame);
    struct quic_tls_message message[QUIC_TLS_LEVELS];
};

/* Sets the callbacks of ngtcp2 that concern keys, ciphers, the handshake and chance; their user_data must
 * point to a struct quic_tls. */
void quic_tls_callbacks(ngtcp2_callbacks *callbacks);

/* A new connection id. */
void quic_tls_id(struct quic_tls *tls, ngtcp2_cid *id, size_t octets);

#endif
