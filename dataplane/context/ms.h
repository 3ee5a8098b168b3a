/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mobile: its identities, cell, queue and bucket, the numbering of its LLC entities, its ciphering.
 *
 * Cache lines of 64 octets:
 *
 *     0  1 | sched: bucket, cell, instants; its first flow   each arriving N-PDU, each LLC-PDU sent
 *     2    | what it waits for (sched/wait.h)                changes of that
 *     3    | tlli .. epoch, llc of SAPIs 1, 3, 5, (7)        each frame
 *     4    | llc of SAPIs (7), 9, 11; the key in force       frames of these SAPIs, ciphered frames
 *     5  6 | former keys; flow control; lists; PDP contexts  changes, uplink
 *
 * Invariants: a mobile in use is in the list of exactly one cell. With own_flow the parameters of its bucket
 * are of the last FLOW-CONTROL-MS, else the cell's defaults of `epoch`. A mobile with queued N-PDUs is in
 * the cell's list of busy mobiles; those in the list that follow the defaults have the epoch of the cell.
 * SCHED_MS_SUSPENDED = stops is not 0.
 */
#ifndef DATAPLANE_CONTEXT_MS_H
#define DATAPLANE_CONTEXT_MS_H

#include "dataplane/base/bigmem.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/llc.h"
#include "dataplane/sched/sched.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MS_NONE        UINT32_MAX
#define MS_IMSI_OCTETS 8 /* Mobile Identity value of 15 digits */
#define MS_SAPIS       6 /* 1, 3, 5, 7, 9, 11 */
#define MS_SAPI_LINE_3 5 /* the last whose entity is in line 3 */
#define MS_NSAPI_MIN   5
#define MS_NSAPIS      11 /* 5 to 15 */
#define MS_PDP_NONE    UINT32_MAX
#define MS_LINE_OCTETS ((size_t)64)
#define MS_TICK_BITS   30 /* nanoseconds in a tick, 1.07 s */

/* Links of a list of mobiles, by index. */
struct ms_link {
    uint32_t prev, next; /* MS_NONE ends */
};

/* The announcement of FLOW-CONTROL-MS. */
struct ms_own_flow {
    uint64_t octets, rate_bps;
};

/*
 * Why nothing is sent to a mobile, and its N-PDUs wait; several at a time.
 *
 *     MS_SUSPENDED    by SUSPEND of its BSS; with drops_suspended, and not held, its N-PDUs are dropped
 *     MS_HELD         another SGSN asks for the mobile, or has not handed it over yet (TS 23.060 clause
 *                     6.9.1.2.2): no AQM scheme is asked for N-PDUs that arrive, and none grows too old
 *     MS_AWAITS_CELL  it was heard in another cell, and control has not decided yet whether it goes there:
 *                     what is sent behind that frame goes to the new cell (TS 23.060 clause 6.9.1.1)
 */
enum ms_stop { MS_SUSPENDED = 1, MS_HELD = 2, MS_AWAITS_CELL = 4 };

struct ms {
    alignas(64) struct sched_ms sched;
    uint32_t tlli;
    uint16_t bvc; /* index of its cell */
    bool in_use : 1;
    bool own_flow : 1;
    bool is_busy : 1;
    bool is_paged : 1;       /* control was told that it is to be paged, see worker/standby.h */
    bool is_wanted : 1;      /* control has a message for it, and was not told that it is in READY */
    bool has_tlli_old : 1;   /* also known by tlli_old */
    bool tells_tlli_old : 1; /* its frames carry tlli_old: no frame with tlli was received yet */
    bool has_elements : 1;   /* in the context's table of elements */
    bool is_ciphered : 1;    /* llc_cipher_is_on(&cipher), which is in another line */
    bool compresses : 1;     /* it has entities of SNDCP */
    uint8_t unprotected;     /* bit i: frames of llc[i] are sent in unprotected mode (PM = 0) */
    uint8_t imsi_octets;     /* 0: not known */
    uint16_t heard_ticks;    /* last frame from it, in ticks of 2^MS_TICK_BITS ns, modulo 2^16 */
    uint8_t imsi[MS_IMSI_OCTETS];
    uint32_t epoch; /* of the cell's defaults that it follows */
    struct llc_entity llc[MS_SAPIS];
    struct llc_cipher cipher;
    uint32_t tlli_old;
    bool is_guest : 1;        /* another worker is its home (worker/moves.h) */
    bool drops_suspended : 1; /* N-PDUs that are queued or arrive while it is suspended */
    bool stays_in_area : 1;   /* its frames from cells of another routeing area do not move it (gb_rx.c) */
    bool awaits_reset : 1;    /* it was told to reset its LLC, and has not answered */
    uint8_t stops : 3;        /* of enum ms_stop */
    bool changed_cell : 1;    /* since control last decided on a cell that it was heard in */
    uint8_t heard_number;     /* of the last MSG_MS_HEARD, modulo 2^8 */
    uint16_t told_bvci;       /* of the cell that control was told last; 0: its own, or of another NSE */
    union {
        defaults_nbit offset_nbit; /* of these defaults */
        struct ms_own_flow own;    /* with own_flow */
    };
    struct ms_link in_bvc, busy;
    uint32_t pdp[MS_NSAPIS]; /* index of the context on NSAPI 5 + i, MS_PDP_NONE */
    uint32_t remote; /* record of a remote mobile, 0: not remote; a remote mobile is not in use here */
};

