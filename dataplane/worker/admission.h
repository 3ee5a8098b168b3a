/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * G-PDUs of one burst between decoding and their mobile's queue. Each is queued here, steered to the worker
 * that its TEID names, or dropped with a reason.
 *
 * Before an N-PDU is steered, its decoded data is stored in its buffer, over the Gn headers. Of these only
 * the source address of an IPv6 packet is read again.
 */
#ifndef DATAPLANE_WORKER_ADMISSION_H
#define DATAPLANE_WORKER_ADMISSION_H

#include "dataplane/base/drop.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/lookup.h"
#include "dataplane/worker/punts.h"
#include "dataplane/worker/worker.h"
#include "dataplane/wire/ipv4.h"

#include <rte_branch_prediction.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The filter of users' packets: an IP packet of the context's type, at least as long as its length field,
 * from or to the mobile, and not to the network that carries it.
 *
 * Over IPv6 a mobile has all addresses of its prefix (TS 23.060 clause 9.2.1.1), and the link-local one with
 * the interface identifier that the GGSN gave. Besides it receives router advertisements to all nodes, and
 * may send router solicitations and, before it has an address, neighbour solicitations for its own (RFC
 * 4861, RFC 4862).
 *
 * Uplink, these destinations are no host's: of IPv4 0/8, 127/8 and 224/3; of IPv6 ::/96 with :: and ::1,
 * ::ffff:0:0/96 and ff00::/8. To groups a mobile may send router solicitations, neighbour solicitations and
 * advertisements, and DHCPv6 (TS 23.060 clause 9.2.1.1, RFC 8415).
 */

/* Default N201-I, and the longest T-PDU that SNDCP has to carry (TS 44.064 table 9, TS 23.060 clause 9.3). */
#define INNER_MAX_OCTETS 1503

/* DROP_NONE, or the first reason to drop a downlink N-PDU of this context. */
enum drop inner_judge(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                      uint16_t octets);

/* Whether a downlink N-PDU is one of nearly all: IPv4 without options, to the context's address, from outside
 * the infrastructure. inner_judge() lets these pass, and must be asked about all others. */
static inline bool inner_is_plain(const struct lookup *lookup, const struct pdp_params *pdp,
                                  const uint8_t *bytes, uint16_t octets)
{
    if (octets < IPV4_OCTETS || octets > INNER_MAX_OCTETS || bytes[0] != 0x45)
        return false;
    unsigned total_octets = bytes_get_u16(bytes + 2);
    uint32_t dst = bytes_get_u32(bytes + 16);
    return total_octets >= IPV4_OCTETS && total_octets <= octets && dst == pdp->address &&
           dst != pdp->ggsn_ip && pdp->ip_version != 6 && dst != 0 &&
           !((lookup->gn.marks | lookup->gb.marks) & lookup_mark(dst));
}

/* inner_judge() for an uplink N-PDU. allows_any: also to loopback, unspecified, broadcast, multicast and
 * IPv4-mapped addresses. */
enum drop inner_judge_uplink(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                             uint16_t octets, bool allows_any);

/* N-PDUs, each with its datagram, the key of its tunnel, and its context. Invariant: looked <= count. */
struct admission {
    unsigned count;
    unsigned looked; /* of these, the N-PDUs whose contexts have been looked for */
    bool is_missed;  /* of one of these the TEID is no index */
    bool is_steered; /* another worker received them; they are not steered again */
    struct n_pdu *n_pdus[WORKER_BURST];
    struct table_key keys[WORKER_BURST];
    uint32_t found[WORKER_BURST]; /* tunnels_find(); the first `looked` are set */
    struct gn_datagram datagrams[WORKER_BURST];
};

/* Starts an empty burst; writes only what is read later, as the struct is large. */
static inline void admission_start(struct admission *burst, bool is_steered)
{
    burst->count = 0;
    burst->looked = 0;
    burst->is_missed = false;
    burst->is_steered = is_steered;
}

/* Finds the contexts of the N-PDUs before `end` whose TEIDs are indices, and prefetches their mobiles. Their
 * contexts should have been prefetched. */
static inline void admission_look(const struct worker *w, struct admission *burst, unsigned end)
{
    for (; burst->looked < end; burst->looked++) {
        uint32_t found = tunnels_find_own(&w->tunnels, &burst->keys[burst->looked]);
        burst->found[burst->looked] = found;
        if (unlikely(found == TUNNELS_NONE)) {
            burst->is_missed = true;
            continue;
        }
        const struct pdp_params *pdp = &w->context.pdps[found].params;
        context_ms_prefetch(&w->context, pdp->ms, pdp->sapi);
    }
}

/* Handles the whole burst and takes ownership of its N-PDUs. */
void admission_queue(struct worker *w, struct admission *burst, int64_t now);

/* The two stages of admission_queue(). First: the contexts of all N-PDUs, and prefetches for the second.
 * Second: admission, AQM, and the mobile's queue or bypass for N-PDUs `from` to before `end`. It may send a
 * burst, when more LLC-PDUs bypass the queue than a burst holds. */
void admission_find(const struct worker *w, struct admission *burst);
void admission_settle(struct worker *w, const struct admission *burst, unsigned from, unsigned end,
                      int64_t now);

/* Adds an N-PDU that another worker steered here. There must be room in the burst. */
void admission_put(struct admission *burst, struct n_pdu *n_pdu);

#endif
