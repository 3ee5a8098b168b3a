/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between the control core and a worker, by value, on two single-producer single-consumer rings
 * (msgs.def has a row for each). The thread that takes a message from its ring owns the mbuf in it. The
 * worker answers each order with its sequence number.
 */
#ifndef DATAPLANE_WORKER_MSG_H
#define DATAPLANE_WORKER_MSG_H

#include "dataplane/abm/link.h"
#include "dataplane/base/address.h"
#include "dataplane/compression/compression.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"
#include "dataplane/esp/faults.h"
#include "dataplane/queue/flow_queue.h"
#include "dataplane/sched/link.h"
#include "dataplane/wire/identity.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/worker/forward.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Payloads of messages (msg.h); msgs.def names the payload of each. */

/* A cell, and the slots that a mobile and its contexts have at the cell's worker. */
struct msg_place {
    uint32_t ms;
    uint16_t bvc;
    uint16_t worker;
    bool is_lost;             /* not heard in the cell yet: no downlink frame until then */
    uint32_t pdps[MS_NSAPIS]; /* of NSAPI 5 + i, MS_PDP_NONE: no context */
};

/* The next N(U) of each SAPI, indexed by ms_sapi_index(). */
struct msg_numbers {
    uint16_t down[MS_SAPIS]; /* to be sent */
    uint16_t up[MS_SAPIS];   /* expected */
};

/* The LLC of a mobile that is deleted. is_kept: the mobile keeps these numbers, as it is neither
 * ciphered nor told to reset; false of one that another worker serves. */
struct msg_gone {
    uint32_t tlli;
    struct msg_numbers numbers;
    bool is_kept;
};

/* Of contexts in acknowledged mode, by NSAPI - 5: N-PDU numbers of SNDCP as a PDP Context IE has them
 * (TS 29.060 clause 7.7.29). */
struct msg_n_pdu_numbers {
    uint16_t nsapis;                             /* bit NSAPI - 5: it has numbers */
    uint8_t send[MS_NSAPIS], receive[MS_NSAPIS]; /* of the next N-PDU down, and up */
};

/* An NS-VC of another worker, which datagrams between its endpoints are steered to. */
struct msg_nsvc_at {
    struct gb_nsvc_params params;
    uint16_t worker;
    bool is_gone;
};

struct msg_bvc {
    uint16_t bvci;
    uint16_t nse; /* slot */
    uint8_t area[AREA_ROUTEING];
};

struct msg_cell {
    uint16_t bvc; /* slot */
    bool is_lost; /* the mobile was not heard in it: its former cell has been deleted */
};

struct msg_assigned {
    uint32_t tlli;  /* from the next frame on */
    bool keeps_old; /* frames with the former TLLI are accepted, too */
};

/* Bounds that an XID exchange sets on a SAPI: sizes at most, T200 and N200 at least. */
struct msg_abm {
    uint8_t sapi;
    struct link_values bounds;
};

/* An entity of SNDCP's compression: a new one, another value of one, or with nsapis 0 the end of one. */
struct msg_compression {
    struct compression_entity *memory; /* NULL: the SAPI's entity of that kind has it, or ends */
    struct compression_params params;
    bool is_new; /* it restarts, though its parameters may be those of before */
};

struct msg_pfc {
    struct gb_flow flow;
    uint8_t pfi;
};

/* A local Gn address on which tunnels of other workers end. is_there: false when the last of them ended. */
struct msg_address {
    uint32_t ip;
    bool is_there;
};

/* The IPv6 address of a place in the address book. */
struct msg_ipv6 {
    uint32_t place;
    uint8_t octets[ADDRESS_IPV6_OCTETS];
};

/* An Echo Request, from a local address to a GGSN's, by its sequence number. */
struct msg_path {
    uint32_t ours, theirs;
    uint16_t seq;
    bool is_to_send; /* false: another worker sends it; only the answer is expected here */
};

/* A tunnel of another worker's, to a TEID that others chose. */
struct msg_tunnel {
    uint32_t sgsn_ip, teid;
    uint16_t worker;
    bool is_there;
};

/* A GGSN has no context with this TEID. */
struct msg_tunnel_error {
    uint32_t ggsn_ip, teid;
    uint32_t sgsn_ip;  /* whom the GGSN told, if is_elsewhere */
    bool is_elsewhere; /* nor have we, but another worker may */
};

struct msg_queue_class {
    uint32_t qclass, weight;
    struct sched_limit limit; /* of all of it on a link */
};

/* How much may wait for each of the mobiles `first` to `first + count - 1`. */
struct msg_ms_limit {
    uint32_t first, count; /* at most MSG_MS_LIMITS */
    uint64_t octets;
};

struct msg_hop {
    uint32_t ip; /* on Gn */
    uint8_t mac[6];
    bool is_gone;   /* of MSG_GN_HOP: the worker forgets it */
    bool is_answer; /* of MSG_HOP_WANTED: to a sender that is not proven to be a GGSN */
};

/* The cell that a mobile was heard in. */
struct msg_heard {
    uint16_t bvci;
    uint16_t nse;               /* slot */
    uint8_t cell_id[AREA_CELL]; /* Cell Identifier of the UL-UNITDATA (TS 48.018 clause 11.3.9) */
    uint8_t number;             /* of MSG_MS_HEARD, which MSG_MS_DECIDED names */
};

