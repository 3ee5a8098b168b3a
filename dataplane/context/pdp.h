/* SPDX-License-Identifier: BSD-3-Clause */
/* A PDP context: a tunnel on Gn, an NSAPI of a mobile, a traffic class. */
#ifndef DATAPLANE_CONTEXT_PDP_H
#define DATAPLANE_CONTEXT_PDP_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define PDP_OCTETS 64

struct pdp_params {
    uint64_t prefix;    /* the mobile's IPv6 prefix of 64 bits, host order; 0: not known */
    uint64_t interface; /* the lower half of its link-local address, from the GGSN; 0: not known */
    uint32_t ms;        /* index of its mobile */
    uint32_t sgsn_ip;   /* the local end of the tunnel (base/address.h) */
    uint32_t teid;
    uint32_t ggsn_ip; /* the GGSN's end */
    uint32_t ggsn_teid;
    uint32_t address;   /* the mobile's IPv4 address, host order; 0: not known */
    uint8_t ip_version; /* of its packets, by the PDP type: 4 or 6; 0: either (IPv4v6, or not known) */
    uint8_t nsapi;
    uint8_t sapi;
    uint8_t qclass; /* enum qclass */
    uint8_t pfi;    /* packet flow that its N-PDUs belong to, N_PDU_NO_PFI */
};

struct pdp {
    alignas(PDP_OCTETS) struct pdp_params params;
    uint32_t generation;  /* grows each time the slot is filled */
    uint16_t next_number; /* SNDCP N-PDU number, modulo 4096 (TS 44.065 clause 7.2) */
    bool in_use;
    uint8_t error_period; /* in which control was told of an Error Indication (worker/gn_signal.c), 0: none */
    uint32_t sent, dropped; /* N-PDUs of this context at this worker, sent by a sample (worker/fate.h);
                               others may read them at any time */
};

static_assert(sizeof(struct pdp) == PDP_OCTETS, "one cache line");

#define PDP_NUMBER_MODULUS 4096

/* The N-PDU number of the next N-PDU; advances it. */
static inline uint16_t pdp_take_number(struct pdp *pdp)
{
    uint16_t number = pdp->next_number;
    pdp->next_number = (number + 1) % PDP_NUMBER_MODULUS;
    return number;
}

#endif
