/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The passive analysis: frames of a link with times of the input's choice, or LLC-PDUs of a mobile with their
 * FCS, or, with the first octet's top bit, a whole capture file. Afterwards everything is given back and the
 * sums agree.
 *
 * An analysis has 2.4 MB, of which a run touches little: all runs share one, whose large parts are emptied
 * only where they were used.
 */
#include "analyze/gi_analysis.h"
#include "capture/reader.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc_fcs.h"
#include "tests/fuzz/fuzz.h"

#include <pcap/dlt.h>

#define DAY_NS (86400 * MOMENT_SECOND)

enum { TABLE = 8, MOST_FRAMES = 400, SPREADS = 26, LINKS = 4 };

static const int links[] = {DLT_EN10MB, DLT_RAW, DLT_LINUX_SLL, 276, DLT_NULL, DLT_PPP, DLT_C_HDLC};

static struct gi_analysis analysis;

/* All of a result, in the order of their addresses. */
static void list_spreads(struct gi_spread *list[SPREADS], struct gi_result *r)
{
    unsigned n = 0;
    for (unsigned i = 0; i < GI_BRANCH_COUNT; i++)
        for (unsigned j = 0; j < 2; j++)
            list[n++] = &r->tree[i][j].setup_ns;
    list[n++] = &r->setup_ns;
    for (unsigned i = 0; i < GI_TIME_COUNT; i++)
        list[n++] = &r->internet_rtt_ns[i];
    for (unsigned i = 0; i < GI_TIME_COUNT; i++)
        list[n++] = &r->access_rtt_ns[i];
    list[n++] = &r->loaded_rtt_ns;
    list[n++] = &r->rate_bps;
    list[n++] = &r->throughput_bps;
    list[n++] = &r->goodput_bps;
    for (unsigned i = 0; i < GI_RESULT_THIRDS; i++)
        list[n++] = &r->user_bps[i];
    FUZZ_CHECK(n == SPREADS);
}

/* What lies between them is little. */
static void empty_result(struct gi_result *r)
{
    struct gi_spread *list[SPREADS];
    uint8_t *at = (uint8_t *)r, *end = at + sizeof *r;
    list_spreads(list, r);
    for (unsigned i = 0; i < SPREADS; i++) {
        FUZZ_CHECK((uint8_t *)list[i] >= at);
        memset(at, 0, (size_t)((uint8_t *)list[i] - at));
        if (list[i]->count)
            memset(list[i], 0, sizeof *list[i]);
        at = (uint8_t *)(list[i] + 1);
    }
    memset(at, 0, (size_t)(end - at));
}

/* Spreads are the last fields. */
static void empty_links(struct gb_links *g)
{
    memset(g, 0, offsetof(struct gb_links, confirm_ns));
    for (unsigned way = 0; way < GB_WAYS; way++)
        if (g->confirm_ns[way].count)
            memset(&g->confirm_ns[way], 0, sizeof g->confirm_ns[way]);
}

/* An entry in use has a state. */
__attribute__((no_sanitize("address", "coverage"))) static void empty_tunnel(struct gi_tunnel *t)
{
    memset(t, 0, offsetof(struct gi_tunnel, entries));
    for (unsigned i = 0; i < GI_TUNNEL_ENTRIES; i++)
        if (t->entries[i].state)
            memset(&t->entries[i], 0, sizeof t->entries[i]);
}

static void empty(struct gi_analysis *a)
{
    memset(&a->counts, 0, sizeof a->counts);
    memset(&a->table, 0, sizeof a->table);
    empty_tunnel(&a->tunnel);
    empty_links(&a->links);
    empty_result(&a->result);
    a->last_ns = 0;
}

/* Short lives, so that a few frames see connections end. */
static struct gi_analysis *begin(bool is_told)
{
    struct gi_limits limits = gi_limits_standard();
    struct gi_prefixes told = {.count = 0};
    limits.connections = TABLE;
    limits.mobiles = TABLE;
    limits.links = LINKS;
    limits.entities = limits.compared = LINKS / 2;
    FUZZ_CHECK(gi_limits_set(&limits, "idle_s=20") == NULL);
    FUZZ_CHECK(gi_limits_set(&limits, "period_octets=1000") == NULL);
    FUZZ_CHECK(!is_told || gi_analysis_prefix_add(&told, "10.45.0.0/16"));
    empty(&analysis);
    FUZZ_CHECK(gi_analysis_init(&analysis, &limits, &told));
    return &analysis;
}

