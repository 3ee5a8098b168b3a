/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/reassembly.h"

#include "dataplane/base/moment.h"

#include <rte_mbuf.h>
#include <stdlib.h>

#define NONE UINT32_MAX

bool reassembly_new(struct reassembly *r, uint32_t count, uint32_t pdp_count)
{
    *r = (struct reassembly){.head = NONE, .last = NONE, .free_head = NONE, .count = count, .most = count};
    r->entries = calloc(count, sizeof(*r->entries));
    r->by_pdp = malloc(pdp_count * sizeof(*r->by_pdp));
    if (!r->entries || !r->by_pdp) {
        reassembly_free(r);
        return false;
    }
    for (uint32_t i = count; i-- > 0;) {
        r->entries[i].next = r->free_head;
        r->free_head = i;
    }
    for (uint32_t i = 0; i < pdp_count; i++)
        r->by_pdp[i] = NONE;
    return true;
}

void reassembly_free(struct reassembly *r)
{
    while (r->entries && r->head != NONE)
        reassembly_end(r, &r->entries[r->head]);
    free(r->entries);
    free(r->by_pdp);
    *r = (struct reassembly){.head = NONE};
}

static struct reassembly_entry *begin(struct reassembly *r, uint32_t pdp, uint16_t number, int64_t now)
{
    uint32_t i = r->free_head;
    if (i == NONE || r->used >= r->most)
        return NULL;
    r->used++;
    struct reassembly_entry *entry = &r->entries[i];
    r->free_head = entry->next;
    *entry = (struct reassembly_entry){
        .began_ns = now, .pdp = pdp, .number = number, .prev = r->last, .next = NONE};
    if (r->last != NONE)
        r->entries[r->last].next = i;
    else
        r->head = i;
    r->last = i;
    r->by_pdp[pdp] = i;
    return entry;
}

void reassembly_end(struct reassembly *r, struct reassembly_entry *entry)
{
    uint32_t i = (uint32_t)(entry - r->entries);
    for (unsigned s = 0; s < SNDCP_MAX_SEGMENTS; s++)
        rte_pktmbuf_free(entry->segments[s]);
    if (entry->prev != NONE)
        r->entries[entry->prev].next = entry->next;
    else
        r->head = entry->next;
    if (entry->next != NONE)
        r->entries[entry->next].prev = entry->prev;
    else
        r->last = entry->prev;
    r->by_pdp[entry->pdp] = NONE;
    r->used--;
    entry->next = r->free_head;
    r->free_head = i;
}

static void give_up(struct reassembly *r, struct worker_stats *stats, struct reassembly_entry *entry)
{
    stats->gb_drops[DROP_SNDCP_INCOMPLETE] += entry->received;
    stats->ul_held -= entry->received;
    reassembly_end(r, entry);
}

void reassembly_forget(struct reassembly *r, struct worker_stats *stats, uint32_t pdp)
{
    if (r->by_pdp[pdp] != NONE)
        give_up(r, stats, &r->entries[r->by_pdp[pdp]]);
}

void reassembly_expire(struct reassembly *r, struct worker_stats *stats, int64_t now)
{
    while (reassembly_next_ns(r) <= now)
        give_up(r, stats, &r->entries[r->head]);
}

int64_t reassembly_next_ns(const struct reassembly *r)
{
    return r->head == NONE ? MOMENT_NEVER : moment_add(r->entries[r->head].began_ns, REASSEMBLY_TIMEOUT_NS);
}

/*
 * The entry of a segment. The first segment of another N-PDU ends an older, incomplete one; a later segment
 * of an unknown N-PDU has no entry.
 */
static struct reassembly_entry *entry_for(struct reassembly *r, struct worker_stats *stats,
                                          const struct sndcp *header, uint32_t pdp, int64_t now)
{
    uint32_t i = r->by_pdp[pdp];
    if (i != NONE && r->entries[i].number == header->n_pdu_number)
        return &r->entries[i];
    if (!header->first)
        return NULL;
    if (i != NONE)
        give_up(r, stats, &r->entries[i]);
    return begin(r, pdp, header->n_pdu_number, now);
}

/* Whether a last segment at this position contradicts segments received before. */
static bool is_short(const struct reassembly_entry *entry, unsigned last)
{
    for (unsigned s = last + 1; s < SNDCP_MAX_SEGMENTS; s++)
        if (entry->segments[s])
            return true;
    return false;
}

static bool store(struct reassembly_entry *entry, const struct sndcp *header, struct rte_mbuf *segment)
{
    uint32_t octets = entry->octets + rte_pktmbuf_data_len(segment);
    if (entry->segments[header->segment] || octets > REASSEMBLY_MAX_NPDU_OCTETS)
        return false;
    if (entry->expected && header->segment >= entry->expected)
        return false;
    if (!header->more && is_short(entry, header->segment))
        return false;
    if (!header->more)
        entry->expected = header->segment + 1;
    entry->segments[header->segment] = segment;
    entry->octets = (uint16_t)octets;
    entry->received++;
    return true;
}

struct reassembly_entry *reassembly_put(struct reassembly *r, struct worker_stats *stats,
                                        const struct sndcp *header, uint32_t pdp, struct rte_mbuf *segment,
                                        int64_t now)
{
    struct reassembly_entry *entry = entry_for(r, stats, header, pdp, now);
    if (!entry || !store(entry, header, segment)) {
        stats->gb_drops[DROP_SNDCP_INCOMPLETE]++;
        rte_pktmbuf_free(segment);
        if (entry && entry->received == 0)
            reassembly_end(r, entry);
        return NULL;
    }
    stats->ul_held++;
    if (entry->received != entry->expected)
        return NULL;
    if (entry->octets > 0)
        return entry;
    give_up(r, stats, entry); /* an N-PDU without octets is invalid */
    return NULL;
}
