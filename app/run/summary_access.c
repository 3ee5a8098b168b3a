/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/summary.h"

#include "app/run/scenario_config.h"
#include "bss/access.h"
#include "bss/radio.h"
#include "dataplane/base/moment.h"

#include <math.h>

struct outcome {
    uint64_t begun, granted, failed;
    int64_t mean_ns, p50_ns, p95_ns;
};

struct access_record {
    struct access_counts counts;
    struct agch_stats agch;
    uint64_t slots;
    double load, throughput;
    int64_t agch_wait_ns;
    struct outcome mobiles, background;
};

static struct outcome outcome_of(const struct access_outcome *of)
{
    return (struct outcome){
        .begun = of->begun,
        .granted = of->granted,
        .failed = of->failed,
        .mean_ns = access_mean_ns(&of->delays),
        .p50_ns = access_quantile_ns(&of->delays, 50),
        .p95_ns = access_quantile_ns(&of->delays, 95),
    };
}

void summary_each_access(const void *record, struct field_sink *sink)
{
    const struct summary_access *of = record;
    if (!of->access)
        return;
    const struct access_stats *stats = access_stats_get(of->access);
    struct access_record row = {
        .counts = stats->counts,
        .agch = *access_agch_stats_get(of->access),
        .slots = access_slots(of->access, of->from_ns, of->to_ns),
        .mobiles = outcome_of(&stats->outcomes[ACCESS_MOBILES]),
        .background = outcome_of(&stats->outcomes[ACCESS_BACKGROUND]),
    };
    uint64_t sent = row.agch.offered - row.agch.refused;
    row.load = row.slots ? (double)row.counts.bursts / (double)row.slots : NAN;
    row.throughput = row.slots ? (double)row.counts.decoded / (double)row.slots : NAN;
    row.agch_wait_ns = sent ? (int64_t)(row.agch.wait_sum_ns / (double)sent) : MOMENT_NEVER;
    field_put(sink, NULL, &row);
}

static const struct field delays[] = {
    FIELD(struct outcome, GAUGE, "mean", "seconds", mean_ns, "Mean."),
    FIELD(struct outcome, GAUGE, "p50", "seconds", p50_ns, "Median, rounded up to a whole millisecond."),
    FIELD(struct outcome, GAUGE, "p95", "seconds", p95_ns,
          "95th percentile, rounded up to a whole millisecond."),
    FIELD_END,
};

static const struct field outcomes[] = {
    FIELD(struct outcome, COUNTER, "attempts", "procedures", begun,
          "Access procedures begun, retries after a failure included."),
    FIELD(struct outcome, COUNTER, "granted", "procedures", granted, "Of these, procedures that gave a TBF."),
    FIELD(struct outcome, COUNTER, "failures", "procedures", failed, "Of these, access failures."),
    FIELD_INSIDE(OBJECT, "delay_s", 0, delays,
                 "Access delay: from the first procedure's begin to the assignment of the TBF, retries "
                 "included; null without a TBF."),
    FIELD_END,
};

#define COUNTS(name, unit, member, sentence)                                                                 \
    FIELD(struct access_record, COUNTER, name, unit, counts.member, sentence)
#define GAUGES(name, unit, member, sentence) FIELD(struct access_record, GAUGE, name, unit, member, sentence)

const struct field summary_access[] = {
    FIELD_INSIDE(OBJECT, "mobiles", offsetof(struct access_record, mobiles), outcomes,
                 "Accesses of the scenario's mobiles."),
    FIELD_INSIDE(OBJECT, "background", offsetof(struct access_record, background), outcomes,
                 "Accesses of the background load."),
    GAUGES("slots", "slots", slots, "Slots for bursts in the run; 0 without contention."),
    COUNTS("bursts", "bursts", bursts, "Bursts sent."),
    COUNTS("collided", "bursts", collided, "Of these, bursts that shared a slot."),
    COUNTS("decoded", "bursts", decoded, "Of these, bursts that the BSS decoded."),
    COUNTS("collisions", "slots", collisions, "Slots with more than one burst."),
    GAUGES("load", "bursts per slot", load, "Bursts divided by slots; null without contention."),
    GAUGES("throughput", "bursts per slot", throughput,
           "Decoded bursts divided by slots; null without contention."),
    COUNTS("unanswered", "bursts", unanswered, "Decoded bursts that found the AGCH's queue full."),
    COUNTS("wasted", "messages", wasted, "IMMEDIATE ASSIGNMENTs that no mobile waited for."),
    COUNTS("unresolved", "mobiles", unresolved, "Mobiles that took another mobile's assignment."),
    COUNTS("t3168_expired", "times", expired, "Two-phase accesses in which T3168 expired."),
    GAUGES("agch_wait_s", "seconds", agch_wait_ns,
           "Mean time that an IMMEDIATE ASSIGNMENT waited in the AGCH's queue; null without one."),
    FIELD_END,
};

/* --- procedures of TBFs --- */

struct tbf_record {
    uint64_t down_polls, up_polls, setups, lost, asked, unanswered;
};

void summary_each_tbf(const void *record, struct field_sink *sink)
{
    const struct summary_tbf *of = record;
    const struct radio_tbf_config *down = &of->config->down;
    if (!down->poll_ns && !down->lost_ns && !down->listen_ns && !down->ack_every && !of->config->up.poll_ns)
        return;
    field_put(sink, NULL,
              &(struct tbf_record){of->down->idle_polls, of->up->idle_polls, of->down->setups,
                                   of->down->lost_tbfs, of->down->asked_acks, of->down->lost_acks});
}

#define TBF(name, unit, member, sentence) FIELD(struct tbf_record, COUNTER, name, unit, member, sentence)

const struct field summary_tbf[] = {
    TBF("downlink_setups", "TBFs", setups, "Downlink TBFs set up."),
    TBF("downlink_polls", "blocks", down_polls,
        "Downlink blocks without data in open TBFs (`downlink_poll`)."),
    TBF("uplink_polls", "blocks", up_polls, "Uplink blocks without data in open TBFs (`uplink_poll`)."),
    TBF("t3190_expired", "TBFs", lost, "Downlink TBFs with data that T3190 ended."),
    TBF("acks_asked", "blocks", asked, "Downlink blocks that asked for a PACKET DOWNLINK ACK/NACK."),
    TBF("acks_lost", "blocks", unanswered, "PACKET DOWNLINK ACK/NACKs with errors."),
    FIELD_END,
};
