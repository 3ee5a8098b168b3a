/* SPDX-License-Identifier: BSD-3-Clause */
/* Payloads of messages (msg.h); msgs.def names the payload of each. */
#ifndef DATAPLANE_WORKER_MSG_PAYLOAD_H
#define DATAPLANE_WORKER_MSG_PAYLOAD_H

#include "dataplane/base/address.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"
#include "dataplane/context/pdp.h"
#include "dataplane/queue/lifetime.h"
#include "dataplane/wire/area.h"
#include "dataplane/wire/bssgp_elements.h"

#include <stdbool.h>
#include <stdint.h>

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

/* An NS-VC of another worker, which datagrams between its endpoints are steered to. */
struct msg_nsvc_at {
    struct gb_nsvc_params params;
    uint16_t worker;
    bool is_gone;
};

struct msg_bvc {
    uint16_t bvci;
    uint16_t nse; /* slot */
};

struct msg_cell {
    uint16_t bvc; /* slot */
    bool is_lost; /* the mobile was not heard in it: its former cell has been deleted */
};

struct msg_assigned {
    uint32_t tlli;  /* from the next frame on */
    bool keeps_old; /* frames with the former TLLI are accepted, too */
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
};

struct msg_llc {
    struct msg_heard from;
    uint8_t sapi;
    bool is_ciphered;
};

/* The ends of a UDP datagram with GTP-C; ADDRESS_NONE: an IPv6 one that is not known. */
struct msg_datagram {
    uint32_t ours, theirs;
    uint16_t port;      /* theirs */
    bool is_answer;     /* as in struct msg_hop */
    bool is_right_port; /* of MSG_PUNT_GN: a response that came to the port of its request (gtpc_port.h) */
};

struct msg_answer {
    uint16_t type; /* of the request; its slot or TLLI is the answer's, too */
    int32_t status;
    struct msg_numbers numbers; /* of the first frame with another key, to MSG_MS_CIPHER */
};

#endif
