/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between the control core and a worker, by value, on two single-producer single-consumer rings
 * (msgs.def has a row for each). The thread that takes a message from its ring owns the mbuf in it. The
 * worker answers each order with its sequence number.
 */
#ifndef DATAPLANE_WORKER_MSG_H
#define DATAPLANE_WORKER_MSG_H

#include "dataplane/worker/msg_payload.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct tap;
struct rte_mbuf;
struct rte_ring;

enum msg_port { MSG_PORT_GN, MSG_PORT_GB, MSG_PORTS };

enum msg_type {
#define MSG_ORDER(NAME, ...) MSG_##NAME,
#define MSG_NEWS(NAME, ...)  MSG_##NAME,
#include "dataplane/worker/msgs.def"
    MSG_TYPES
};

/* The subject of an order, and how the worker finds it. */
enum msg_subject {
    MSG_BY_NONE, /* no subject */
    MSG_BY_NSE,  /* slot of an NSE, NS-VC or BVC; 16 bits at most */
    MSG_BY_NSVC,
    MSG_BY_BVC,
    MSG_BY_HOME_MS,      /* slot of a mobile at its home; the order itself says whether it exists */
    MSG_BY_MS,           /* slot of a mobile that this worker serves */
    MSG_BY_NEW_PDP,      /* free slot for a new context of the mobile in the payload */
    MSG_BY_PDP,          /* slot of a context at its home */
    MSG_BY_TLLI,         /* a mobile by tlli and nse */
    MSG_BY_TLLI_OR_NONE, /* the same; the order is carried out without it, too */
};

enum msg_flag {
    MSG_HAS_MBUF = 1, /* the receiver owns msg.mbuf */
    MSG_MOVES = 2,    /* held while the mobile moves between workers, then sent to its worker (moves.h) */
    MSG_ENDS = 4,     /* frees the slot: after the answer the control core may assign it again */
    MSG_WAITS = 8,    /* held until the cell has no mobile, the NSE no cell */
};

/* The row of a message in msgs.def. */
struct msg_row {
    const char *name;
    uint8_t subject; /* of an order; enum msg_subject */
    uint8_t flags;   /* enum msg_flag */
    uint8_t payload_octets;
};

extern const struct msg_row msg_rows[MSG_TYPES + 1]; /* the last row: of an unknown type */

static inline const struct msg_row *msg_row(uint16_t type)
{
    return &msg_rows[type < MSG_TYPES ? type : MSG_TYPES];
}

#define MSG_MS_LIMITS 64 /* what one order may cost */
#define MSG_AGAIN     1  /* the status of an answer: too many orders wait, send it again */

struct msg {
    uint16_t type; /* enum msg_type */
    uint16_t nse;  /* slot of the NSE in which a mobile has `tlli`, or in which it was heard */
    uint32_t seq;  /* of a request, and of its answer */
    union {
        uint32_t slot; /* of what the message is about at its worker */
        uint32_t tlli;
    };
    union { /* the payload, which the row names */
        char none;
        uint16_t nsei;
        struct sched_link_rate link;
        struct gb_nsvc_params nsvc;
        bool is_usable;
        uint8_t data_weight;
        struct msg_nsvc_at nsvc_at;
        uint8_t mac[6];
        struct msg_bvc bvc;
        bool is_unblocked;
        struct gb_policy policy;
        struct gb_flow flow;
        struct ms_params ms;
        struct msg_place place;
        struct gb_discard discard;
        struct gb_flush flush;
        bool is_suspended;
        bool is_lost;
        struct msg_cell cell;
        struct bssgp_elements elements;
        struct msg_assigned assigned;
        uint8_t pfi;
        struct msg_pfc pfc;
        struct llc_cipher_params cipher;
        uint32_t unprotected_sapis;
        uint32_t n201_u_octets;
        struct {
            struct pdp_params pdp;
            uint32_t server_pdp; /* its slot at the worker that serves the mobile, if that is another */
        };
        uint8_t qclass;
        struct msg_address address;
        struct msg_ipv6 ipv6;
        struct msg_path path;
        struct msg_tunnel tunnel;
        struct msg_tunnel_error tunnel_error;
        struct msg_queue_class queue_class;
        struct sched_bounds bounds;
        struct lifetime lifetime;
        int64_t ready_ns;
        struct msg_ms_limit ms_limit;
        uint32_t reassemblies;
        struct msg_hop hop;
        struct tap *tap;
        struct msg_answer answer;
        struct {
            struct rte_mbuf *mbuf;
            union {
                struct msg_llc llc;
                struct msg_datagram datagram;
                uint16_t port; /* enum msg_port */
                struct msg_heard heard;
            };
        };
    };
};

static_assert(sizeof(struct msg) <= 208 && sizeof(struct msg) % 4 == 0, "rings copy it, by four octets");

/* Whether a message of this type carries an mbuf, which its receiver owns. */
static inline bool msg_has_mbuf(uint16_t type)
{
    return msg_row(type)->flags & MSG_HAS_MBUF;
}

/* Whether a message of this type creates or deletes a context, by its slot. */
static inline bool msg_is_about_context(uint16_t type)
{
    const struct msg_row *row = msg_row(type);
    return row->flags & MSG_MOVES && (row->subject == MSG_BY_NEW_PDP || row->subject == MSG_BY_PDP);
}

/* The two directions; the names are those of the consumer. Created by the worker, used from both sides. */
struct msg_rings {
    struct rte_ring *to_worker;  /* written by control, read by the worker */
    struct rte_ring *to_control; /* written by the worker, read by control */
};

/* Rings of `size` messages (a power of two), with names made from `name`. False when there is no memory. */
bool msg_rings_new(struct msg_rings *rings, const char *name, unsigned size);
void msg_rings_free(struct msg_rings *rings);

/* Copies a message in or out; false when the ring is full or empty. */
bool msg_put(struct rte_ring *ring, const struct msg *msg);
bool msg_take(struct rte_ring *ring, struct msg *msg);

#endif
