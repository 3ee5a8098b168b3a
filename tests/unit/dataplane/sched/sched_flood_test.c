/* SPDX-License-Identifier: BSD-3-Clause */
/* Two million N-PDUs for a cell that sends nothing, and buffers for a hundred thousand: who pays, and who
 * does not. */
#include "tests/unit/dataplane/sched/audit.h"
#include "tests/unit/dataplane/sched/rig.h"
#include "tests/unit/unit.h"

#define OFFERED    2000000u
#define BUDGET     100000u
#define RESERVE    2000u
#define MOBILES    1000u
#define GREEDY     100u /* the first of them */
#define MODEST_PUT 50u  /* N-PDUs for each other mobile: half of an equal share */
#define EACH_TENTH 10u  /* of the modest ones hears signalling, too */

struct losses {
    uint32_t signalling, modest, greedy;
};

static void on_gone(struct rig *rig, const struct n_pdu *n_pdu, int reason)
{
    struct losses *losses = rig->arg;
    assert_int_equal(reason, DROP_BUDGET);
    if (n_pdu->qclass == QCLASS_SIGNALLING)
        losses->signalling++;
    else if (rig_ms_of(n_pdu) < GREEDY)
        losses->greedy++;
    else
        losses->modest++;
}

static void put(struct rig *rig, uint32_t ms, uint8_t qclass)
{
    const struct n_pdu like = {.octets = 100, .qclass = qclass, .pfi = N_PDU_NO_PFI};
    rig_put(rig, ms, &like);
    rig_take_dropped(rig);
}

/* What the modest ones get comes evenly between the floods of the others. Returns the N-PDUs of signalling.
 */
static uint32_t offer(struct rig *rig)
{
    const uint32_t every = OFFERED / ((MOBILES - GREEDY) * MODEST_PUT);
    uint32_t modest = 0, signalling = 0;
    for (uint32_t i = 0; i < OFFERED; i++) {
        uint32_t ms = GREEDY + modest % (MOBILES - GREEDY);
        if (i % every != 0 || modest == (MOBILES - GREEDY) * MODEST_PUT) {
            put(rig, i % GREEDY, QCLASS_BACKGROUND);
            continue;
        }
        modest++;
        put(rig, ms, QCLASS_BACKGROUND);
        if (ms % EACH_TENTH == 0 && modest < 5 * MOBILES) {
            put(rig, ms, QCLASS_SIGNALLING);
            signalling++;
        }
    }
    assert_int_equal(modest, (MOBILES - GREEDY) * MODEST_PUT);
    return signalling;
}

TEST(the_greedy_pay)
{
    const struct rig_counts counts = {MOBILES, MOBILES, 1, 1, BUDGET + RESERVE + 1};
    struct losses losses = {0};
    struct sched_params params;
    struct rig rig;
    sched_params_default(&params);
    params.budget_pkts = BUDGET;
    params.reserve_pkts = RESERVE;
    rig_new(&rig, &counts, &params);
    bucket_init(&rig.cells[0].bucket, 0, 0, 0);
    rig.on_gone = on_gone;
    rig.arg = &losses;
    uint32_t signalling = offer(&rig);
    assert_int_equal(signalling, 500);
    assert_int_equal(losses.signalling, 0);
    assert_int_equal(losses.modest, 0);
    assert_int_equal(losses.greedy, OFFERED + signalling - rig.sched.pkts);
    /* Nobody pays more than needed, and the greedy share what is left evenly. */
    assert_in_range(rig.sched.pkts, BUDGET, BUDGET + signalling);
    uint32_t share = (rig.sched.pkts - signalling - (MOBILES - GREEDY) * MODEST_PUT) / GREEDY;
    for (uint32_t ms = 0; ms < GREEDY; ms++)
        assert_in_range(sched_ms_backlog(&rig.sched, &rig.ms[ms]).pkts, share - 2, share + 2);
    assert_null(audit_books(&rig));
    rig_free(&rig);
}

UNIT_MAIN(NULL, NULL)
