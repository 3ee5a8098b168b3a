/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Carry-less multiplication, sixteen octets at a time.
 *
 * Model: the message is padded in front with zeros to rows of sixteen octets, H x^64 + L each, with b rows
 * behind it; the register goes into the first three octets. The FCS's register is the sum of all
 *
 *     (H x^64 + L) x^(128 b + 24)
 *
 * modulo P. A weight for each b, x^(128 b + 88) and x^(128 b + 24) reduced to 24 bits, makes every row's part
 * a sum of two products of degree 86 at most, which wait for nothing and are added without reducing. This is
 * cheaper than the usual folding, where one row's product enters the next: as many multiplications, but no
 * chain, and no separate end for the rows that are left over. One division by P in the manner of Barrett ends
 * it: q = floor(floor(V / x^24) floor(x^88 / P) / x^64), register = V - q P.
 *
 * Bits are reflected: bit i of a half is the coefficient of x^(63 - i), and the product of a half with a
 * weight (bit i for x^(23 - i)) comes out multiplied by x, for which powers[] has made up.
 */
#ifdef __x86_64__
#include "dataplane/wire/llc_fcs.h"

#include "dataplane/wire/llc_fcs_powers.h"

#include <immintrin.h>

#define TARGET __attribute__((target("pclmul,ssse3,sse4.1")))

enum { ROW_OCTETS = 16, PAIR_OCTETS = 32, MAX_OCTETS = (LLC_FCS_ROWS - 1) * ROW_OCTETS };

TARGET static inline __m128i weigh(__m128i row, const uint64_t *weights)
{
    __m128i w = _mm_load_si128((const __m128i *)weights);
    return _mm_xor_si128(_mm_clmulepi64_si128(row, w, 0x00), _mm_clmulepi64_si128(row, w, 0x11));
}

TARGET static inline uint32_t divide(__m128i v)
{
    __m128i constants = _mm_set_epi64x(LLC_FCS_POLYNOMIAL, LLC_FCS_INVERSE);
    __m128i q = _mm_clmulepi64_si128(v, constants, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(v, _mm_clmulepi64_si128(q, constants, 0x10)), 2);
}

/* The first `octets` (1 to 16) of the sixteen at bytes moved to the row's end, zeros in front. */
TARGET static inline __m128i push_back(__m128i row, size_t octets)
{
    __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm_shuffle_epi8(row, _mm_sub_epi8(places, _mm_set1_epi8((char)(ROW_OCTETS - octets))));
}

/* 16 to MAX_OCTETS octets. */
TARGET static uint32_t update(uint32_t state, const uint8_t *p, size_t octets)
{
    size_t head = (octets - 1) % ROW_OCTETS + 1, rows = (octets - head) / ROW_OCTETS;
    const uint64_t *weights = powers[LLC_FCS_ROWS - 2 - rows];
    __m128i row = _mm_xor_si128(_mm_loadu_si128((const __m128i *)p), _mm_cvtsi32_si128((int)state));
    __m128i even = weigh(push_back(row, head), weights), odd = _mm_setzero_si128();

    p += head, weights += 2;
    if (head < 3) /* it leaves a part of the register to the row behind it */
        odd = weigh(_mm_cvtsi32_si128((int)(state >> 8 * head)), weights);
    for (; rows >= 2; rows -= 2, p += PAIR_OCTETS, weights += 4) {
        even = _mm_xor_si128(even, weigh(_mm_loadu_si128((const __m128i *)p), weights));
        odd = _mm_xor_si128(odd, weigh(_mm_loadu_si128((const __m128i *)(p + ROW_OCTETS)), weights + 2));
    }
    if (rows)
        even = _mm_xor_si128(even, weigh(_mm_loadu_si128((const __m128i *)p), weights));
    return divide(_mm_xor_si128(even, odd));
}

uint32_t llc_fcs_clmul_update(uint32_t state, const uint8_t *bytes, size_t octets)
{
    for (; octets > MAX_OCTETS; bytes += MAX_OCTETS, octets -= MAX_OCTETS)
        state = update(state, bytes, MAX_OCTETS);
    return octets < ROW_OCTETS ? llc_fcs_sliced_update(state, bytes, octets) : update(state, bytes, octets);
}
#endif
