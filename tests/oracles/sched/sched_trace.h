/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what the oracle reads; format.md says what each record means. */
#ifndef TESTS_ORACLES_SCHED_SCHED_TRACE_H
#define TESTS_ORACLES_SCHED_SCHED_TRACE_H

#include "dataplane/base/drop.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum sched_trace_kind {
    SCHED_TRACE_LINK_ADD = 1,
    SCHED_TRACE_CELL_ADD,
    SCHED_TRACE_MS_ADD,
    SCHED_TRACE_SEGMENTING,
    SCHED_TRACE_SET,
    SCHED_TRACE_GONE,
    SCHED_TRACE_LEVEL,
    SCHED_TRACE_RATIO,
    SCHED_TRACE_ADJUST,
    SCHED_TRACE_CELL_USE,
    SCHED_TRACE_CELL_RESET,
    SCHED_TRACE_MS_MOVE,
    SCHED_TRACE_MS_HOLD,
    SCHED_TRACE_MS_DELETE,
    SCHED_TRACE_LIMIT,
    SCHED_TRACE_BUDGET,
    SCHED_TRACE_ENQUEUE,
    SCHED_TRACE_DEPART,
    SCHED_TRACE_DROP,
    SCHED_TRACE_ANSWER,
    SCHED_TRACE_SIGNAL,
    SCHED_TRACE_END,
};

enum sched_trace_level {
    SCHED_TRACE_AT_LINK,
    SCHED_TRACE_AT_CELL,
    SCHED_TRACE_AT_MS,
    SCHED_TRACE_AT_PFC,
    SCHED_TRACE_AT_SIGNALLING,
};

enum sched_trace_scope {
    SCHED_TRACE_OF_ALL,
    SCHED_TRACE_OF_LINK,
    SCHED_TRACE_OF_CELL,
    SCHED_TRACE_OF_MS,
};

enum sched_trace_reason {
    SCHED_TRACE_QUEUED,
    SCHED_TRACE_QUEUE_FULL,
    SCHED_TRACE_NO_BUFFERS,
    SCHED_TRACE_LIFETIME,
    SCHED_TRACE_PARTIAL,
    SCHED_TRACE_BVC_RESET,
    SCHED_TRACE_DELETED,
    SCHED_TRACE_AQM,
    SCHED_TRACE_OTHER,
    SCHED_TRACE_PASSES = 0xffff,
};

#define SCHED_TRACE_NONE      INT64_C(-1)
#define SCHED_TRACE_ANY_CLASS 255

struct sched_trace_record {
    uint8_t kind;
    uint8_t flags;
    uint16_t x;
    uint32_t id;
    int64_t time_ns, a, b, c;
};

static_assert(sizeof(struct sched_trace_record) == 40, "the format has no gaps");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "nor a byte order but this");

/* Appends a record. */
static inline void sched_trace_put(FILE *out, const struct sched_trace_record *record)
{
    fwrite(record, sizeof(*record), 1, out);
}

/* The trace's reason for enum drop. */
static inline uint16_t sched_trace_reason_of(int drop)
{
    switch (drop) {
    case DROP_NONE:
        return SCHED_TRACE_QUEUED;
    case DROP_QUEUE_FULL:
    case DROP_CLASS_FULL:
        return SCHED_TRACE_QUEUE_FULL;
    case DROP_BUDGET:
        return SCHED_TRACE_NO_BUFFERS;
    case DROP_LIFETIME:
        return SCHED_TRACE_LIFETIME;
    case DROP_PARTIAL:
        return SCHED_TRACE_PARTIAL;
    case DROP_BVC_RESET:
        return SCHED_TRACE_BVC_RESET;
    case DROP_CONTEXT_DELETED:
        return SCHED_TRACE_DELETED;
    default:
        return SCHED_TRACE_OTHER;
    }
}

#endif
