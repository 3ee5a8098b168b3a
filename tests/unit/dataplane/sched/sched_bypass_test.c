/* SPDX-License-Identifier: BSD-3-Clause */
/* The short way: which N-PDUs take it, into which LLC-PDUs they come apart, what buckets hold then, and what
 * AQM counts. */
#include "tests/unit/dataplane/sched/rig.h"
#include "tests/unit/unit.h"

#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/ms.h"

#define N201_U      500
#define FIRST       4 /* SNDCP header of a first segment */
#define LATER       3
#define LLC         6
#define LINK_OCTETS 50 /* around each LLC-PDU */
#define WIDE        1000000
#define NOW         1 /* ns: an empty bucket has run empty */

/* Bmax of the mobile, the cell and the link; how many LLC-PDUs leave, -1: none, and it is to be queued. */
struct row {
    const char *name;
    uint16_t octets;
    uint32_t most[3];
    uint32_t level; /* octets in the mobile's bucket before */
    int count;
};

/* 1400 octets: 496, 497 and 407 of them, in LLC-PDUs of 506, 506 and 416 octets, 1428 in all. */
static const struct row rows[] = {
    {"one LLC-PDU", 496, {WIDE, WIDE, WIDE}, 0, 1},
    {"one octet more", 497, {WIDE, WIDE, WIDE}, 0, 2},
    {"three", 1400, {WIDE, WIDE, WIDE}, 0, 3},
    {"as many as may go", 496 + 3 * 497, {WIDE, WIDE, WIDE}, 0, 4},
    {"too many", 496 + 3 * 497 + 1, {WIDE, WIDE, WIDE}, 0, -1},
    {"fill the mobile's bucket", 1400, {1428, WIDE, WIDE}, 0, 3},
    {"the last does not fit", 1400, {1427, WIDE, WIDE}, 0, -1},
    {"fit beside what is there", 1400, {1500, WIDE, WIDE}, 72, 3},
    {"do not fit beside it", 1400, {1500, WIDE, WIDE}, 73, -1},
    {"fill the cell's bucket", 1400, {WIDE, 1428, WIDE}, 0, 3},
    {"do not fit into the cell's", 1400, {WIDE, 1427, WIDE}, 0, -1},
    {"fill the link's bucket with all their headers", 1400, {WIDE, WIDE, 1428 + 3 * LINK_OCTETS}, 0, 3},
    {"do not fit into the link's", 1400, {WIDE, WIDE, 1428 + 3 * LINK_OCTETS - 1}, 0, -1},
    {"one that is longer than an empty bucket", 496, {500, WIDE, WIDE}, 0, 1},
    {"two that are longer together", 900, {800, WIDE, WIDE}, 0, -1},
    {"two that are longer than the cell's", 900, {WIDE, 800, WIDE}, 0, -1},
};

static void check_grants(const struct row *row, const struct sched_grant *grants, const struct n_pdu *n_pdu)
{
    uint32_t offset = 0;
    for (int i = 0; i < row->count; i++) {
        uint32_t headers = i == 0 ? FIRST : LATER, left = row->octets - offset;
        uint32_t payload = left < N201_U - headers ? left : N201_U - headers;
        assert_ptr_equal(grants[i].n_pdu, n_pdu);
        assert_int_equal(grants[i].offset, offset);
        assert_int_equal(grants[i].segment, i);
        assert_int_equal(grants[i].next.payload_octets, payload);
        assert_int_equal(grants[i].next.llc_octets, payload + headers + LLC);
        assert_int_equal(grants[i].next.last, i + 1 == row->count);
        offset += payload;
    }
    assert_int_equal(offset, row->octets);
    assert_int_equal(n_pdu->sent_octets, row->octets);
}

