/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/scaling.h"

const char *bench_scaling_deal_name(enum bench_deal deal)
{
    static const char *const names[BENCH_DEALS] = {"teid", "address", "turn"};
    return names[deal];
}

/* N-PDU/s if a line costs line_ns. */
static double rate_of(const struct bench_scaling_parts *parts, const struct bench_scaling_counts *counts,
                      enum bench_deal deal, unsigned workers, double line_ns)
{
    const double own_ns = (1 - counts->steered) * parts->alone_ns;
    const double sender_ns = counts->steered * (parts->sender_ns + counts->to_sender * line_ns);
    const double receiver_ns = counts->steered * (parts->receiver_ns + counts->to_receiver * line_ns);
    if (deal != BENCH_DEAL_ADDRESS)
        return workers * 1e9 / (own_ns + sender_ns + receiver_ns);
    const double first_ns = own_ns + sender_ns, other_ns = workers > 1 ? receiver_ns / (workers - 1) : 0;
    return 1e9 / (first_ns > other_ns ? first_ns : other_ns);
}

struct bench_scaling bench_scaling_predict(const struct bench_scaling_parts *parts,
                                           const struct bench_scaling_counts *counts, enum bench_deal deal,
                                           unsigned workers)
{
    const double rate = rate_of(parts, counts, deal, workers, parts->line_ns);
    const double most_ns = parts->chase_ns > parts->line_ns ? parts->chase_ns : parts->line_ns;
    return (struct bench_scaling){.npdu_per_s = rate,
                                  .low = rate_of(parts, counts, deal, workers, most_ns),
                                  .high = rate_of(parts, counts, deal, workers, 0),
                                  .efficiency = rate * parts->alone_ns * 1e-9 / workers};
}
