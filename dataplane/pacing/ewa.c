/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/ewa.h"

/*
 * Explicit window adaptation (L. Kalampoukas, A. Varma, K. K. Ramakrishnan, "Explicit window adaptation: a
 * method to enhance TCP performance", INFOCOM 1998): all flows of a queue of Q octets in a buffer of B have
 * the window
 *
 *     W = max(1, floor(alpha log2((B - Q) / MSS))) MSS
 *
 * and each 10 ms, with q an average of Q,
 *
 *     q     = q + (Q - q) / 128
 *     alpha = alpha + 1/8         where q < 20 % of B
 *     alpha = alpha 31/32         where q > 60 % of B
 *
 * alpha begins with 1 and is at most 64. Q is read when an ACK passes, so periods without one have the Q of
 * the next ACK. log2 is linear between powers of two, at most 0.09 too small. Constants and marks are from
 * memory of how the paper is described.
 */

#define EWA_PERIOD_NS INT64_C(10000000)
#define EWA_PERIODS   1024 /* after these q is Q */
#define EWA_AVERAGE   128
#define EWA_ONE       65536U
#define EWA_ADD       (EWA_ONE / 8)
#define EWA_MOST      (EWA_ONE * 64)
#define EWA_LOW       20
#define EWA_HIGH      60

static void end_period(struct ewa *e, uint64_t q_octets, uint32_t b_octets)
{
    e->average_octets += q_octets;
    e->average_octets -= e->average_octets / EWA_AVERAGE;
    uint64_t percent = e->average_octets / EWA_AVERAGE * 100 / b_octets;
    if (percent < EWA_LOW)
        e->alpha = e->alpha + EWA_ADD < EWA_MOST ? e->alpha + EWA_ADD : EWA_MOST;
    else if (percent > EWA_HIGH)
        e->alpha -= e->alpha / 32;
}

static void end_periods(struct ewa *e, uint64_t q_octets, uint32_t b_octets, int64_t now)
{
    if (e->alpha == 0)
        *e = (struct ewa){now, q_octets * EWA_AVERAGE, EWA_ONE};
    int64_t periods = (now - e->last_ns) / EWA_PERIOD_NS;
    e->last_ns += periods * EWA_PERIOD_NS;
    for (int64_t i = 0; i < periods && i < EWA_PERIODS; i++)
        end_period(e, q_octets, b_octets);
}

/* In 1/65536, of a number in 1/256; 0 up to 1. */
static uint64_t log2_of(uint64_t number)
{
    if (number <= 256)
        return 0;
    unsigned power = 63U - (unsigned)__builtin_clzll(number);
    return ((uint64_t)(power - 8) << 16) + ((number << 16) >> power) - EWA_ONE;
}

uint64_t ewa_window_octets(struct ewa *e, uint64_t q_octets, uint32_t b_octets, uint16_t mss, int64_t now)
{
    end_periods(e, q_octets, b_octets, now);
    uint64_t free_octets = q_octets < b_octets ? b_octets - q_octets : 0;
    uint64_t segments = e->alpha * log2_of(free_octets * 256 / mss) >> 32;
    return (segments > 0 ? segments : 1) * mss;
}
