/* SPDX-License-Identifier: BSD-3-Clause */
/* Chances and factors as integers: 2^62 is 1. Equal results with every compiler, exact to 2^-62. */
#ifndef DATAPLANE_AQM_AQM_FIXED_H
#define DATAPLANE_AQM_AQM_FIXED_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 aqm_wide;
__extension__ typedef unsigned __int128 aqm_uwide;

#define AQM_FIXED_BITS 62
#define AQM_FIXED_ONE  (INT64_C(1) << AQM_FIXED_BITS)

static inline int64_t aqm_fixed_ppm(int64_t millionths)
{
    return (int64_t)((aqm_wide)millionths * AQM_FIXED_ONE / 1000000);
}

static inline double aqm_fixed_double(int64_t a)
{
    return (double)a / (double)AQM_FIXED_ONE;
}

/* a x b, rounded down; one of them is a factor. */
static inline int64_t aqm_fixed_mul(int64_t a, int64_t b)
{
    return (int64_t)((aqm_wide)a * b >> AQM_FIXED_BITS);
}

/* a / b as a factor, for 0 <= a <= b, b > 0. */
static inline int64_t aqm_fixed_ratio(int64_t a, int64_t b)
{
    return (int64_t)(((aqm_wide)a << AQM_FIXED_BITS) / b);
}

/* A uniform factor of 64 random bits: 0 .. AQM_FIXED_ONE - 1. */
static inline int64_t aqm_fixed_uniform(uint64_t random)
{
    return (int64_t)(random >> (64 - AQM_FIXED_BITS));
}

/* factor^n by squaring. */
static inline int64_t aqm_fixed_power(int64_t factor, uint64_t n)
{
    int64_t power = AQM_FIXED_ONE;
    for (; n > 0 && power > 0; n >>= 1) {
        if (n & 1)
            power = aqm_fixed_mul(power, factor);
        factor = aqm_fixed_mul(factor, factor);
    }
    return power;
}

/* Time to send octets at a rate > 0; at most about 73 years. */
static inline int64_t aqm_fixed_serial_ns(uint64_t octets, uint64_t rate_bps)
{
    aqm_uwide bit_ns = (aqm_uwide)octets * 8000000000U;
    aqm_uwide ns = bit_ns >> 64 ? bit_ns / rate_bps : (uint64_t)bit_ns / rate_bps;
    return ns >> 61 ? INT64_C(1) << 61 : (int64_t)ns;
}

#endif
