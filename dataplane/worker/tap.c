/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/tap.h"
#include "dataplane/worker/gb_transport.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <string.h>

static bool is_wanted(const struct tap_filter *filter, const struct tap_about *about)
{
    return (filter->side == TAP_NO_SIDE) == (about->kind < TAP_PORT_IN) &&
           (filter->tlli == 0 || filter->tlli == about->tlli) &&
           (filter->bvci == 0 || filter->bvci == about->bvci);
}

/* The next free record; NULL, and counted: the tap is full. */
static struct tap_record *next_record(struct tap *tap)
{
    unsigned head = atomic_load_explicit(&tap->head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(&tap->tail, memory_order_acquire);
    if (head - tail < TAP_RECORDS)
        return &tap->records[head % TAP_RECORDS];
    atomic_fetch_add_explicit(&tap->lost, 1, memory_order_relaxed);
    return NULL;
}

void tap_put(struct tap *tap, const uint8_t *octets, size_t count, const struct tap_about *about, int64_t now)
{
    struct tap_record *record = tap_is_on(tap) && is_wanted(&tap->filter, about) ? next_record(tap) : NULL;
    if (!record)
        return;
    record->at_ns = now;
    record->sojourn_ns = about->n_pdu ? now - about->n_pdu->arrival_ns : 0;
    record->qclass = about->n_pdu ? about->n_pdu->qclass : 0;
    record->tlli = about->tlli;
    record->bvci = about->bvci;
    record->kind = (uint8_t)about->kind;
    record->nsapi = about->nsapi;
    record->segment = about->segment;
    record->is_last = about->is_last;
    record->reason = about->reason;
    record->port = about->port;
    record->frame_octets = (uint16_t)count;
    record->kept_octets = (uint16_t)(count < TAP_OCTETS ? count : TAP_OCTETS);
    memcpy(record->octets, octets, record->kept_octets);
    atomic_fetch_add_explicit(&tap->head, 1, memory_order_release);
}

void tap_put_gb(struct tap *tap, const uint8_t *frame, size_t count, enum tap_kind kind, int64_t now)
{
    struct tap_about about = {.kind = kind};
    if (!tap_is_on(tap))
        return;
    size_t headers = gb_transport_octets(frame, count);
    if (count > headers) {
        const uint8_t *ns = frame + headers;
        size_t octets = count - headers;
        int offset = ns_unitdata_header_get(&about.bvci, ns, octets);
        bool is_users = offset >= 0 && octets >= (size_t)offset + 5 &&
                        (ns[offset] == BSSGP_UL_UNITDATA || ns[offset] == BSSGP_DL_UNITDATA);
        about.tlli = is_users ? bytes_get_u32(ns + offset + 1) : 0;
    }
    tap_put(tap, frame, count, &about, now);
}

/* --- the reader --- */

void tap_start(struct tap *tap, const struct tap_filter *filter)
{
    tap->filter = *filter;
    atomic_store(&tap->tail, atomic_load(&tap->head));
    atomic_store_explicit(&tap->is_on, true, memory_order_release);
}

void tap_stop(struct tap *tap)
{
    atomic_store(&tap->is_on, false);
}

const struct tap_record *tap_get(struct tap *tap)
{
    unsigned tail = atomic_load_explicit(&tap->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&tap->head, memory_order_acquire))
        return NULL;
    return &tap->records[tail % TAP_RECORDS];
}

void tap_done(struct tap *tap)
{
    atomic_fetch_add_explicit(&tap->tail, 1, memory_order_release);
}

void tap_burst_put(struct tap *tap, struct rte_mbuf *const *frames, unsigned count, enum tap_kind kind,
                   int64_t now)
{
    if (likely(!tap_is_on(tap)))
        return;
    for (unsigned i = 0; i < count; i++)
        tap_put_gb(tap, rte_pktmbuf_mtod(frames[i], const uint8_t *), rte_pktmbuf_data_len(frames[i]), kind,
                   now);
}

void tap_port_put(struct tap *tap, struct rte_mbuf *const *frames, unsigned count, enum tap_side side,
                  const struct tap_about *about, int64_t now)
{
    uint8_t copy[TAP_OCTETS];
    if (tap->filter.side != side)
        return;
    for (unsigned i = 0; i < count; i++) {
        uint32_t octets = rte_pktmbuf_pkt_len(frames[i]), kept = octets < TAP_OCTETS ? octets : TAP_OCTETS;
        const uint8_t *bytes = rte_pktmbuf_read(frames[i], 0, kept, copy);
        if (bytes)
            tap_put(tap, bytes, octets, about, now);
    }
}
