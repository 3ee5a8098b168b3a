/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_record.h"

#include "dataplane/base/moment.h"

static void pass_rtt(void *arg, int64_t now, int64_t rtt_ns)
{
    const struct app_record_watch *watch = arg;
    if (watch->observer->on_rtt)
        watch->observer->on_rtt(watch->observer->arg, watch->connection, now, rtt_ns);
}

static void pass_sent(void *arg, int64_t now, uint64_t end_octets, bool is_retransmission)
{
    const struct app_record_watch *watch = arg;
    if (watch->observer->on_sent)
        watch->observer->on_sent(watch->observer->arg, watch->connection, now, end_octets, is_retransmission);
}

static void pass_acked(void *arg, int64_t now, uint64_t acked_octets)
{
    const struct app_record_watch *watch = arg;
    if (watch->observer->on_acked)
        watch->observer->on_acked(watch->observer->arg, watch->connection, now, acked_octets);
}

struct tcp_observer app_record_observe(struct app_record_watch *watch)
{
    return (struct tcp_observer){watch, pass_rtt, pass_sent, pass_acked};
}

void app_record_sender(struct app_record_tcp *record, const struct tcp *sender)
{
    record->sent_octets = sender->stats.octets_sent;
    record->retransmitted_octets = sender->stats.octets_retransmitted;
    record->timeouts = sender->stats.timeouts;
    record->rtt_count = sender->rtt.count;
    record->rtt_sum_ns = sender->rtt.sum_ns;
    record->rtt_min_ns = sender->rtt.min_ns;
    record->rtt_max_ns = sender->rtt.max_ns;
}

void app_record_receiver(struct app_record_tcp *record, const struct tcp *receiver)
{
    record->octets_corrupt = receiver->stats.octets_corrupt;
    record->octets_repeated = receiver->stats.octets_repeated;
}

void app_record_receive(struct app_record_tcp *record, const struct app_record_observer *o, uint64_t octets,
                        int64_t now)
{
    record->octets += octets;
    record->end_ns = now;
    if (o->on_goodput)
        o->on_goodput(o->arg, record->connection, now, octets);
}

void app_record_add(struct app_record_tcp *sum, const struct app_record_tcp *part)
{
    sum->octets += part->octets;
    sum->octets_corrupt += part->octets_corrupt;
    sum->octets_repeated += part->octets_repeated;
    sum->end_ns = moment_max(sum->end_ns, part->end_ns);
    sum->sent_octets += part->sent_octets;
    sum->retransmitted_octets += part->retransmitted_octets;
    sum->timeouts += part->timeouts;
    if (part->rtt_count > 0)
        sum->rtt_min_ns = sum->rtt_count ? moment_min(sum->rtt_min_ns, part->rtt_min_ns) : part->rtt_min_ns;
    sum->rtt_count += part->rtt_count;
    sum->rtt_sum_ns += part->rtt_sum_ns;
    sum->rtt_max_ns = moment_max(sum->rtt_max_ns, part->rtt_max_ns);
}

void app_record_rtt_add(struct app_record_rtt *rtt, const struct app_record_tcp *record)
{
    if (record->rtt_count == 0 || record->octets == 0)
        return;
    rtt->sum_ns += (double)record->rtt_sum_ns / (double)record->rtt_count * (double)record->octets;
    rtt->octets += record->octets;
    rtt->samples += record->rtt_count;
    rtt->max_ns = moment_max(rtt->max_ns, record->rtt_max_ns);
}

int64_t app_record_rtt_avg_ns(const struct app_record_rtt *rtt)
{
    return rtt->octets ? (int64_t)(rtt->sum_ns / (double)rtt->octets) : MOMENT_NEVER;
}

uint64_t app_record_goodput_bps(const struct app_record_tcp *record, int64_t end_ns)
{
    if (end_ns <= record->start_ns)
        return 0;
    __uint128_t scaled = (__uint128_t)(8 * record->octets) * (uint64_t)MOMENT_SECOND;
    return (uint64_t)(scaled / (uint64_t)(end_ns - record->start_ns));
}
