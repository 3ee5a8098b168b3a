/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/reassembly.h"

#include "dataplane/base/moment.h"

#include <rte_mbuf.h>
#include <stdlib.h>

#define NONE UINT32_MAX

bool reassembly_new(struct reassembly *r, uint32_t count, uint32_t pdp_count)
{
    static const struct reassembly_ends empty = {NONE, NONE, 0};
    *r = (struct reassembly){.all = empty,
                             .free_head = NONE,
                             .count = count,
                             .most = count,
                             .held_max = reassembly_buffers(count)};
    for (unsigned i = 0; i < REASSEMBLY_CELLS; i++)
        r->cells[i] = empty;
    r->entries = calloc(count, sizeof(*r->entries));
    r->by_pdp = malloc(pdp_count * sizeof(*r->by_pdp));
    if (!r->entries || !r->by_pdp) {
        reassembly_free(r);
        return false;
    }
    for (uint32_t i = count; i-- > 0;) {
        r->entries[i].newer[REASSEMBLY_OF_ALL] = r->free_head;
        r->free_head = i;
    }
    for (uint32_t i = 0; i < pdp_count; i++)
        r->by_pdp[i] = NONE;
    return true;
}

void reassembly_free(struct reassembly *r)
{
    while (r->entries && r->all.oldest != NONE)
        reassembly_end(r, &r->entries[r->all.oldest]);
    free(r->entries);
    free(r->by_pdp);
    *r = (struct reassembly){.all = {NONE, NONE, 0}};
}

/* --- lists --- */

static void append(struct reassembly *r, enum reassembly_list list, struct reassembly_ends *ends, uint32_t i)
{
    r->entries[i].older[list] = ends->newest;
    r->entries[i].newer[list] = NONE;
    if (ends->newest != NONE)
        r->entries[ends->newest].newer[list] = i;
    else
        ends->oldest = i;
    ends->newest = i;
}

static void take_out(struct reassembly *r, enum reassembly_list list, struct reassembly_ends *ends,
                     const struct reassembly_entry *entry)
{
    uint32_t older = entry->older[list], newer = entry->newer[list];
    if (older != NONE)
        r->entries[older].newer[list] = newer;
    else
        ends->oldest = newer;
    if (newer != NONE)
        r->entries[newer].older[list] = older;
    else
        ends->newest = older;
    ends->held -= entry->received;
}

void reassembly_end(struct reassembly *r, struct reassembly_entry *entry)
{
    uint32_t i = (uint32_t)(entry - r->entries);
    for (unsigned s = 0; s < SNDCP_MAX_SEGMENTS; s++)
        rte_pktmbuf_free(entry->segments[s]);
    take_out(r, REASSEMBLY_OF_ALL, &r->all, entry);
    take_out(r, REASSEMBLY_OF_CELL, &r->cells[entry->cell], entry);
    r->by_pdp[entry->pdp] = NONE;
    r->used--;
    entry->newer[REASSEMBLY_OF_ALL] = r->free_head;
    r->free_head = i;
}

static void give_up(struct reassembly *r, struct worker_stats *stats, struct reassembly_entry *entry,
                    enum drop reason)
{
    stats->gb_drops[reason] += entry->received;
    stats->ul_held -= entry->received;
    reassembly_end(r, entry);
}

void reassembly_forget(struct reassembly *r, struct worker_stats *stats, uint32_t pdp)
{
    if (r->by_pdp[pdp] != NONE)
        give_up(r, stats, &r->entries[r->by_pdp[pdp]], DROP_SNDCP_INCOMPLETE);
}

/* The entry has its time again. */
static void renew(struct reassembly *r, struct reassembly_entry *entry, int64_t now)
{
    take_out(r, REASSEMBLY_OF_ALL, &r->all, entry);
    entry->began_ns = now;
    append(r, REASSEMBLY_OF_ALL, &r->all, (uint32_t)(entry - r->entries));
    r->all.held += entry->received;
}

