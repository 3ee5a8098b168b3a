/* SPDX-License-Identifier: BSD-3-Clause */
/* The radio's part of a summary: random access, procedures of TBFs, link adaptation. */
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

void summary_radio_each_access(const void *record, struct field_sink *sink)
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
    FIELD(struct outcome, COUNTER, "n", "procedures", granted, "Procedures that gave a TBF."),
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

void summary_radio_each_tbf(const void *record, struct field_sink *sink)
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

/* --- link adaptation --- */

struct link_record {
    struct radio_link_stats stats;
    double ci_db;
};

void summary_radio_each_link(const void *record, struct field_sink *sink)
{
    const struct radio *radio = *(const struct radio *const *)record;
    static const char *const names[RADIO_WAYS] = {[RADIO_DOWN] = "down", [RADIO_UP] = "up"};
    for (unsigned way = 0; way < RADIO_WAYS; way++) {
        const struct radio_link_stats *stats = radio_link_stats_get(radio, way);
        if (!stats)
            return;
        const struct link_record row = {
            .stats = *stats,
            .ci_db = stats->ci_count ? (double)stats->ci_sum_mdb / 1000 / (double)stats->ci_count : NAN,
        };
        field_put(sink, names[way], &row);
    }
}

#define CODING(name)                                                                                         \
    {                                                                                                        \
        name, "RLC data in " name "."                                                                        \
    }

static const struct field_word codings[RADIO_CODINGS] = {
    CODING("CS-1"),  CODING("CS-2"),  CODING("CS-3"),  CODING("CS-4"),  CODING("MCS-1"),
    CODING("MCS-2"), CODING("MCS-3"), CODING("MCS-4"), CODING("MCS-5"), CODING("MCS-6"),
    CODING("MCS-7"), CODING("MCS-8"), CODING("MCS-9"),
};

static const struct field_words by_coding = {"CODING", 0, RADIO_CODINGS, codings};

const struct field summary_link[] = {
    FIELD_COUNTERS(struct link_record, "radio_blocks", "blocks", stats.radio_blocks, by_coding,
                   "Radio blocks with data, by coding scheme."),
    FIELD(struct link_record, COUNTER, "rlc_blocks", "blocks", stats.parts,
          "RLC blocks and halves of RLC blocks sent, repetitions included; two in a radio block of MCS-7 to "
          "MCS-9."),
    FIELD(struct link_record, COUNTER, "bad_rlc_blocks", "blocks", stats.bad_parts,
          "Of these, blocks with errors."),
    FIELD(struct link_record, COUNTER, "resegmented", "blocks", stats.split_blocks,
          "RLC blocks that were split into halves to be repeated."),
    FIELD(struct link_record, COUNTER, "combined", "blocks", stats.combined_parts,
          "RLC blocks of rlc_blocks decoded, or not, together with what was received of them before."),
    FIELD(struct link_record, GAUGE, "ci_db", "dB", ci_db,
          "Mean over radio blocks of the mobile's filtered C/I; null without a block."),
    FIELD_END,
};