static void play(const struct row *row)
{
    static const struct rig_counts counts = {.mobiles = 1, .cells = 1, .links = 1, .n_pdus = 1};
    struct sched_params params;
    struct sched_grant grants[SCHED_PASS_MAX];
    struct rig rig;
    struct n_pdu n_pdu = {.octets = row->octets, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};

    sched_params_default(&params);
    params.segmenting = (struct segmenting){FIRST, LATER, LLC};
    rig_new(&rig, &counts, &params);
    struct bucket *bucket = &rig.ms[0].bucket, *cell = &rig.cells[0].bucket, *link = &rig.links[0].bucket;
    rig.ms[0].n201_u = N201_U;
    rig.ms[0].link_octets = LINK_OCTETS;
    bucket_init(bucket, row->most[0], 8, 0);
    bucket_init(cell, row->most[1], 8, 0);
    bucket_init(link, row->most[2], 8, 0);
    if (row->level > 0)
        bucket_take(bucket, row->level, 0);

    int count = sched_bypass(&rig.sched, &rig.ms[0], &n_pdu, grants, NOW);
    assert_int_equal(count, row->count);
    uint32_t octets = 0;
    for (int i = 0; i < count; i++)
        octets += grants[i].next.llc_octets;
    if (count > 0)
        check_grants(row, grants, &n_pdu);
    else
        assert_int_equal(n_pdu.sent_octets, 0);
    assert_int_equal(bucket_level_octets(bucket, NOW), row->level + octets);
    assert_int_equal(bucket_level_octets(cell, NOW), octets);
    assert_int_equal(bucket_level_octets(link, NOW), count > 0 ? octets + (uint32_t)count * LINK_OCTETS : 0);
    rig_free(&rig);
}

TEST(rows_hold)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        print_message("%s\n", rows[i].name);
        play(&rows[i]);
    }
}

static struct sched_aqm_owners owners_of(const struct rig *rig)
{
    return (struct sched_aqm_owners){.mobiles = rig->ms,
                                     .bvcs = rig->cells,
                                     .links = rig->links,
                                     .ms_octets = sizeof(*rig->ms),
                                     .bvc_octets = sizeof(*rig->cells),
                                     .link_octets = sizeof(*rig->links)};
}

/* One mobile whose class has a scheme; R of mobile and cell. */
static void open_aqm(struct rig *rig, const char *scheme, enum sched_aqm_scope scope,
                     const uint64_t rates_bps[2])
{
    static const struct rig_counts counts = {.mobiles = 1, .cells = 1, .links = 1, .n_pdus = 1};
    struct aqm_registry registry;
    struct sched_params params;
    aqm_registry_init(&registry);
    sched_params_default(&params);
    params.segmenting = (struct segmenting){FIRST, LATER, LLC};
    params.aqm[QCLASS_BACKGROUND] =
        (struct sched_aqm_params){.choice = {.ops = aqm_registry_find(&registry, scheme)}, .scope = scope};
    rig_new(rig, &counts, &params);
    const struct sched_aqm_owners owners = owners_of(rig);
    sched_aqm_place(&rig->sched, &owners);
    rig->ms[0].n201_u = N201_U;
    rig->ms[0].flow.turn.qclass = QCLASS_BACKGROUND;
    bucket_init(&rig->ms[0].bucket, WIDE, rates_bps[0], 0);
    bucket_init(&rig->cells[0].bucket, WIDE, rates_bps[1], 0);
    bucket_init(&rig->links[0].bucket, WIDE, 8, 0);
}

