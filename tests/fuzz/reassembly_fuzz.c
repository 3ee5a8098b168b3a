/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SNDCP reassembly of the worker. Buffers carry a second reference, which is ours: freeing takes only the
 * worker's away, so that no pool is needed and none can be lost or freed twice without showing.
 */
#include "dataplane/worker/reassembly.h"

#include "dataplane/memory/pool.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { PDPS = 4, ENTRIES = 2, PUTS = 512 };

static struct {
    struct rte_mbuf mbuf;
    struct sndcp header;
    uint32_t pdp;
} segments[PUTS];

static unsigned used;
static struct reassembly table;
static struct worker_stats stats;
static uint64_t done;

static unsigned held(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < used; i++) {
        unsigned references = rte_mbuf_refcnt_read(&segments[i].mbuf);
        FUZZ_CHECK(references == 1 || references == 2);
        count += references == 2;
    }
    return count;
}

static void check_table(void)
{
    uint64_t received = 0;
    int64_t began_ns = INT64_MIN;
    unsigned count = 0;
    for (uint32_t i = table.head; i != UINT32_MAX; i = table.entries[i].next, count++) {
        const struct reassembly_entry *entry = &table.entries[i];
        FUZZ_CHECK(count < ENTRIES && table.by_pdp[entry->pdp] == i && entry->began_ns >= began_ns);
        FUZZ_CHECK(entry->received > 0 && entry->octets <= REASSEMBLY_MAX_NPDU_OCTETS);
        began_ns = entry->began_ns;
        received += entry->received;
    }
    FUZZ_CHECK(received == stats.ul_held && held() == stats.ul_held);
    FUZZ_CHECK(stats.ul_held + stats.gb_drops[DROP_SNDCP_INCOMPLETE] + done == used);
}

/* Its segments are those of one N-PDU, each in its place, and only the last says that it is. */
static void check_complete(const struct reassembly_entry *entry)
{
    size_t octets = 0;
    FUZZ_CHECK(entry->expected >= 1 && entry->expected <= SNDCP_MAX_SEGMENTS);
    FUZZ_CHECK(entry->received == entry->expected);
    for (unsigned s = 0; s < SNDCP_MAX_SEGMENTS; s++) {
        FUZZ_CHECK((entry->segments[s] != NULL) == (s < entry->expected));
        if (!entry->segments[s])
            continue;
        size_t i = (size_t)((const char *)entry->segments[s] - (const char *)segments) / sizeof segments[0];
        FUZZ_CHECK(i < used && segments[i].pdp == entry->pdp && segments[i].header.segment == s);
        FUZZ_CHECK(segments[i].header.n_pdu_number == entry->number);
        FUZZ_CHECK(segments[i].header.more == (s + 1u < entry->expected));
        octets += segments[i].mbuf.data_len;
    }
    FUZZ_CHECK(octets == entry->octets && octets > 0 && octets <= REASSEMBLY_MAX_NPDU_OCTETS);
}

/* Header as it comes from the air, so that only what the codec lets through arrives. */
static void put(struct fuzz_input *input, int64_t now)
{
    uint8_t bytes[SNDCP_FIRST_OCTETS] = {0};
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)fuzz_take(input, 1);
    uint32_t pdp = (uint32_t)fuzz_take(input, 1) % PDPS;
    uint16_t octets = (uint16_t)(fuzz_take(input, 2) % 1600);
    if (sndcp_decode(&segments[used].header, bytes, sizeof bytes) < 0)
        return;
    segments[used].pdp = pdp;
    segments[used].mbuf = (struct rte_mbuf){.data_len = octets, .nb_segs = 1};
    rte_mbuf_refcnt_set(&segments[used].mbuf, 2);
    struct rte_mbuf *mbuf = &segments[used].mbuf;
    const struct sndcp *header = &segments[used++].header;
    struct reassembly_entry *entry = reassembly_put(&table, &stats, header, pdp, mbuf, now);
    if (!entry)
        return;
    check_complete(entry);
    done += entry->received;
    stats.ul_held -= entry->received;
    reassembly_end(&table, entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    int64_t now = 0;
    used = 0;
    done = 0;
    stats = (struct worker_stats){0};
    FUZZ_CHECK(reassembly_new(&table, ENTRIES, PDPS));
    while (input.left > 0 && used < PUTS) {
        uint8_t what = (uint8_t)fuzz_take(&input, 1);
        if (what < 16)
            reassembly_forget(&table, &stats, what % PDPS);
        else if (what < 64)
            now += (int64_t)what * 100000000;
        else
            put(&input, now);
        reassembly_expire(&table, &stats, now);
        FUZZ_CHECK(reassembly_next_ns(&table) > now);
        check_table();
    }
    reassembly_free(&table);
    FUZZ_CHECK(held() == 0);
    return 0;
}