static void on_end(void *to, const struct gi_conn *c, const struct gi_verdict *v)
{
    const struct gi_flight *f = &c->flight;
    ++*(uint64_t *)to;
    FUZZ_CHECK(f->hole_count <= GI_FLIGHT_HOLES && f->segment_count == 0);
    FUZZ_CHECK(c->down.retransmitted + c->down.repaired + c->down.late <= c->down.packets);
    FUZZ_CHECK(f->lost + f->spurious <= c->down.retransmitted);
    FUZZ_CHECK(c->setup.ack_ns == 0 || c->setup.syn_acks > 0);
    FUZZ_CHECK(v->branch <= GI_BRANCH_NONE && v->setup_ns >= 0);
    FUZZ_CHECK(c->packets > 0);
}

/* A frame is new, a repetition or what fills a gap; a number that was seen is confirmed or taken back once.
 */
static void check_links(const struct gb_links *g)
{
    FUZZ_CHECK(g->pool.count == g->map.count && g->pool.count <= LINKS);
    for (unsigned way = 0; way < GB_WAYS; way++) {
        struct gb_frames sum = gb_links_sum(g, (enum gb_way)way);
        FUZZ_CHECK(sum.needless <= sum.repeated && sum.repeated + sum.late <= sum.frames);
        FUZZ_CHECK(sum.confirmed + sum.taken_back <= sum.frames - sum.repeated);
        FUZZ_CHECK(sum.repeated_octets <= sum.octets && g->confirm_ns[way].count == sum.confirmed);
    }
}

/* Shares of N-PDUs, and entities and places within their limits. */
static void check_sndcp(const struct gb_sndcp *s)
{
    FUZZ_CHECK(s->entities.count <= s->entities.limit && s->entities.flows.count <= LINKS);
    for (unsigned way = 0; way < GB_WAYS; way++) {
        const struct gb_n_pdus *n = &s->ways[way];
        FUZZ_CHECK(n->compressed <= n->n_pdus &&
                   n->gb_octets <= n->octets + n->n_pdus * COMPRESSION_NPDU_OCTETS);
        FUZZ_CHECK(n->octets <= n->n_pdus * COMPRESSION_NPDU_OCTETS && n->shorter <= n->compressed);
        FUZZ_CHECK(n->would_save.all.octets_after <= n->would_save.all.octets_before);
        for (unsigned kind = 0; kind < COMPRESSION_KINDS; kind++) {
            const struct compression_counts *would = &n->would_save.kinds[kind];
            FUZZ_CHECK(would->octets_after <= would->octets_before && n->kinds[kind].n_pdus <= n->compressed);
        }
    }
}

static void check_sums(const struct gi_analysis *a, uint64_t ended)
{
    const struct gi_result *r = &a->result;
    uint64_t branches = 0;
    for (unsigned i = 0; i < GI_BRANCH_COUNT; i++)
        branches += r->tree[i][0].count + r->tree[i][1].count;
    FUZZ_CHECK(a->table.pool.count == 0 && a->table.map.count == 0);
    FUZZ_CHECK(a->users.pool.count == a->users.map.count && a->users.pool.count <= TABLE);
    FUZZ_CHECK(r->connections == ended && branches + r->undecided == r->by_mobile);
    FUZZ_CHECK(r->by_mobile + r->by_server + r->without_setup == ended);
    check_links(&a->links);
    check_sndcp(&a->links.sndcp);
    FUZZ_CHECK(r->bottleneck[0] + r->bottleneck[1] + r->bottleneck[2] == r->with_data);
}

/* Headers of IP, UDP, NS and BSSGP in front of an LLC-PDU, downlink and uplink. */
static const uint8_t fronts[GB_WAYS][47] = {
    {0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17,   0, 0, 10,   0, 0, 1, 10,   0,    0,    2,    0x59, 0xd8, 0x59, 0xd9,
     0,    0, 0, 0, 0, 0, 0, 9, 0,  0xc0, 0, 1, 0x23, 0, 0, 0, 0x16, 0x82, 0xff, 0xff, 0x0e, 0,    0},
    {0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17,   0, 0, 10,   0, 0, 2, 10,   0,    0,    1,    0x59, 0xd9, 0x59, 0xd8,
     0,    0, 0, 0, 0, 0, 0, 9, 1,  0xc0, 0, 1, 0x23, 0, 0, 0, 0x08, 0x82, 0xff, 0xff, 0x0e, 0,    0},
};