/* from: of an order, the cell that the frame is for, though the mobile is in another one: MSG_APART comes
 * with it; bvci 0: the mobile's cell. tlli: of an order, the one of the frame; 0: the mobile's. */
struct msg_llc {
    struct msg_heard from;
    uint32_t tlli;
    uint8_t sapi;
    bool is_ciphered;
    bool is_restarted; /* N(U) is old, or far ahead, in a UI frame of GMM in clear */
};

/* The ends of a UDP datagram with GTP-C; ADDRESS_NONE: an IPv6 one that is not known. */
struct msg_datagram {
    uint32_t ours, theirs;
    uint16_t port;      /* theirs */
    bool is_answer;     /* as in struct msg_hop */
    bool is_right_port; /* of MSG_PUNT_GN: a response that came to the port of its request (gtpc.h) */
};

/* The ends of a context: the GGSN's end of its tunnel, and the addresses of the mobile, as of struct
 * pdp_params. */
struct msg_ggsn {
    uint32_t ip, teid;
    uint32_t address;
    uint64_t prefix, interface;
};

/* The mode of LLC that a context is to have. generation: control's, which the answer has, too. */
struct msg_llc_mode {
    uint32_t generation;
    bool is_acknowledged;
    bool is_continued;     /* another SGSN had it in acknowledged mode: */
    uint8_t send, receive; /* N-PDU numbers as in struct msg_n_pdu_numbers */
};

/* The number of the next N-PDU down that a mobile expects on an NSAPI in acknowledged mode. */
struct msg_received {
    uint8_t nsapi;
    uint8_t number;
};

struct msg_answer {
    uint16_t type; /* of the order; its slot or TLLI is the answer's, too */
    int32_t status;
    uint32_t generation; /* of MSG_PDP_LLC */
    union {
        struct msg_numbers numbers;      /* of the first frame with another key, to MSG_MS_CIPHER */
        struct msg_n_pdu_numbers n_pdus; /* to MSG_MS_HOLD */
        struct msg_gone gone;            /* to MSG_MS_DEL */
    };
};

/* Other rules for a port's guard. */
struct msg_rules {
    struct rules *rules;
    uint16_t port; /* enum msg_port */
};

struct rules;
struct sched_aqm;
struct shares;
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
#define MSG_SUBJECT(NAME, index, key, way) MSG_BY_##NAME,
#include "dataplane/worker/msgs.def"
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
#define MSG_NO_LINK   2  /* likewise, to MSG_PDP_LLC: all links are in use, and nothing has changed */

struct msg {
    uint16_t type; /* enum msg_type */
    uint16_t nse;  /* slot of the NSE in which a mobile has `tlli`, or in which it was heard */
    uint32_t seq;  /* of an order, and of its answer */
    union {
        uint32_t slot; /* of what the message is about at its worker */
        uint32_t tlli;
    };
    uint32_t share; /* of the ring to control (shares.h) */
    union {         /* the payload, which the row names */
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
        uint32_t npdus;
        struct gb_policy policy;
        struct gb_flow flow;
        struct ms_params ms;
        struct msg_place place;
        struct gb_discard discard;
        struct gb_flush flush;
        bool is_suspended;
        bool is_held;
        struct msg_received received;
        struct forward_to forward;
        uint32_t forwarder_ip; /* ADDRESS_NONE: none any more */
        struct msg_ggsn ggsn;
        bool is_lost;
        uint8_t heard_number;
        struct msg_cell cell;
        struct bssgp_elements elements;
        struct ms_imsi imsi;
        struct msg_assigned assigned;
        uint8_t pfi;
        struct msg_pfc pfc;
        struct llc_cipher_params cipher;
        uint32_t unprotected_sapis;
        uint32_t n201_u_octets;
        struct msg_abm abm;
        struct msg_compression compression;
        struct {
            struct pdp_params pdp;
            uint32_t server_pdp; /* its slot at the worker that serves the mobile, if that is another */
        };
        uint8_t qclass;
        struct msg_llc_mode llc_mode;
        struct msg_address address;
        struct msg_ipv6 ipv6;
        struct msg_path path;
        struct msg_tunnel tunnel;
        struct msg_tunnel_error tunnel_error;
        struct msg_queue_class queue_class;
        struct sched_aqm **aqm; /* a box with those of all classes */
        struct sched_bounds bounds;
        struct lifetime lifetime;
        int64_t ready_ns;
        struct msg_ms_limit ms_limit;
        uint32_t reassemblies;
        struct link_values link_values;
        struct msg_hop hop;
        struct tap *tap;
        struct msg_rules rules;
        struct faults_news esp_fault;
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

/* Gives back what a message carries that no handler has taken: its mbuf, the memory of an entity. */
void msg_free(const struct msg *msg);

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
    struct shares *shares;       /* of to_control; NULL: no message has one */
};

/* Rings of `size` messages (a power of two), with names made from `name`. False when there is no memory. */
bool msg_rings_new(struct msg_rings *rings, const char *name, unsigned size);
void msg_rings_free(struct msg_rings *rings);

/* Copies a message in or out; false when the ring is full or empty. */
bool msg_put(struct rte_ring *ring, const struct msg *msg);
bool msg_take(struct rte_ring *ring, struct msg *msg);

#endif
