/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loss log of a soak: gaps, backlogs and losses, and the gap that explains each loss.
 *
 * Model: a worker with a gap longer than its ring lasts loses N-PDUs. After the gap it works off the full
 * ring with cold caches, and may lose more until the ring has been empty once. The worker reports that as a
 * backlog: turns in a row that each received a full burst.
 *
 * A gap therefore extends to the end of each backlog that begins before the gap's end (or up to slack_ns
 * later: a generator that had the gap sends a burst after it), by at most after_ns. A loss is explained by a
 * gap that began before it (or up to SLACK_NS later, the difference of the CPUs' counters) and has not ended,
 * so extended, when the loss begins. A loss in gaps of both sides counts as the worker's. Any other loss lies
 * outside of gaps: there the worker is too slow.
 *
 * covered_ns, the time in extended gaps, says what the result is worth: if it were all of the time, every
 * loss would lie in a gap.
 */
#ifndef BENCH_STATISTICS_LOSS_LOG_H
#define BENCH_STATISTICS_LOSS_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Gaps, backlogs and losses with their times, from a CPU that must not wait to one that may: a ring with one
 * writer and one reader, which may be processes that share its memory. All zero is an empty ring.
 */

#define BENCH_EVENTS 8192 /* a power of two */

enum bench_event_kind {
    BENCH_EVENT_GAP,     /* a turn longer than gap_ns, from begin to end */
    BENCH_EVENT_BACKLOG, /* from begin to end each burst of the worker was full: its Gn ring never was empty
                          */
    BENCH_EVENT_LOSS,    /* count N-PDUs were lost from begin to end */
};

/* Times are of the clock that both sides read. */
struct bench_event {
    int64_t begin_ns, end_ns;
    uint64_t count;
    int64_t turn_ns; /* backlog: its longest turn */
    enum bench_event_kind kind;
};

struct bench_events {
    atomic_uint_fast64_t written, read; /* by the writer; by the reader */
    atomic_uint_fast64_t missed;        /* events without room; by the writer */
    struct bench_event ring[BENCH_EVENTS];
};

static inline void bench_events_put(struct bench_events *e, const struct bench_event *event)
{
    uint64_t at = atomic_load_explicit(&e->written, memory_order_relaxed);
    if (at - atomic_load_explicit(&e->read, memory_order_acquire) == BENCH_EVENTS) {
        atomic_fetch_add(&e->missed, 1);
        return;
    }
    e->ring[at % BENCH_EVENTS] = *event;
    atomic_store_explicit(&e->written, at + 1, memory_order_release);
}

static inline bool bench_events_take(struct bench_events *e, struct bench_event *event)
{
    uint64_t at = atomic_load_explicit(&e->read, memory_order_relaxed);
    if (at == atomic_load_explicit(&e->written, memory_order_acquire))
        return false;
    *event = e->ring[at % BENCH_EVENTS];
    atomic_store_explicit(&e->read, at + 1, memory_order_release);
    return true;
}

enum bench_loss_log_side { BENCH_LOSS_LOG_WORKER, BENCH_LOSS_LOG_GENERATOR, BENCH_LOSS_LOG_SIDES };

/* A list in pages of its own (mmap), so that its resident memory is known. */
struct bench_loss_log_gaps {
    struct bench_event *list;
    size_t count, cap;
};

struct bench_loss_log {
    int64_t slack_ns; /* from a gap's end to the begin of its backlog, at most */
    int64_t after_ns; /* that a backlog extends a gap by, at most */
    struct bench_loss_log_gaps gaps[BENCH_LOSS_LOG_SIDES], backlogs, losses;
    bool is_incomplete; /* an event was lost: out of memory */
};

#define BENCH_LOSS_LOG_OUTSIDE 8

/* Losses outside of gaps, those of one backlog together. */
struct bench_loss_log_outside {
    int64_t begin_ns; /* of the first loss */
    uint64_t lost;
    struct bench_event backlog; /* all 0: the loss lies in no backlog */
};

struct bench_loss_log_sum {
    uint64_t gaps[BENCH_LOSS_LOG_SIDES];
    int64_t longest_ns[BENCH_LOSS_LOG_SIDES],
        longest_after_ns; /* the longest gap of each side; the longest extension */
    uint64_t lost, lost_in[BENCH_LOSS_LOG_SIDES], lost_outside;    /* lost = lost_in[] + lost_outside */
    struct bench_loss_log_outside outside[BENCH_LOSS_LOG_OUTSIDE]; /* the first BENCH_LOSS_LOG_OUTSIDE */
    unsigned outside_count;
    int64_t covered_ns; /* time in extended gaps of either side */
};

/* Adds an event that a side reported. */
void bench_loss_log_put(struct bench_loss_log *l, enum bench_loss_log_side side,
                        const struct bench_event *event);

/* Resident octets of the lists. */
size_t bench_loss_log_octets(const struct bench_loss_log *l);

/* The result of all events. Call once: it changes the log. */
struct bench_loss_log_sum bench_loss_log_sum(struct bench_loss_log *l);
void bench_loss_log_fini(struct bench_loss_log *l);

#endif