enum {
    FRONT_OCTETS = sizeof fronts[0],
    UDP_LENGTH_AT = 24,
    LLC_LENGTH_AT = FRONT_OCTETS - 2,
    LLC_MOST = 1700
};

static void play_llc_pdu(struct gi_analysis *a, enum gb_way way, const uint8_t *octets, size_t count,
                         int64_t at_ns)
{
    uint8_t packet[FRONT_OCTETS + LLC_MOST + LLC_FCS_OCTETS], *pdu = packet + FRONT_OCTETS;
    size_t whole = FRONT_OCTETS + count + LLC_FCS_OCTETS;
    struct llc llc;
    memcpy(packet, fronts[way], FRONT_OCTETS);
    memcpy(pdu, octets, count);
    memset(pdu + count, 0, LLC_FCS_OCTETS);
    bytes_put_u16(packet + 2, (uint16_t)whole);
    bytes_put_u16(packet + UDP_LENGTH_AT, (uint16_t)(whole - 20));
    bytes_put_u16(packet + LLC_LENGTH_AT, (uint16_t)(count + LLC_FCS_OCTETS));
    if (llc_decode(&llc, pdu, count + LLC_FCS_OCTETS) >= 0)
        llc_fcs_put(pdu + count,
                    llc_fcs(pdu, llc_fcs_covered_octets(llc.header_octets, llc.info_octets, llc.pm)));
    uint8_t *copy = fuzz_copy(packet, whole);
    gi_analysis_frame(
        a, (struct capture_frame){
               .at_ns = at_ns, .link_type = DLT_RAW, .captured = whole, .wire_octets = whole, .bytes = copy});
    free(copy);
}

/* Each: an octet of direction, two of length, the LLC-PDU without its FCS. */
static void play_llc(struct gi_analysis *a, struct fuzz_input *in)
{
    for (unsigned i = 0; i < MOST_FRAMES && in->left; i++) {
        size_t octets;
        enum gb_way way = fuzz_take(in, 1) & 1 ? GB_UPLINK : GB_DOWNLINK;
        size_t wanted = fuzz_take(in, 2);
        const uint8_t *block = fuzz_take_block(in, wanted < LLC_MOST ? wanted : LLC_MOST, &octets);
        play_llc_pdu(a, way, block, octets, 1 + i * MOMENT_SECOND / 1000);
    }
}

/* Each: an octet of time, two of length, the frame; the second octet of input chose link and snap length. */
static void play_frames(struct gi_analysis *a, struct fuzz_input *in)
{
    uint64_t choice = fuzz_take(in, 1);
    size_t snap_octets = choice & 0x40 ? 68 : SIZE_MAX;
    struct capture_frame frame = {.at_ns = 1,
                                  .link_type = links[(choice & 0x1f) % (sizeof links / sizeof links[0])]};
    if (choice & 0x20) {
        play_llc(a, in);
        return;
    }
    for (unsigned i = 0; i < MOST_FRAMES && in->left; i++) {
        size_t octets;
        frame.at_ns += INT64_C(1) << fuzz_take(in, 1) % 36;
        size_t wanted = fuzz_take(in, 2);
        const uint8_t *block = fuzz_take_block(in, wanted, &octets);
        frame.captured = octets < snap_octets ? octets : snap_octets;
        frame.wire_octets = octets;
        uint8_t *copy = fuzz_copy(block, frame.captured);
        frame.bytes = copy;
        gi_analysis_frame(a, frame);
        free(copy);
    }
}

static void play_file(struct gi_analysis *a, struct fuzz_input *in)
{
    struct capture_reader reader = {0};
    struct capture_timeline timeline = {.back_ns = MOMENT_SECOND, .silence_ns = DAY_NS, .set_ns = DAY_NS};
    struct capture_frame frame;
    uint8_t *copy = fuzz_copy(in->at, in->left);
    if (capture_reader_open_memory(&reader, copy, in->left) == 0) {
        while (capture_reader_next(&reader, &frame)) {
            frame.at_ns = capture_timeline_put(&timeline, frame.at_ns);
            gi_analysis_frame(a, frame);
        }
        capture_reader_close(&reader);
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input in = {bytes, len};
    uint64_t choice = fuzz_take(&in, 1), ended = 0;
    struct gi_analysis *a = begin(choice & 1);
    a->on_end = on_end;
    a->to = &ended;
    if (choice & 0x80)
        play_file(a, &in);
    else
        play_frames(a, &in);
    gi_analysis_finish(a);
    check_sums(a, ended);
    gi_analysis_fini(a);
    return 0;
}