static_assert(MS_SAPIS == LLC_CIPHER_SAPIS, "one numbering of the SAPIs");
static_assert(sizeof(struct ms) == 7 * MS_LINE_OCTETS, "as drawn above");
static_assert(offsetof(struct ms, sched) == 0, "ms_of()");
static_assert(sizeof(struct sched_ms) == 3 * MS_LINE_OCTETS, "the scheduler's part");
static_assert(offsetof(struct ms, llc) + 3 * sizeof(struct llc_entity) <= 4 * MS_LINE_OCTETS,
              "SAPIs 1, 3, 5 in line 3");
static_assert(offsetof(struct ms, cipher) + sizeof(struct llc_key) <= 5 * MS_LINE_OCTETS,
              "what a frame needs in lines 3 and 4");

/* An instant, or a time rounded up, in ticks. */
static inline uint16_t ms_ticks(int64_t ns)
{
    return (uint16_t)(ns >> MS_TICK_BITS);
}

/* An IMSI as identity_imsi_encode() writes it. */
struct ms_imsi {
    uint8_t octets; /* 0: not known, or not to be told */
    uint8_t value[MS_IMSI_OCTETS];
};

struct ms_params {
    uint32_t tlli;
    uint16_t bvc;
    uint16_t n201_u;
    uint32_t queue_limit_octets;
    uint8_t link_octets; /* octets of a frame that the link's bucket counts besides its LLC-PDU:
                            ms_link_octets() */
    bool stays_in_area, drops_suspended;
    uint16_t first_down[MS_SAPIS]; /* V(U) */
    uint8_t first_sapi;            /* a UI frame in clear that control has had; 0: none */
    uint16_t first_nu;
    uint8_t imsi_octets;
    uint8_t imsi[MS_IMSI_OCTETS];
};

/* The mobile of a scheduler's struct. */
static inline struct ms *ms_of(struct sched_ms *sched)
{
    return (struct ms *)(void *)sched;
}

/* Index into ms.llc of a SAPI that carries users' packets or signalling (1, 3, 5, 7, 9, 11); else -1. */
static inline int ms_sapi_index(uint8_t sapi)
{
    return sapi % 2 == 1 && sapi <= 11 ? sapi / 2 : -1;
}

/* The context on an NSAPI (0 to 15), or MS_PDP_NONE. */
static inline uint32_t ms_pdp(const struct ms *ms, unsigned nsapi)
{
    unsigned i = nsapi - MS_NSAPI_MIN;
    return i < MS_NSAPIS ? ms->pdp[i] : MS_PDP_NONE;
}

/* Prefetches lines 0, 1 and 3, which an N-PDU and its frame need, and the entity of a SAPI that is in line 4:
 * with 100 000 mobiles that saves a fifth of a packet's time in the worker (gbflow bench preloaded). */
static inline void ms_prefetch(const struct ms *ms, uint8_t sapi)
{
    prefetch_line(ms);
    prefetch_line((const uint8_t *)ms + MS_LINE_OCTETS);
    prefetch_line(&ms->tlli);
    if (sapi > MS_SAPI_LINE_3)
        prefetch_line(&ms->llc[ms_sapi_index(sapi)]);
}

/* llc_cipher_switch() of a mobile: from its next frames on. */
int ms_cipher_switch(struct ms *ms, const struct llc_cipher_params *params);

/* Octets that SNDCP (TS 44.065 clause 6.7) and LLC add to a segment; in an I frame without a bitmap. */
struct segmenting ms_segmenting(bool is_acknowledged);

/* Whether segments of this N201-U can be framed and numbered: 140 to 1520. */
bool ms_can_n201_u(uint32_t octets);

/* A mobile's largest LLC-PDU. */
uint32_t ms_largest_pdu(const struct ms *ms);

/* Input of ms_link_octets(). */
struct ms_link_header {
    unsigned imsi_octets;
    bool has_pfi, is_aligned;
};

/*
 * NS and BSSGP headers of an LLC-PDU of more than 127 octets (a shorter one has an octet less) of a mobile
 * without elements of its own, plus the operator's overhead per frame, limited to 0 .. MS_LINK_MAX_OCTETS.
 */
uint8_t ms_link_octets(const struct ms_link_header *header, int overhead_octets);

/* The same plus `more` octets of elements, which may be negative. */
uint8_t ms_link_octets_with(uint8_t link_octets, int more);

/* A PDP context: a tunnel on Gn, an NSAPI of a mobile, a traffic class. */

#define PDP_OCTETS      64
#define PDP_ANY_PAYLOAD UINT8_MAX /* N-PDUs need not be IP: nothing looks into them */

struct pdp_params {
    uint64_t prefix;    /* the mobile's IPv6 prefix of 64 bits, host order; 0: not known */
    uint64_t interface; /* the lower half of its link-local address, from the GGSN; 0: not known */
    uint32_t ms;        /* index of its mobile */
    uint32_t sgsn_ip;   /* the local end of the tunnel (base/address.h) */
    uint32_t teid;
    uint32_t ggsn_ip; /* the GGSN's end */
    uint32_t ggsn_teid;
    uint32_t address;   /* the mobile's IPv4 address, host order; 0: not known */
    uint8_t ip_version; /* of its packets, by the PDP type: 4 or 6; 0: either (IPv4v6, or not known);
                           PDP_ANY_PAYLOAD */
    uint8_t nsapi;
    uint8_t sapi;
    uint8_t qclass;       /* enum qclass */
    uint8_t pfi;          /* packet flow that its N-PDUs belong to, N_PDU_NO_PFI */
    bool is_acknowledged; /* LLC carries its N-PDUs in acknowledged mode (worker/gb_abm.h) */
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
