/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/progress.h"

#include "dataplane/pacing/constants.h"
#include "dataplane/pacing/flow.h"
#include "dataplane/wire/tcp.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * With params.drops_repeated a downlink segment is a repetition that the mobile does not need if all of its
 * octets, a FIN being one, went to the mobile, and if
 *
 *     end <= acked    the mobile has acknowledged them: the server's timer ended before the ACK came, or
 *     seq >= doubt    they can still be acknowledged: they were not dropped here or in the BSS, the mobile
 * has neither sent a duplicate ACK or SACK block since nor changed its cell
 *
 * and while the last progress of the flow, new octets or a new ACK, is younger than
 *
 *     max(1 s, 4 down)
 *
 * down is the time from new data to its ACK, a mean over the class in the cell. After that a repetition
 * passes: an ACK may be lost on its way to the server, and a segment in the BSS without a message.
 */

#define ADVANCE_OCTETS (1 << 24) /* new data is not farther ahead */
/* Bounds that shape no figure of a study: the first timer of a server without a sample (RFC 6298), and of a
 * sample, or a mobile out of coverage would set the mean of all. */
#define REPEAT_LEAST_MS 1000
#define DOWN_MOST_MS    15000

void pacing_progress_sample(uint32_t *mean_us, uint32_t sample_ms, uint32_t most_ms)
{
    uint32_t sample_us = (sample_ms < most_ms ? sample_ms : most_ms) * 1000;
    sample_us += sample_us == 0;
    *mean_us =
        *mean_us == 0 ? sample_us : *mean_us - *mean_us / PACING_MEAN_PART + sample_us / PACING_MEAN_PART;
}

uint32_t pacing_progress_end_of(const struct tcp *tcp)
{
    return tcp->seq + tcp->data_octets + (tcp->flags & TCP_FIN ? 1 : 0);
}

bool pacing_progress_is_again(const struct pacing_flow *flow, const struct tcp *tcp)
{
    return (int32_t)(pacing_progress_end_of(tcp) - flow->high) <= 0;
}

/* --- to the mobile --- */

void pacing_progress_look(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at)
{
    struct pacing_user *user = &p->users[at->ms];
    user->lost = (uint16_t)(user->lost + (user->bvc != at->bvc));
    user->bvc = at->bvc;
    if (flow->lost == user->lost)
        return;
    flow->lost = user->lost;
    flow->doubt = flow->high;
}

static bool is_young(const struct pacing *p, const struct pacing_flow *flow, const struct pacing_segment *by)
{
    uint32_t means_ms = pacing_means_of(p, by->at)->down_us / 1000 * PACING_REPEAT_MEANS;
    return pacing_ms_of(by->now) - flow->progress_ms <
           (means_ms > REPEAT_LEAST_MS ? means_ms : REPEAT_LEAST_MS);
}

bool pacing_progress_is_repeated(const struct pacing *p, const struct pacing_flow *flow,
                                 const struct pacing_segment *by)
{
    const struct tcp *tcp = &by->tcp;
    if (!flow->has_acked || tcp->data_octets == 0 || tcp->flags & (TCP_SYN | TCP_RST | TCP_URG))
        return false;
    bool is_acked = (int32_t)(pacing_progress_end_of(tcp) - flow->acked) <= 0;
    bool is_in_doubt = (int32_t)(tcp->seq - flow->doubt) < 0;
    return pacing_progress_is_again(flow, tcp) && (is_acked || !is_in_doubt) && is_young(p, flow, by);
}

void pacing_progress_down(struct pacing_flow *flow, const struct tcp *tcp, int64_t now)
{
    int32_t ahead = (int32_t)(pacing_progress_end_of(tcp) - flow->high);
    if (ahead <= 0 || ahead >= ADVANCE_OCTETS) {
        flow->has_mark =
            flow->has_mark && tcp->data_octets == 0; /* what it times may be acknowledged twice */
        return;
    }
    if ((int32_t)(tcp->seq - flow->high) > 0)
        flow->doubt = tcp->seq; /* octets of the gap have not come here */
    flow->high += (uint32_t)ahead;
    flow->progress_ms = pacing_ms_of(now);
    if (flow->has_mark)
        return;
    flow->has_mark = true;
    flow->mark = flow->high;
    flow->mark_ms = flow->progress_ms;
}

/* --- from the mobile --- */

void pacing_progress_heard(struct pacing *p, struct pacing_flow *flow, const struct pacing_segment *by,
                           bool has_sack)
{
    uint32_t ack = by->tcp.ack, now_ms = pacing_ms_of(by->now);
    bool is_new = !flow->has_acked || (int32_t)(ack - flow->acked) > 0;
    bool is_twice = flow->has_acked && ack == flow->acked && by->tcp.data_octets == 0;
    if (has_sack || (is_twice && ack != flow->high))
        flow->doubt = flow->high;
    if (!is_new)
        return;
    if (flow->has_mark && (int32_t)(ack - flow->mark) >= 0) {
        pacing_progress_sample(&pacing_means_of(p, by->at)->down_us, now_ms - flow->mark_ms, DOWN_MOST_MS);
        flow->has_mark = false;
    }
    flow->doubt = (int32_t)(flow->doubt - ack) > 0 ? flow->doubt : ack;
    flow->progress_ms = now_ms;
    flow->acked = ack;
    flow->has_acked = true;
}
