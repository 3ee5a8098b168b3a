/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whoever waits is on the wheel once, whatever happens meanwhile: entries that nobody waits for any longer
 * are dropped when the wheel is full, no other is, and all wake to the nanosecond.
 */
#include "tests/unit/dataplane/sched/audit.h"
#include "tests/unit/unit.h"

#define TIMES   1000
#define MOBILES 3

static const struct n_pdu n_pdu_of_1000 = {.octets = 1000, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
static const struct n_pdu n_pdu_of_pfc = {.octets = 1000, .qclass = QCLASS_BACKGROUND, .pfi = 1};

static void set_ms(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    bucket_set(&rig->ms[0].bucket, octets, rate_bps, rig->now);
    sched_ms_changed(&rig->sched, &rig->ms[0], rig->now);
}

static void set_cell(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    bucket_set(&rig->cells[0].bucket, octets, rate_bps, rig->now);
    sched_bvc_changed(&rig->sched, &rig->cells[0]);
}

static void set_link(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    struct sched_link_rate rate = {.rate_bps = rate_bps, .max_octets = octets};
    sched_link_set(&rig->sched, &rig->links[0], &rate, rig->now);
}

static void set_pfc(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    struct sched_extra *pfc = sched_pfc_get(&rig->sched, &rig->ms[0], 1);
    bucket_set(&pfc->bucket, octets, rate_bps, rig->now);
    sched_pfc_changed(&rig->sched, pfc, rig->now);
}

/* The same mobile over again, as full as it was. */
static void delete_ms(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    sched_ms_flush(&rig->sched, &rig->ms[0], DROP_CONTEXT_DELETED);
    rig_take_dropped(rig);
    rig_init_ms(rig, 0, 0);
    bucket_set(&rig->ms[0].bucket, octets, rate_bps, rig->now);
    bucket_set_ratio(&rig->ms[0].bucket, 100, rig->now);
    rig_put(rig, 0, &n_pdu_of_1000);
}

static void delete_pfc(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    sched_ms_flush(&rig->sched, &rig->ms[0], DROP_CONTEXT_DELETED);
    rig_take_dropped(rig);
    assert_int_equal(sched_pfc_add(&rig->sched, &rig->ms[0], 1, rig->now), 0);
    set_pfc(rig, octets, rate_bps);
    bucket_set_ratio(&sched_pfc_get(&rig->sched, &rig->ms[0], 1)->bucket, 100, rig->now);
    rig_put(rig, 0, &n_pdu_of_pfc);
}

/* A bucket that is full keeps 1000 octets waiting. So often it is changed, between two ways that it can be,
 * each time so much later; then it is set to leak 8000 bit/s, which takes a second. */
static const struct {
    const char *name;
    void (*change)(struct rig *rig, uint64_t octets, uint64_t rate_bps);
    bool is_pfc;
    int64_t step_ns;
    uint64_t octets[2], rate_bps[2];
} rows[] = {
    {"a mobile's rate", set_ms, false, 1000, {1000, 1000}, {8, 80}},
    {"a mobile's rate, at one instant", set_ms, false, 0, {1000, 1000}, {8, 80}},
    {"a mobile stops and goes, at one instant", set_ms, false, 0, {1000, 1000}, {0, 80}},
    {"a cell's rate", set_cell, false, 1000, {1000, 1000}, {8, 80}},
    {"a cell stops and goes, at one instant", set_cell, false, 0, {1000, 1000}, {0, 80}},
    {"a link's rate", set_link, false, 1000, {1000, 1000}, {8, 80}},
    {"a link's rate, at one instant", set_link, false, 0, {1000, 1000}, {8, 80}},
    {"a packet flow's rate", set_pfc, true, 1000, {1000, 1000}, {8, 80}},
    {"a packet flow stops and goes, at one instant", set_pfc, true, 0, {1000, 1000}, {0, 80}},
    {"a mobile goes and comes", delete_ms, false, 1000, {1000, 1000}, {8, 80}},
    {"a mobile goes and comes, at one instant", delete_ms, false, 0, {1000, 1000}, {80, 80}},
    {"a packet flow goes and comes", delete_pfc, true, 1000, {1000, 1000}, {8, 80}},
    {"a packet flow goes and comes, at one instant", delete_pfc, true, 0, {1000, 1000}, {80, 80}},
};

static void audit(struct rig *rig, size_t row)
{
    const char *complaint = audit_books(rig);
    if (!complaint)
        complaint = audit_wheel(rig);
    if (!complaint)
        complaint = audit_idle(rig);
    if (complaint)
        fail_msg("%s: %s", rows[row].name, complaint);
}

static void begin(struct rig *rig, size_t row)
{
    struct rig_counts counts = {.mobiles = MOBILES, .extras = 1, .cells = 1, .links = 1, .n_pdus = 16};
    struct sched_params params;
    sched_params_default(&params);
    params.max_age_ns = 3600 * RIG_SECOND; /* the timers of ages take their room, too */
    rig_new(rig, &counts, &params);
    for (uint32_t i = 1; i < MOBILES; i++) { /* others wait for long, with all that they have */
        bucket_set(&rig->ms[i].bucket, 1000, 8, 0);
        bucket_set_ratio(&rig->ms[i].bucket, 200, 0);
        rig_put(rig, i, &n_pdu_of_1000);
    }
    if (rows[row].is_pfc)
        assert_int_equal(sched_pfc_add(&rig->sched, &rig->ms[0], 1, 0), 0);
    rows[row].change(rig, 1000, 8000);
    rig_put(rig, 0, rows[row].is_pfc ? &n_pdu_of_pfc : &n_pdu_of_1000);
    rig_settle(rig);
    rig_put(rig, 0, rows[row].is_pfc ? &n_pdu_of_pfc : &n_pdu_of_1000);
    rig_settle(rig);
}

static void change_often(size_t row)
{
    struct rig rig;
    begin(&rig, row);
    for (int i = 0; i < TIMES; i++) {
        rig_run(&rig, rig.now + rows[row].step_ns);
        rows[row].change(&rig, rows[row].octets[i % 2], rows[row].rate_bps[i % 2]);
        rig_settle(&rig);
        if (i % 10 == 0)
            audit(&rig, row);
    }
    uint64_t before = rig.llc_pdus;
    int64_t now = rig.now;
    rows[row].change(&rig, 1000, 8000);
    rig_run(&rig, now + 900 * RIG_MSEC);
    assert_int_equal(rig.llc_pdus, before);
    rig_run(&rig, now + 1 * RIG_SECOND);
    if (rig.llc_pdus != before + 1)
        fail_msg("%s: nobody woke", rows[row].name);
    rig_run(&rig, MOMENT_NEVER);
    assert_int_equal(rig.sched.pkts, 0);
    rig_free(&rig);
}

TEST(changed_any_number_of_times)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        change_often(i);
}

UNIT_MAIN(NULL, NULL)
