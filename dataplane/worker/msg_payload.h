/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages say beside what they are about; msgs.def has which message says what. */
#ifndef DATAPLANE_WORKER_MSG_PAYLOAD_H
#define DATAPLANE_WORKER_MSG_PAYLOAD_H

#include "dataplane/base/address.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"
#include "dataplane/context/pdp.h"
#include "dataplane/queue/lifetime.h"
#include "dataplane/wire/bssgp_elements.h"

#include <stdbool.h>
#include <stdint.h>

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

/* NS-VCs of another worker: a datagram between these ends is for it. */
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
    bool is_lost; /* the mobile was not heard there, its cell is no more */
};

struct msg_assigned {
    uint32_t tlli;  /* from the next frame on */
    bool keeps_old; /* the mobile is heard under that of before, too */
};

struct msg_pfc {
    struct gb_flow flow;
    uint8_t pfi;
};

/* An address of ours, on which tunnels of other workers end, or no more. */
struct msg_address {
    uint32_t ip;
    bool is_there;
};

/* What the place of an address in the address book stands for. */
struct msg_ipv6 {
    uint32_t place;
    uint8_t octets[ADDRESS_IPV6_OCTETS];
};

/* The Echo Request with this number, from an address of ours to a GGSN's. */
struct msg_path {
    uint32_t ours, theirs;
    uint16_t seq;
    bool is_to_send; /* else only its answer is waited for */
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
};

struct msg_llc {
    uint8_t sapi;
    bool is_ciphered;
};

/* The ends of a UDP datagram with GTP-C; ADDRESS_NONE: an IPv6 one that is not known. */
struct msg_datagram {
    uint32_t ours, theirs;
    uint16_t port; /* theirs */
};

struct msg_answer {
    uint16_t type; /* of the request; its slot or TLLI is the answer's, too */
    int32_t status;
    struct msg_numbers numbers; /* of the first frame with another key, to MSG_MS_CIPHER */
};

#endif
