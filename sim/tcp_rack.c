/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp.h"
#include "sim/tcp_rack.h"

#include "dataplane/base/moment.h"
#include "sim/tcp_send.h"
#include "sim/tcp_recovery.h"

#define MAX_ACK_DELAY_NS    (MOMENT_SECOND / 5) /* 7.2 */
#define PROBE_BEFORE_RTT_NS MOMENT_SECOND

enum { MANY_SACKED = 3, WINDOW_DIVISOR = 4 };

bool tcp_rack_is_used(const struct tcp *t)
{
    return t->params->has_rack && t->uses_sack;
}

void tcp_rack_start(struct tcp *t)
{
    t->rack_at_ns = MOMENT_NEVER;
    if (t->more)
        t->more->rack = (struct tcp_rack){.min_rtt_ns = MOMENT_NEVER};
}

static bool is_sent_after(int64_t ns, uint64_t end, const struct tcp_rack *rack)
{
    return ns > rack->sent_ns || (ns == rack->sent_ns && end > rack->end);
}

static bool is_in_sack(const struct tcp *t, const struct tcp_header *header,
                       const struct tcp_segment *segment)
{
    for (unsigned i = 0; i < header->sacks; i++)
        if ((int64_t)segment->start >= tcp_recovery_place(t, header->sack[i].start) &&
            (int64_t)segment->end <= tcp_recovery_place(t, header->sack[i].end))
            return true;
    return false;
}

/* Whether the acknowledgement may be for the original and not for the repetition (6.2 step 2). */
static bool is_of_original(const struct tcp *t, const struct tcp_header *header, int64_t sent_ns, int64_t now)
{
    if (t->uses_timestamps && header->has_timestamps &&
        (int32_t)(header->ts_echo - tcp_send_timestamp(sent_ns)) < 0)
        return true;
    return now - sent_ns < t->more->rack.min_rtt_ns;
}

static void take_arrival(struct tcp *t, const struct tcp_header *header, const struct tcp_segment *segment,
                         int64_t now)
{
    struct tcp_rack *rack = &t->more->rack;
    if (segment->times == 1) {
        rack->min_rtt_ns = moment_min(rack->min_rtt_ns, now - segment->sent_ns);
        rack->has_reordering |= segment->end < rack->fack;
    } else if (is_of_original(t, header, segment->sent_ns, now)) {
        return;
    }
    rack->fack = segment->end > rack->fack ? segment->end : rack->fack;
    if (!is_sent_after(segment->sent_ns, segment->end, rack))
        return;
    rack->sent_ns = segment->sent_ns;
    rack->end = segment->end;
    rack->rtt_ns = now - segment->sent_ns;
}

void tcp_rack_take(struct tcp *t, const struct tcp_header *header, uint64_t ack, int64_t now)
{
    for (uint32_t i = 0; i < t->board.count; i++) {
        const struct tcp_segment *segment = tcp_scoreboard_get(&t->board, i);
        if (!segment->is_sacked && (segment->end <= ack || is_in_sack(t, header, segment)))
            take_arrival(t, header, segment, now);
    }
}

/* By how much a segment may be late (6.2 step 4). */
static int64_t window_ns(const struct tcp *t)
{
    const struct tcp_rack *rack = &t->more->rack;
    if (!rack->has_reordering && (t->is_recovering || t->board.sacked_segments >= MANY_SACKED))
        return 0;
    return rack->min_rtt_ns == MOMENT_NEVER ? 0
                                            : moment_min(rack->min_rtt_ns / WINDOW_DIVISOR, t->rto.srtt_ns);
}

static bool is_open(const struct tcp_segment *segment)
{
    return !segment->is_sacked && (!segment->is_lost || segment->is_repeated);
}

bool tcp_rack_detect(struct tcp *t, int64_t now)
{
    struct tcp_rack *rack = &t->more->rack;
    int64_t late_ns = rack->rtt_ns + window_ns(t), wait_ns = 0;
    bool has_marked = false;
    for (uint32_t i = 0; i < t->board.count; i++) {
        struct tcp_segment *segment = tcp_scoreboard_get(&t->board, i);
        if (!is_open(segment) || rack->end == 0 ||
            !(rack->sent_ns > segment->sent_ns ||
              (rack->sent_ns == segment->sent_ns && rack->end > segment->end)))
            continue;
        int64_t left_ns = segment->sent_ns + late_ns - now;
        if (left_ns > 0) {
            wait_ns = moment_max(wait_ns, left_ns);
            continue;
        }
        tcp_scoreboard_lose_one(&t->board, segment);
        has_marked = true;
    }
    rack->is_probe_timer = false;
    t->rack_at_ns = wait_ns > 0 ? now + wait_ns : MOMENT_NEVER;
    return has_marked;
}

bool tcp_rack_probe_acked(struct tcp *t, uint64_t ack, bool is_duplicate)
{
    struct tcp_rack *rack = &t->more->rack;
    if (rack->probe_end == 0 || ack < rack->probe_end)
        return false;
    bool is_past = ack > rack->probe_end, has_repaired = rack->is_repeat && is_past;
    if (!rack->is_repeat || is_past || is_duplicate)
        rack->probe_end = 0;
    return has_repaired;
}

void tcp_rack_arm(struct tcp *t, int64_t now)
{
    if (!tcp_rack_is_used(t))
        return;
    struct tcp_rack *rack = &t->more->rack;
    if (t->rack_at_ns != MOMENT_NEVER && !rack->is_probe_timer)
        return;
    t->rack_at_ns = MOMENT_NEVER;
    if (t->board.count == 0 || t->board.sacked_segments > 0 || t->is_recovering || t->is_after_timeout ||
        rack->probe_end != 0)
        return;
    int64_t wait_ns = t->rto.srtt_ns > 0 ? 2 * t->rto.srtt_ns : PROBE_BEFORE_RTT_NS;
    wait_ns += t->rto.srtt_ns > 0 && t->board.count == 1 ? MAX_ACK_DELAY_NS : 0;
    if (now + wait_ns >= t->rto_at_ns)
        return;
    rack->is_probe_timer = true;
    t->rack_at_ns = now + wait_ns;
}
