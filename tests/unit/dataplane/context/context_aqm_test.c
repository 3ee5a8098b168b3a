/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemes in the queues: when they are asked, what they are shown, whose state they get, what follows. */
#include "tests/unit/dataplane/context/rig.h"

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/sched/aqm.h"

#include <string.h>

enum { PACKET = 100 };

/* A scheme that does as it is told, and remembers what it was shown. */
struct told {
    enum aqm_verdict comes, goes;
    uint32_t goes_octets; /* goes: only of this length; 0: of any */
    struct aqm_view came, gone;
    unsigned comes_count, goes_count;
    uint32_t seen; /* calls that the instance had had before */
};

struct told_law {
    struct told *told;
};

struct told_state {
    uint32_t calls;
};

static const char *prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    ((struct told_law *)law)->told = ops->context;
    return NULL;
}

static enum aqm_verdict comes(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    struct told *told = ((const struct told_law *)law)->told;
    told->came = *view;
    told->comes_count++;
    told->seen = ((struct told_state *)state)->calls++;
    view->tag = view->octets + 7;
    return told->comes;
}

static enum aqm_verdict goes(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    struct told *told = ((const struct told_law *)law)->told;
    told->gone = *view;
    told->goes_count++;
    assert_int_equal(view->tag, view->octets + 7);
    return told->goes_octets == 0 || told->goes_octets == view->octets ? told->goes : AQM_PASS;
}

struct lab {
    struct rig rig;
    struct told told;
    struct aqm_ops ops;
    uint8_t data[RIG_N_PDUS][PACKET];
};

static const struct aqm_param ecn_only[] = {AQM_PARAM_ECN(1)};

static void open_lab(struct lab *lab, enum sched_aqm_scope scope)
{
    struct context_policy policy;
    context_policy_default(&policy);
    memset(lab, 0, sizeof(*lab));
    lab->ops = (struct aqm_ops){.name = "told",
                                .params = ecn_only,
                                .param_count = 1,
                                .law_octets = sizeof(struct told_law),
                                .state_octets = sizeof(struct told_state),
                                .context = &lab->told,
                                .prepare = prepare,
                                .enqueue = comes,
                                .dequeue = goes};
    policy.sched.flow_queues = 4;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        policy.sched.aqm[k] = (struct sched_aqm_params){.choice = {.ops = &lab->ops}, .scope = scope};
    rig_open_policy(&lab->rig, &policy, false);
}

/* Two mobiles in the first cell, one in the second; a cell of 8 kbit/s, mobiles of 4. */
static void open_with_mobiles(struct lab *lab, enum sched_aqm_scope scope)
{
    open_lab(lab, scope);
    for (uint16_t i = 0; i < RIG_NSES; i++) {
        struct gb_flow flow = rig_flow(2000, 8000, 1000, 4000);
        assert_int_equal(context_bvc_flow(&lab->rig.c, i, &flow, lab->rig.now), 0);
    }
    for (uint32_t i = 0; i < 3; i++) {
        struct ms_params ms = rig_ms(i / 2, 0xc0000001 + i);
        assert_int_equal(context_ms_add(&lab->rig.c, i, &ms, lab->rig.now), 0);
    }
}

/* An IPv4 packet of one of a mobile's 5-tuples comes; the reason. */
static int put(struct lab *lab, uint32_t ms, uint16_t port, uint16_t octets, enum aqm_ecn ecn)
{
    struct rig *rig = &lab->rig;
    assert_true(rig->used < RIG_N_PDUS);
    uint8_t *data = lab->data[rig->used];
    const uint8_t header[] = {0x45, (uint8_t)ecn, 0, PACKET, 0, 0,  0, 0, 64, 17, 0,
                              0,    10,           0, 0,      1, 10, 0, 0, 2};
    struct n_pdu *n_pdu = &rig->n_pdus[rig->used++];
    memcpy(data, header, sizeof(header));
    data[20] = (uint8_t)(port >> 8);
    data[21] = (uint8_t)port;
    *n_pdu = (struct n_pdu){
        .data = data, .octets = octets, .pfi = N_PDU_NO_PFI, .qclass = QCLASS_THP1, .arrival_ns = rig->now};
    return context_enqueue(&rig->c, &rig->c.mobiles[ms], n_pdu, rig->now);
}

TEST(drops_as_it_comes)
{
    struct lab lab;
    open_with_mobiles(&lab, SCHED_AQM_MS);
    lab.told.comes = AQM_DROP;
    assert_int_equal(put(&lab, 0, 1, PACKET, AQM_ECN_NOT), DROP_AQM);
    assert_int_equal(context_queued_pkts(&lab.rig.c), 0);
    lab.told.comes = AQM_MARK;
    assert_int_equal(put(&lab, 0, 1, PACKET, AQM_ECN_NOT), DROP_AQM);
    assert_int_equal(put(&lab, 0, 1, PACKET, AQM_ECN_ECT0), DROP_NONE);
    assert_int_equal(ecn_get(lab.data[2], PACKET), AQM_ECN_CE);
    assert_true(lab.rig.n_pdus[2].is_marked);
    rig_close(&lab.rig);
}

