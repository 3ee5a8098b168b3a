/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/segments.h"

#include "dataplane/memory/pool.h"
#include "tests/fuzz/fuzz.h"

static struct {
    struct rte_mbuf mbuf;
    struct sndcp header;
    uint32_t pdp;
} segments[SEGMENTS_MAX];

static unsigned used;

void segments_init(void)
{
    used = 0;
}

unsigned segments_count(void)
{
    return used;
}

unsigned segments_held(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < used; i++) {
        unsigned references = rte_mbuf_refcnt_read(&segments[i].mbuf);
        FUZZ_CHECK(references == 1 || references == 2);
        count += references == 2;
    }
    return count;
}

struct rte_mbuf *segments_new(const struct sndcp *header, uint32_t pdp, uint16_t octets)
{
    FUZZ_CHECK(used < SEGMENTS_MAX);
    segments[used].header = *header;
    segments[used].pdp = pdp;
    segments[used].mbuf = (struct rte_mbuf){.data_len = octets, .nb_segs = 1};
    rte_mbuf_refcnt_set(&segments[used].mbuf, 2);
    return &segments[used++].mbuf;
}

void segments_check(const struct reassembly_entry *entry)
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