/* Returns how often the scheme was asked on arrival so far. */
static uint64_t pass(struct rig *rig)
{
    struct sched_grant grants[SCHED_PASS_MAX];
    uint8_t data[64] = {0x45};
    struct n_pdu n_pdu = {
        .data = data, .octets = sizeof(data), .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
    assert_int_equal(sched_bypass(&rig->sched, &rig->ms[0], &n_pdu, grants, NOW), 1);
    const struct aqm_setup *setup = sched_aqm_setup(&rig->sched, QCLASS_BACKGROUND);
    uint64_t asked = aqm_setup_counts(setup, QCLASS_BACKGROUND, AQM_AT_ENQUEUE).asked;
    assert_int_equal(aqm_setup_counts(setup, QCLASS_BACKGROUND, AQM_AT_DEQUEUE).asked, asked);
    return asked;
}

/* A scheme is idle after the first N-PDU: those of a mobile, and with a rate only if that is the mobile's,
 * until it changes. Each N-PDU is counted at both hooks all the same. */
TEST(idle_schemes_are_not_asked)
{
    static const struct {
        const char *scheme;
        enum sched_aqm_scope scope;
        uint64_t rates_bps[2];
        bool is_idle, is_idle_by_narrow_cell;
    } idle_rows[] = {
        {"codel", SCHED_AQM_MS, {8, 9}, true, true},
        {"codel", SCHED_AQM_FLOW, {9, 8}, true, true},
        {"codel", SCHED_AQM_CLASS_OF_BVC, {8, 9}, false, false},
        {"fq_codel", SCHED_AQM_FLOW, {8, 8}, true, false},
        {"fq_codel", SCHED_AQM_MS, {9, 8}, false, false},
        {"red", SCHED_AQM_MS, {8, 9}, true, false},
        {"pie", SCHED_AQM_MS, {8, 9}, false, false},
        {"cobalt", SCHED_AQM_FLOW, {8, 8}, false, false},
    };
    for (size_t i = 0; i < COUNT(idle_rows); i++) {
        struct rig rig;
        print_message("%s, scope %u\n", idle_rows[i].scheme, idle_rows[i].scope);
        open_aqm(&rig, idle_rows[i].scheme, idle_rows[i].scope, idle_rows[i].rates_bps);
        const uint8_t *flags = &rig.ms[0].flow.turn.flags;
        assert_int_equal(pass(&rig), 1);
        assert_int_equal((*flags & SCHED_FLOW_AQM_IDLE) != 0, idle_rows[i].is_idle);
        assert_int_equal(pass(&rig), 2);
        sched_ms_changed(&rig.sched, &rig.ms[0], NOW);
        assert_int_equal(*flags & SCHED_FLOW_AQM_IDLE, 0);
        bucket_init(&rig.cells[0].bucket, WIDE, 7, 0);
        assert_int_equal(pass(&rig), 3);
        assert_int_equal((*flags & SCHED_FLOW_AQM_IDLE) != 0, idle_rows[i].is_idle_by_narrow_cell);
        rig_free(&rig);
    }
}

/* Gives class background another scheme, or none. */
static void exchange(struct rig *rig, const char *scheme, enum sched_aqm_scope scope)
{
    struct aqm_registry registry;
    struct sched_aqm_params params[QCLASS_COUNT] = {0};
    const struct sched_aqm_owners owners = owners_of(rig);
    char message[128];
    aqm_registry_init(&registry);
    params[QCLASS_BACKGROUND].choice.ops = scheme ? aqm_registry_find(&registry, scheme) : NULL;
    params[QCLASS_BACKGROUND].scope = (uint8_t)scope;
    struct sched_aqm *aqm =
        sched_aqm_prepare(&rig->sched, params, 1U << QCLASS_BACKGROUND, message, sizeof(message));
    assert_non_null(aqm);
    sched_aqm_exchange(&rig->sched, &aqm, &owners, NOW);
    sched_aqm_release(aqm);
}

/* Each scheme begins with counters of 0 and is asked, though the one before it was idle; more often than
 * there are epochs. */
TEST(schemes_are_exchanged)
{
    static const struct {
        const char *scheme;
        enum sched_aqm_scope scope;
    } next[] = {{"codel", SCHED_AQM_MS},           {"pie", SCHED_AQM_MS},
                {"codel", SCHED_AQM_FLOW},         {"red", SCHED_AQM_CLASS_OF_BVC},
                {"codel", SCHED_AQM_CLASS_OF_NSE}, {"cobalt", SCHED_AQM_MS}};
    static const uint64_t rates_bps[2] = {8, 9};
    struct rig rig;
    open_aqm(&rig, "codel", SCHED_AQM_MS, rates_bps);
    for (unsigned i = 0; i < 40; i++) {
        assert_int_equal(pass(&rig), 1);
        assert_int_equal(pass(&rig), 2);
        exchange(&rig, next[i % COUNT(next)].scheme, next[i % COUNT(next)].scope);
        assert_string_equal(sched_aqm_setup(&rig.sched, QCLASS_BACKGROUND)->ops->name,
                            next[i % COUNT(next)].scheme);
    }
    exchange(&rig, NULL, SCHED_AQM_MS);
    assert_null(sched_aqm_setup(&rig.sched, QCLASS_BACKGROUND));
    rig_free(&rig);
}

/* A class keeps scheme and counters while another one changes. */
TEST(other_classes_keep_theirs)
{
    static const uint64_t rates_bps[2] = {8, 9};
    struct rig rig;
    open_aqm(&rig, "pie", SCHED_AQM_MS, rates_bps);
    pass(&rig);
    struct aqm_registry registry;
    struct sched_aqm_params params[QCLASS_COUNT] = {0};
    const struct sched_aqm_owners owners = owners_of(&rig);
    char message[128];
    aqm_registry_init(&registry);
    params[QCLASS_THP1].choice.ops = aqm_registry_find(&registry, "codel");
    struct sched_aqm *aqm =
        sched_aqm_prepare(&rig.sched, params, 1U << QCLASS_THP1, message, sizeof(message));
    sched_aqm_exchange(&rig.sched, &aqm, &owners, NOW);
    sched_aqm_release(aqm);
    assert_int_equal(pass(&rig), 2);
    assert_non_null(sched_aqm_setup(&rig.sched, QCLASS_THP1));
    rig_free(&rig);
}

UNIT_MAIN(NULL, NULL)
