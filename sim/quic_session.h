/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * QUIC connections of one mobile to one server, both ends, and exchanges on them: the mobile sends a number
 * of octets on a stream of its own, the server answers with another number.
 */
#ifndef SIM_QUIC_SESSION_H
#define SIM_QUIC_SESSION_H

#include "sim/quic.h"

enum { QUIC_SESSION_PORT = 443 };

struct quic_session_port;

/* The server's port for a mobile. NULL: no memory, or no room on the server. */
struct quic_session_port *quic_session_port_new(struct host *mobile, struct host *server);

/* With all its connections; after that neither host may step. */
void quic_session_port_free(struct quic_session_port *port);

struct quic_session;

/* Callbacks may call quic_session_ask(), _cut() and _close(). After on_over() the session is the port's
 * alone. */
struct quic_session_events {
    void *arg;
    void (*on_octets)(void *arg, void *exchange, uint64_t octets,
                      int64_t now);                          /* at the receiver of the data */
    void (*on_done)(void *arg, void *exchange, int64_t now); /* the mobile has the answer's last octet */
    void (*on_over)(void *arg, struct quic_session *session, int64_t now);
};

struct quic_session_config {
    struct quic_params params;
    uint64_t seed, stream; /* as for rng_init() */
    bool is_up;            /* the mobile sends the data, the server's answers are empty */
    uint32_t connection;   /* number for the observer */
    const struct app_record_observer *observer;
    struct quic_session_events events;
};

/* A new connection, from a port of its own. NULL: no memory, or no room on the mobile. */
struct quic_session *quic_session_new(struct quic_session_port *port,
                                      const struct quic_session_config *config, int64_t now);

struct quic_session_exchange {
    uint64_t up_octets, down_octets; /* up_octets > 0; QUIC_ENDLESS: until quic_session_cut() */
    void *arg;
};

/* False: no memory. */
bool quic_session_ask(struct quic_session *session, const struct quic_session_exchange *exchange,
                      int64_t now);

/* The sender of the data ends all its streams here; a server that has not been asked yet closes. */
void quic_session_cut(struct quic_session *session, int64_t now);

/* The mobile closes the connection. */
void quic_session_close(struct quic_session *session, int64_t now);

/* As of now; valid from the start to on_over(). */
const struct app_record_tcp *quic_session_record(struct quic_session *session);

#endif
