/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 2 };

void tcp_ranges_fini(struct tcp_ranges *r)
{
    free(r->range);
    *r = (struct tcp_ranges){0};
}

static void grow(struct tcp_ranges *r)
{
    r->cap = r->cap ? 2 * r->cap : FIRST_CAP;
    r->range = reallocarray(r->range, r->cap, sizeof(*r->range));
    if (!r->range) {
        fprintf(stderr, "gbflow: out of memory for TCP's ranges\n");
        exit(1);
    }
}

static void take_at(struct tcp_ranges *r, uint32_t i)
{
    r->count--;
    memmove(&r->range[i], &r->range[i + 1], (r->count - i) * sizeof(r->range[0]));
}

bool tcp_ranges_put(struct tcp_ranges *r, uint64_t start, uint64_t end)
{
    struct tcp_range merged = {start, end};
    for (uint32_t i = 0; i < r->count;) {
        struct tcp_range other = r->range[i];
        if (other.end < merged.start || other.start > merged.end) {
            i++;
            continue;
        }
        merged.start = other.start < merged.start ? other.start : merged.start;
        merged.end = other.end > merged.end ? other.end : merged.end;
        take_at(r, i);
        i = 0; /* `merged` has grown: it may touch an earlier range now */
    }
    if (r->count == TCP_RANGES_MAX)
        return false;
    if (r->count == r->cap)
        grow(r);
    memmove(&r->range[1], &r->range[0], r->count * sizeof(r->range[0]));
    r->range[0] = merged;
    r->count++;
    return true;
}

uint64_t tcp_ranges_take(struct tcp_ranges *r, uint64_t next)
{
    for (uint32_t i = 0; i < r->count;) {
        if (r->range[i].start > next) {
            i++;
            continue;
        }
        next = r->range[i].end > next ? r->range[i].end : next;
        take_at(r, i);
        i = 0;
    }
    return next;
}

uint64_t tcp_ranges_octets(const struct tcp_ranges *r)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < r->count; i++)
        octets += r->range[i].end - r->range[i].start;
    return octets;
}

uint64_t tcp_ranges_end(const struct tcp_ranges *r)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < r->count; i++)
        end = r->range[i].end > end ? r->range[i].end : end;
    return end;
}