/* What need not be IP is never marked, but dropped. */
TEST(opaque_is_not_marked)
{
    struct lab lab;
    open_with_mobiles(&lab, SCHED_AQM_MS);
    struct n_pdu *n_pdu = &lab.rig.n_pdus[0];
    memset(lab.data[0], 0x46, PACKET);
    *n_pdu = (struct n_pdu){.data = lab.data[0],
                            .octets = PACKET,
                            .pfi = N_PDU_NO_PFI,
                            .qclass = QCLASS_THP1,
                            .arrival_ns = lab.rig.now,
                            .is_opaque = true};
    lab.rig.used = 1;
    lab.told.comes = AQM_MARK;
    assert_int_equal(context_enqueue(&lab.rig.c, &lab.rig.c.mobiles[0], n_pdu, lab.rig.now), DROP_AQM);
    for (unsigned i = 0; i < PACKET; i++)
        assert_int_equal(lab.data[0][i], 0x46);
    rig_close(&lab.rig);
}

/* 2000 octets would fit: what is dropped at the head takes nothing of any bucket. */
TEST(drops_as_it_goes)
{
    struct lab lab;
    open_with_mobiles(&lab, SCHED_AQM_MS);
    lab.told.goes = AQM_DROP;
    lab.told.goes_octets = 90;
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(put(&lab, 0, 1, i % 2 ? 80 : 90, AQM_ECN_ECT1), DROP_NONE);
    assert_int_equal(rig_send(&lab.rig), 4);
    assert_int_equal(rig_dropped(&lab.rig, DROP_AQM), 4);
    assert_int_equal(lab.told.goes_count, 8);
    assert_int_equal(bucket_level_octets(&lab.rig.c.mobiles[0].sched.bucket, lab.rig.now),
                     4 * (80 + lab.rig.c.sched.params.segmenting.first_octets +
                          lab.rig.c.sched.params.segmenting.llc_octets));
    lab.told.goes_octets = 0;
    lab.told.goes = AQM_MARK;
    assert_int_equal(put(&lab, 0, 1, PACKET, AQM_ECN_ECT1), DROP_NONE);
    assert_int_equal(put(&lab, 0, 1, PACKET, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(rig_send(&lab.rig), 1);
    assert_int_equal(rig_dropped(&lab.rig, DROP_AQM), 1);
    assert_int_equal(ecn_get(lab.data[8], PACKET), AQM_ECN_CE);
    rig_close(&lab.rig);
}

/* A mobile's last N-PDU goes by the scheme: another mobile's turn comes as ever. */
TEST(an_emptied_mobile_leaves)
{
    struct lab lab;
    open_with_mobiles(&lab, SCHED_AQM_MS);
    lab.told.goes = AQM_DROP;
    lab.told.goes_octets = 90;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(put(&lab, 0, 1, 90, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(put(&lab, 1, 1, 80, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(rig_send(&lab.rig), 1);
    assert_int_equal(rig_dropped(&lab.rig, DROP_AQM), 3);
    assert_int_equal(put(&lab, 0, 1, 80, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(rig_send(&lab.rig), 1);
    rig_close(&lab.rig);
}

/* Segments of one that has begun are not asked about. */
TEST(what_is_in_service_is_beyond_it)
{
    struct lab lab;
    struct sched_grant grant;
    open_with_mobiles(&lab, SCHED_AQM_MS);
    lab.rig.c.mobiles[0].sched.n201_u = 60;
    assert_int_equal(put(&lab, 0, 1, PACKET, AQM_ECN_NOT), DROP_NONE);
    assert_true(sched_pick(&lab.rig.c.sched, &grant, lab.rig.now));
    assert_false(grant.next.last);
    lab.told.goes = AQM_DROP;
    assert_int_equal(rig_send(&lab.rig), 1);
    assert_int_equal(lab.told.goes_count, 1);
    rig_close(&lab.rig);
}

/* Five wait: of two 5-tuples of mobile 0, of mobile 1 beside it, of mobile 2 in the other cell. The next, of
 * mobile 0, is shown this backlog, and its instance had these calls before. */
TEST(scopes)
{
    static const struct {
        enum sched_aqm_scope scope;
        uint32_t pkts, calls;
        uint64_t rate_bps;
    } rows[] = {
        {SCHED_AQM_CLASS_OF_NSE, 4, 4, 8000},
        {SCHED_AQM_CLASS_OF_BVC, 4, 4, 8000},
        {SCHED_AQM_MS, 3, 3, 4000},
        {SCHED_AQM_FLOW, 2, 2, 4000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct lab lab;
        open_with_mobiles(&lab, rows[i].scope);
        static const struct {
            uint32_t ms;
            uint16_t port;
        } before[] = {{0, 1}, {0, 2}, {0, 2}, {1, 1}, {2, 1}};
        for (size_t k = 0; k < COUNT(before); k++)
            assert_int_equal(put(&lab, before[k].ms, before[k].port, 90, AQM_ECN_NOT), DROP_NONE);
        assert_int_equal(put(&lab, 0, 2, 90, AQM_ECN_NOT), DROP_NONE);
        assert_int_equal(lab.told.came.backlog_pkts, rows[i].pkts);
        assert_int_equal(lab.told.came.backlog_octets, rows[i].pkts * 90);
        assert_int_equal(lab.told.seen, rows[i].calls);
        assert_int_equal(lab.told.came.rate_bps, rows[i].rate_bps);
        assert_int_equal(lab.told.came.sojourn_ns,
                         (rows[i].pkts + 1) * 90 * 8 * MOMENT_SECOND / (int64_t)rows[i].rate_bps);
        rig_close(&lab.rig);
    }
}

/* R = 0 for a while: that is told apart from the age, also after a move, and once where both are 0. Time in
 * suspension is no part of the age. */
TEST(parked)
{
    static const struct {
        bool is_cell, is_ms, moves;
    } rows[] = {{false, true, false}, {true, false, false}, {true, true, false},
                {false, true, true},  {true, false, true},  {true, true, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct lab lab;
        struct context *c = &lab.rig.c;
        open_with_mobiles(&lab, SCHED_AQM_MS);
        struct gb_flow none = rig_flow(2000, rows[i].is_cell ? 0 : 8000, 1000, 4000);
        struct gb_flow still = rig_flow(1000, 0, 0, 0), full = rig_flow(2000, 8000, 1000, 4000);
        if (rows[i].is_cell)
            assert_int_equal(context_bvc_flow(c, 0, &none, lab.rig.now), 0);
        if (rows[i].is_ms)
            assert_int_equal(context_ms_flow(c, 0, &still, lab.rig.now), 0);
        lab.rig.now += 5 * MOMENT_SECOND;
        assert_int_equal(put(&lab, 0, 1, 90, AQM_ECN_NOT), DROP_NONE);
        lab.rig.now += 3 * MOMENT_SECOND;
        if (rows[i].moves)
            assert_int_equal(context_ms_move(c, 0, 1, lab.rig.now), 0);
        if (rows[i].is_cell && !rows[i].moves)
            assert_int_equal(context_bvc_flow(c, 0, &full, lab.rig.now), 0);
        if (rows[i].is_ms && !rows[i].moves)
            assert_int_equal(context_ms_flow(c, 0, &full, lab.rig.now), 0);
        context_ms_stop(c, 0, MS_SUSPENDED, true, lab.rig.now);
        lab.rig.now += 2 * MOMENT_SECOND;
        context_ms_stop(c, 0, MS_SUSPENDED, false, lab.rig.now);
        lab.told.goes_count = 0;
        lab.told.goes = AQM_DROP;
        rig_send(&lab.rig);
        assert_int_equal(lab.told.goes_count, 1);
        assert_int_equal(lab.told.gone.age_ns, 3 * MOMENT_SECOND);
        assert_int_equal(lab.told.gone.parked_ns, 3 * MOMENT_SECOND);
        rig_close(&lab.rig);
    }
}

/* A cell's backlog follows moves; a mobile's state goes along, a new mobile's is new. */
TEST(moves)
{
    struct lab lab;
    open_with_mobiles(&lab, SCHED_AQM_CLASS_OF_BVC);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(put(&lab, 0, 1, 90, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(context_ms_move(&lab.rig.c, 0, 1, lab.rig.now), 0);
    assert_int_equal(put(&lab, 1, 1, 90, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(lab.told.came.backlog_pkts, 0);
    assert_int_equal(put(&lab, 2, 1, 90, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(lab.told.came.backlog_pkts, 3);
    rig_send(&lab.rig);
    assert_int_equal(put(&lab, 2, 1, 90, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(lab.told.came.backlog_pkts, 0);
    rig_close(&lab.rig);

    open_with_mobiles(&lab, SCHED_AQM_MS);
    assert_int_equal(put(&lab, 0, 1, 90, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(context_ms_move(&lab.rig.c, 0, 1, lab.rig.now), 0);
    assert_int_equal(put(&lab, 0, 1, 90, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(lab.told.seen, 1);
    assert_int_equal(context_ms_del(&lab.rig.c, 0), 0);
    struct ms_params again = rig_ms(0, 0xc0000009);
    assert_int_equal(context_ms_add(&lab.rig.c, 0, &again, lab.rig.now), 0);
    assert_int_equal(put(&lab, 0, 1, 90, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(lab.told.seen, 0);
    rig_close(&lab.rig);
}

/* An N-PDU with nothing before it; what the short way says. */
static int pass(struct lab *lab, struct sched_grant *grant, enum aqm_ecn ecn)
{
    struct rig *rig = &lab->rig;
    struct n_pdu *n_pdu = &rig->n_pdus[rig->used];
    uint8_t *data = lab->data[rig->used++];
    memset(data, 0, PACKET);
    data[0] = 0x45;
    data[1] = (uint8_t)ecn;
    data[3] = PACKET;
    *n_pdu = (struct n_pdu){
        .data = data, .octets = 90, .pfi = N_PDU_NO_PFI, .qclass = QCLASS_THP1, .arrival_ns = rig->now};
    return context_pass(&rig->c, &rig->c.mobiles[0], n_pdu, grant, rig->now);
}

/* The first N-PDU of a class goes the long way; from then on the short way asks what the long one would. */
TEST(the_short_way_asks)
{
    struct lab lab;
    struct sched_grant grant;
    open_with_mobiles(&lab, SCHED_AQM_MS);
    const struct bucket *bucket = &lab.rig.c.mobiles[0].sched.bucket;
    assert_int_equal(pass(&lab, &grant, AQM_ECN_NOT), -1);
    assert_int_equal(lab.told.comes_count, 0);
    assert_int_equal(put(&lab, 0, 1, 90, AQM_ECN_NOT), DROP_NONE);
    assert_int_equal(rig_send(&lab.rig), 1);
    struct aqm_view came = lab.told.came, gone = lab.told.gone;
    assert_int_equal(pass(&lab, &grant, AQM_ECN_NOT), 1);
    assert_ptr_equal(grant.n_pdu, &lab.rig.n_pdus[lab.rig.used - 1]);
    assert_int_equal(lab.told.comes_count, 2);
    assert_int_equal(lab.told.goes_count, 2);
    assert_memory_equal(&came, &lab.told.came, sizeof(came));
    assert_memory_equal(&gone, &lab.told.gone, sizeof(gone));
    lab.told.goes = AQM_MARK;
    assert_int_equal(pass(&lab, &grant, AQM_ECN_ECT0), 1);
    assert_int_equal(ecn_get(grant.n_pdu->data, PACKET), AQM_ECN_CE);
    uint64_t level_octets = bucket_level_octets(bucket, lab.rig.now);
    assert_int_equal(pass(&lab, &grant, AQM_ECN_NOT), 0);
    lab.told.comes = AQM_DROP;
    assert_int_equal(pass(&lab, &grant, AQM_ECN_NOT), 0);
    assert_int_equal(lab.told.goes_count, 4);
    assert_int_equal(rig_dropped(&lab.rig, DROP_AQM), 2);
    assert_int_equal(bucket_level_octets(bucket, lab.rig.now), level_octets);
    rig_close(&lab.rig);
}

/* What a scheme knew of a class of a cell, or of an NSE, is not held against those that come in their place.
 */
TEST(begins_anew_with_a_new_cell)
{
    static const enum sched_aqm_scope scopes[] = {SCHED_AQM_CLASS_OF_BVC, SCHED_AQM_CLASS_OF_NSE};
    for (size_t i = 0; i < COUNT(scopes); i++) {
        struct lab lab;
        open_with_mobiles(&lab, scopes[i]);
        struct context *c = &lab.rig.c;
        assert_int_equal(put(&lab, 2, 1, PACKET, AQM_ECN_NOT), DROP_NONE);
        assert_int_equal(put(&lab, 2, 1, PACKET, AQM_ECN_NOT), DROP_NONE);
        assert_int_equal(lab.told.seen, 1);
        assert_int_equal(context_ms_park(c, 2, 0, lab.rig.now), 0);
        assert_int_equal(context_bvc_del(c, 1), 0);
        assert_int_equal(context_nsvc_del(c, 2) + context_nsvc_del(c, 3), 0);
        assert_int_equal(context_nse_del(c, 1), 0);
        assert_int_equal(context_nse_add(c, 1, 102, lab.rig.now), 0);
        assert_int_equal(context_bvc_add(c, 1, 8, 1, lab.rig.now), 0);
        assert_int_equal(context_ms_move(c, 2, 1, lab.rig.now), 0);
        assert_int_equal(put(&lab, 2, 1, PACKET, AQM_ECN_NOT), DROP_NONE);
        assert_int_equal(lab.told.seen, 0);
        assert_int_equal(lab.told.came.backlog_pkts, 2);
        rig_close(&lab.rig);
    }
}

UNIT_MAIN(NULL, NULL)
