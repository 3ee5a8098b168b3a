/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the control core and a worker tell each other: small messages by value on two single-producer
 * single-consumer rings. A buffer in a message belongs to whoever takes the message. Every request is
 * answered with its sequence number.
 */
#ifndef DATAPLANE_WORKER_MSG_H
#define DATAPLANE_WORKER_MSG_H

#include "dataplane/base/address.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"
#include "dataplane/context/pdp.h"
#include "dataplane/queue/lifetime.h"
#include "dataplane/wire/bssgp_elements.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct tap;
struct rte_mbuf;
struct rte_ring;

enum msg_port { MSG_PORT_GN, MSG_PORT_GB, MSG_PORTS };

enum msg_type {
    /* Requests, control to worker. */
    MSG_NSE_ADD,      /* index, id = NSEI */
    MSG_NSE_DEL,      /* index: after its NS-VCs and cells; answered when nothing speaks of it any more */
    MSG_NSE_RATE,     /* index, link */
    MSG_NSVC_ADD,     /* index, nsvc */
    MSG_NSVC_DEL,     /* index */
    MSG_NSVC_USE,     /* index, flag */
    MSG_NSVC_WEIGHT,  /* index, id = its data weight, 0 to 255 */
    MSG_NSVC_AT,      /* parent = worker, nsvc: an NS-VC of that worker's; flag: no more */
    MSG_NSVC_MAC,     /* index, mac: its next hop's */
    MSG_BVC_ADD,      /* index, id = BVCI, parent = NSE */
    MSG_BVC_DEL,      /* index: waits until its mobiles have been moved */
    MSG_BVC_RESET,    /* index */
    MSG_BVC_UNBLOCK,  /* index, flag */
    MSG_BVC_FLOW,     /* index, flow */
    MSG_BVC_POLICY,   /* index, policy */
    MSG_MS_ADD,       /* index, ms */
    MSG_MS_DEL,       /* index */
    MSG_MS_MOVE,      /* index, place: a cell change, also to another worker's; moves.h */
    MSG_MS_FLOW,      /* id = TLLI, parent = NSE, flow */
    MSG_MS_DEFAULTS,  /* id = TLLI, parent = NSE */
    MSG_MS_DISCARDED, /* id = TLLI, parent = NSE, discard but for its mobile, which may be unknown */
    MSG_MS_FLUSHED,   /* id = TLLI, parent = NSE where it is now, flush likewise */
    MSG_MS_SUSPEND,   /* id = TLLI, parent = NSE, flag: SUSPEND or RESUME */
    MSG_MS_LOST,      /* id = TLLI, parent = NSE, flag: RADIO-STATUS, or found before it was heard */
    MSG_PAGE_END,     /* id = TLLI, parent = NSE: it is not paged any more, the next N-PDU asks for it anew */
    MSG_MS_CELL,     /* id = TLLI, parent = NSE of before, index = cell of this worker's: it went there; flag:
                        it was not heard there, its cell is no more */
    MSG_MS_ELEMENTS, /* id = TLLI, parent = NSE, elements: what its frames' headers say of it from now on */
    MSG_MS_TLLI,   /* index, id = TLLI from the next frame on, flag = it is heard under that of before, too */
    MSG_PFC_ADD,   /* id = TLLI, parent = NSE, index = PFI */
    MSG_PFC_FLOW,  /* the same, flow: an entry of FLOW-CONTROL-PFC */
    MSG_PFC_DEL,   /* as MSG_PFC_ADD */
    MSG_MS_CIPHER, /* index, cipher: from the next frame on; the answer says which frames these are */
    MSG_MS_PM,     /* index, id = bit i: SAPI i, as ms_sapi_index() counts, goes in unprotected mode */
    MSG_MS_LLC_RESET, /* index: the mobile begins anew, as XID Reset wants: N(U) 0 and OC 0 are expected */
    MSG_MS_N201,      /* index, id = N201-U of all SAPIs of users' packets */
    MSG_PDP_ADD,      /* index, pdp; id = slot at the worker that serves the mobile, if that is another */
    MSG_PDP_DEL,      /* index */
    MSG_GN_ADDRESS,   /* id = address, flag: tunnels of other workers end on it, or no more */
    MSG_GN_IPV6,     /* index = place, ipv6: that address stands for these octets; before anything names it */
    MSG_GN_ECHO,     /* index = our address, id = a GGSN's, parent = sequence number: the answer to that Echo
                        Request is waited for, of any before no more; flag: send it */
    MSG_GN_ECHO_END, /* index, id: none is waited for */
    MSG_TUNNEL_AT,   /* parent = worker, flag: pdp's sgsn_ip and teid, which others chose, are a tunnel of
                        that worker's, or no more */
    MSG_QUEUE_CLASS, /* index = class, id = its weight, limit: of all of it on a link */
    MSG_QUEUE_BOUNDS, /* bounds: of mobiles and of all that waits */
    MSG_LIFETIME,     /* lifetime: of packets; MSG_MS_LIMIT of all mobiles is due */
    MSG_READY,        /* ns: READY timer, 0: none */
    MSG_MS_LIMIT,     /* limit.octets: how much may wait for each of the mobiles index to index + id - 1, at
                         most MSG_MS_LIMITS; and they are looked at by the lifetime that holds now */
    MSG_REASSEMBLIES, /* id: uplink N-PDUs in pieces, at most as many as at the start */
    MSG_FENCE,        /* index: answered when no order from before it is pending, but for those that wait for
                         other workers */
    MSG_PDP_PFI,      /* index, id = PFI, N_PDU_NO_PFI: none */
    MSG_PDP_QCLASS,   /* index, id = enum qclass: of what comes from now on */
    MSG_SEND,         /* index = NS-VC, mbuf: an NS PDU to frame and send */
    MSG_LLC_UI,       /* index = mobile, id = SAPI, flag = cipher if that is on, mbuf: information to send */
    MSG_GN_HOP,       /* id = address on Gn, mac: its next hop's */
    MSG_GN_SEND,      /* index = our address, id = a GGSN's, parent = its port, mbuf: what goes in a UDP
                         datagram from GTP-C's port */
    MSG_SEND_FRAME,   /* index = enum msg_port, mbuf: a whole frame to send */
    MSG_TAP,          /* tap: where copies of frames go when that is on, from now on */
    MSG_LLC_FRAME,    /* index = mobile, mbuf: an LLC frame to send that is not UI, without FCS */
    MSG_UPLINK,       /* parent = NSE, mbuf: what came with MSG_UNKNOWN_TLLI; the mobile is here now */
    /* Worker to control. */
    MSG_ANSWER,      /* to the request with the same seq, type in index and index in id: status 0 or -1; to
                        MSG_MS_CIPHER numbers, too */
    MSG_PUNT,        /* index = NS-VC, mbuf: an NS PDU that is not a user's packet */
    MSG_PUNT_LLC,    /* index = mobile, id = SAPI, flag = came ciphered, mbuf: an LLC frame in clear, without
                        FCS, that is not UI or not of a SAPI of users' packets */
    MSG_MS_HEARD,    /* index = mobile, id = BVCI, parent = NSE: a frame of it came from another cell than its
                        own; told once of each */
    MSG_PAGE_WANTED, /* index = mobile, parent = NSE: something waits for it, and it is STANDBY or lost */
    MSG_MS_REACHED,  /* the same: it was heard after that */
    MSG_UNKNOWN_TLLI, /* index = TLLI, id = BVCI, parent = NSE, mbuf: NS PDU with a frame of it, which another
                         NSE of this worker's or another worker may have */
    MSG_PUNT_FRAME,   /* index = enum msg_port, mbuf: a frame that punts.h tells of */
    MSG_PUNT_GN,      /* index = our address, id = the sender's, ADDRESS_NONE: an IPv6 one that is not known,
                         parent = its port, mbuf: what came in a UDP datagram to GTP-C's port */
    MSG_HOP_WANTED,   /* id = address on Gn whose next hop the worker does not know */
    MSG_GN_ECHOED,    /* index, id, parent as in MSG_GN_ECHO: answered */
    MSG_TUNNEL_ERROR, /* index = GGSN's address, id = its TEID: the GGSN has no such context. flag: nor have
                         we, but another worker may, if it ends on pdp's sgsn_ip */
};

