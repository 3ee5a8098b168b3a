/* SPDX-License-Identifier: BSD-3-Clause */
/* SNDCP reassembly of the worker: whatever comes, every segment is held, counted as dropped, or delivered. */
#include "dataplane/worker/reassembly.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/segments.h"

enum { PDPS = 5, ENTRIES = 4, CELLS = 2 };

static struct reassembly table;
static struct worker_stats stats;
static uint64_t done;

static void check_table(void)
{
    uint64_t received = 0, of_cell[CELLS] = {0};
    int64_t began_ns = INT64_MIN;
    unsigned count = 0;
    for (uint32_t i = table.all.oldest; i != UINT32_MAX;
         i = table.entries[i].newer[REASSEMBLY_OF_ALL], count++) {
        const struct reassembly_entry *entry = &table.entries[i];
        FUZZ_CHECK(count < ENTRIES && table.by_pdp[entry->pdp] == i && entry->began_ns >= began_ns);
        FUZZ_CHECK(entry->received > 0 && entry->octets <= REASSEMBLY_MAX_NPDU_OCTETS);
        began_ns = entry->began_ns;
        received += entry->received;
        of_cell[entry->cell] += entry->received;
    }
    for (unsigned i = 0; i < CELLS; i++)
        FUZZ_CHECK(of_cell[i] == table.cells[i].held && of_cell[i] <= table.held_max / 2);
    FUZZ_CHECK(received == table.all.held && received <= table.held_max);
    FUZZ_CHECK(received == stats.ul_held && segments_held() == stats.ul_held);
    FUZZ_CHECK(stats.ul_held + stats.gb_drops[DROP_SNDCP_INCOMPLETE] + stats.gb_drops[DROP_SNDCP_LIMIT] +
                   done ==
               segments_count());
}

/* Header as it comes from the air, so that only what the codec lets through arrives. */
static void put(struct fuzz_input *input, int64_t now)
{
    uint8_t bytes[SNDCP_FIRST_OCTETS] = {0};
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)fuzz_take(input, 1);
    uint32_t pdp = (uint32_t)fuzz_take(input, 1) % PDPS;
    uint16_t octets = (uint16_t)(fuzz_take(input, 2) % 1600);
    struct sndcp header;
    if (sndcp_decode(&header, bytes, sizeof bytes) < 0)
        return;
    struct reassembly_source source = {pdp, pdp % CELLS};
    struct rte_mbuf *mbuf = segments_new(&header, pdp, octets);
    struct reassembly_entry *entry = reassembly_put(&table, &stats, &header, source, mbuf, now);
    if (!entry)
        return;
    segments_check(entry);
    done += entry->received;
    stats.ul_held -= entry->received;
    reassembly_end(&table, entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    int64_t now = 0;
    unsigned steps = 0;
    segments_init();
    done = 0;
    stats = (struct worker_stats){0};
    FUZZ_CHECK(reassembly_new(&table, ENTRIES, PDPS));
    for (; input.left > 0 && segments_count() < SEGMENTS_MAX; steps++) {
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
    fuzz_count_sequence(steps);
    reassembly_free(&table);
    FUZZ_CHECK(segments_held() == 0);
    return 0;
}