void reassembly_expire(struct reassembly *r, struct worker_stats *stats, int64_t now)
{
    while (reassembly_next_ns(r) <= now) {
        struct reassembly_entry *oldest = &r->entries[r->all.oldest];
        if (oldest->is_acknowledged)
            renew(r, oldest, now);
        else
            give_up(r, stats, oldest, DROP_SNDCP_INCOMPLETE);
    }
}

int64_t reassembly_next_ns(const struct reassembly *r)
{
    return r->all.oldest == NONE ? MOMENT_NEVER
                                 : moment_add(r->entries[r->all.oldest].began_ns, REASSEMBLY_TIMEOUT_NS);
}

/* --- segments --- */

static void drop_oldest(struct reassembly *r, struct worker_stats *stats, const struct reassembly_ends *ends)
{
    give_up(r, stats, &r->entries[ends->oldest], DROP_SNDCP_LIMIT);
}

/* Makes room for one more segment of a cell. */
static void make_room(struct reassembly *r, struct worker_stats *stats, const struct reassembly_ends *cell)
{
    if (cell->held >= r->held_max / 2)
        drop_oldest(r, stats, cell);
    if (r->all.held >= r->held_max)
        drop_oldest(r, stats, &r->all);
}

static struct reassembly_entry *reassembly_begin(struct reassembly *r, struct worker_stats *stats,
                                                 struct reassembly_source source, uint16_t number,
                                                 int64_t now)
{
    uint16_t cell = source.cell % REASSEMBLY_CELLS;
    while (r->used >= r->most)
        drop_oldest(r, stats, &r->all);
    uint32_t i = r->free_head;
    struct reassembly_entry *entry = &r->entries[i];
    r->used++;
    r->free_head = entry->newer[REASSEMBLY_OF_ALL];
    *entry = (struct reassembly_entry){.began_ns = now,
                                       .pdp = source.pdp,
                                       .cell = cell,
                                       .number = number,
                                       .is_acknowledged = source.is_acknowledged};
    append(r, REASSEMBLY_OF_ALL, &r->all, i);
    append(r, REASSEMBLY_OF_CELL, &r->cells[cell], i);
    r->by_pdp[source.pdp] = i;
    return entry;
}

/*
 * The entry of a segment. The first segment of another N-PDU ends an older, incomplete one; a later segment
 * of an unknown N-PDU has no entry.
 */
static struct reassembly_entry *entry_for(struct reassembly *r, struct worker_stats *stats,
                                          const struct sndcp *header, struct reassembly_source source,
                                          int64_t now)
{
    uint32_t i = r->by_pdp[source.pdp];
    if (i != NONE && r->entries[i].number == header->n_pdu_number)
        return &r->entries[i];
    if (!header->first)
        return NULL;
    if (i != NONE)
        give_up(r, stats, &r->entries[i], DROP_SNDCP_INCOMPLETE);
    return reassembly_begin(r, stats, source, header->n_pdu_number, now);
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
    if (header->first)
        entry->comp = header->comp;
    entry->segments[header->segment] = segment;
    entry->octets = (uint16_t)octets;
    entry->received++;
    return true;
}

struct reassembly_entry *reassembly_put(struct reassembly *r, struct worker_stats *stats,
                                        const struct sndcp *header, struct reassembly_source source,
                                        struct rte_mbuf *segment, int64_t now)
{
    make_room(r, stats, &r->cells[source.cell % REASSEMBLY_CELLS]);
    struct reassembly_entry *entry = entry_for(r, stats, header, source, now);
    if (!entry || !store(entry, header, segment)) {
        stats->gb_drops[DROP_SNDCP_INCOMPLETE]++;
        rte_pktmbuf_free(segment);
        if (entry && entry->received == 0)
            reassembly_end(r, entry);
        return NULL;
    }
    stats->ul_held++;
    r->all.held++;
    r->cells[entry->cell].held++;
    if (entry->received != entry->expected)
        return NULL;
    if (entry->octets > 0)
        return entry;
    give_up(r, stats, entry, DROP_SNDCP_INCOMPLETE); /* an N-PDU without octets is invalid */
    return NULL;
}