#define MSG_MS_LIMITS 64 /* what one order may cost */
#define MSG_AGAIN     1  /* the status of an answer: too many orders wait, send it again */

/* A cell, and the slots that a mobile and its contexts have at the cell's worker. */
struct msg_place {
    uint32_t ms;
    uint16_t bvc;
    uint16_t worker;
    bool is_lost;             /* it was not heard there: nothing goes until it is */
    uint32_t pdps[MS_NSAPIS]; /* of NSAPI 5 + i, MS_PDP_NONE: no context */
};

/* The next N(U) of each SAPI, as ms_sapi_index() counts them. */
struct msg_numbers {
    uint16_t down[MS_SAPIS]; /* to be sent */
    uint16_t up[MS_SAPIS];   /* expected */
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
        struct sched_link_rate link;
        struct gb_policy policy;
        struct gb_flow flow;
        struct gb_discard discard;
        struct gb_flush flush;
        struct ms_params ms;
        struct msg_place place;
        struct pdp_params pdp;
        uint8_t ipv6[ADDRESS_IPV6_OCTETS];
        struct llc_cipher_params cipher;
        struct bssgp_elements elements;
        struct msg_numbers numbers;
        struct sched_limit limit;
        struct sched_bounds bounds;
        struct lifetime lifetime;
        int64_t ns;
        uint8_t mac[6];
        struct tap *tap;
        struct rte_mbuf *mbuf;
    };
};

static_assert(sizeof(struct msg) % 4 == 0, "rings carry multiples of four octets");

/* Whether whoever takes such a message owns a buffer with it. */
static inline bool msg_has_mbuf(uint16_t type)
{
    return type == MSG_SEND || type == MSG_LLC_UI || type == MSG_LLC_FRAME || type == MSG_UPLINK ||
           type == MSG_SEND_FRAME || type == MSG_GN_SEND || type == MSG_PUNT || type == MSG_PUNT_GN ||
           type == MSG_PUNT_LLC || type == MSG_PUNT_FRAME || type == MSG_UNKNOWN_TLLI;
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
