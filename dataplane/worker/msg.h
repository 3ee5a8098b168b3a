/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the control core and a worker tell each other: small messages by value on two single-producer
 * single-consumer rings. A buffer in a message belongs to whoever takes the message. Every request is
 * answered with its sequence number.
 */
#ifndef DATAPLANE_WORKER_MSG_H
#define DATAPLANE_WORKER_MSG_H

#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"
#include "dataplane/context/pdp.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_ring;

enum msg_type {
    /* Requests, control to worker. */
    MSG_NSE_ADD,      /* index, id = NSEI */
    MSG_NSVC_ADD,     /* index, nsvc */
    MSG_NSVC_USE,     /* index, flag */
    MSG_BVC_ADD,      /* index, id = BVCI, parent = NSE */
    MSG_BVC_RESET,    /* index */
    MSG_BVC_UNBLOCK,  /* index, flag */
    MSG_BVC_FLOW,     /* index, flow */
    MSG_MS_ADD,       /* index, ms */
    MSG_MS_DEL,       /* index */
    MSG_MS_FLOW,      /* id = TLLI, parent = NSE, flow */
    MSG_MS_DEFAULTS,  /* id = TLLI, parent = NSE */
    MSG_MS_DISCARDED, /* id = TLLI, parent = NSE, octets */
    MSG_PDP_ADD,      /* index, pdp */
    MSG_PDP_DEL,      /* index */
    MSG_SEND,         /* index = NS-VC, mbuf: an NS PDU to frame and send */
    /* Worker to control. */
    MSG_ANSWER,       /* to the request with the same seq: status 0 or -1 */
    MSG_PUNT,         /* index = NS-VC, mbuf: an NS PDU that is not a user's packet */
    MSG_TUNNEL_ERROR, /* index = GGSN's address, id = its TEID: the GGSN has no such context */
};

struct msg {
    uint16_t type;
    uint16_t parent;
    int32_t status;
    uint32_t seq;
    uint32_t index;
    uint32_t id;
    bool flag;
    union {
        struct gb_nsvc_params nsvc;
        struct gb_flow flow;
        struct ms_params ms;
        struct pdp_params pdp;
        uint64_t octets;
        struct rte_mbuf *mbuf;
    };
};

static_assert(sizeof(struct msg) % 4 == 0, "rings carry multiples of four octets");

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
