/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The method of llc_fcs_clmul.c with four rows at a time, in blocks of 64 octets. The first block is loaded
 * under a mask, so that there is neither a tail nor a shortest length; octets outside the mask are not
 * touched, also where no memory is.
 */
#ifdef __x86_64__
#include "dataplane/wire/llc_fcs.h"

#include "dataplane/wire/llc_fcs_powers.h"

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,vpclmulqdq,pclmul")))

enum { BLOCK_OCTETS = 64, MAX_OCTETS = (LLC_FCS_ROWS - 1) * 16 };

/* Adds a block's product to the sum. */
TARGET static inline __m512i weigh(__m512i sum, __m512i block, const uint64_t *weights)
{
    __m512i w = _mm512_load_si512(weights);
    return _mm512_ternarylogic_epi64(sum, _mm512_clmulepi64_epi128(block, w, 0x00),
                                     _mm512_clmulepi64_epi128(block, w, 0x11), 0x96);
}

TARGET static inline __m128i add_rows(__m512i sum)
{
    __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

TARGET static inline uint32_t divide(__m128i v)
{
    __m128i constants = _mm_set_epi64x(LLC_FCS_POLYNOMIAL, LLC_FCS_INVERSE);
    __m128i q = _mm_clmulepi64_si128(v, constants, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(v, _mm_clmulepi64_si128(q, constants, 0x10)), 2);
}

/* The first `octets` (1 to 64), with the register in them, moved to the block's end; zeros in front. */
TARGET static inline __m512i load_head(uint32_t state, const uint8_t *p, size_t octets)
{
    __m512i start = _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)state));
    __m512i head = _mm512_maskz_loadu_epi8(UINT64_MAX >> (BLOCK_OCTETS - octets), p);
    return _mm512_maskz_expand_epi8(UINT64_MAX << (BLOCK_OCTETS - octets), _mm512_xor_si512(head, start));
}

/* The product of the register's rest, behind a head of one or two octets, for the row that follows the head.
 * */
TARGET static inline __m512i weigh_rest(uint32_t rest, const uint64_t *weights)
{
    __m128i w = _mm_load_si128((const __m128i *)weights);
    return _mm512_zextsi128_si512(_mm_clmulepi64_si128(_mm_cvtsi32_si128((int)rest), w, 0x00));
}

/* 1 to MAX_OCTETS octets. */
TARGET static inline uint32_t update(uint32_t state, const uint8_t *p, size_t octets)
{
    size_t head = (octets - 1) % BLOCK_OCTETS + 1, blocks = (octets - head) / BLOCK_OCTETS;
    const uint64_t *weights = powers[LLC_FCS_ROWS - 5 - 4 * blocks];
    __m512i sum = weigh(_mm512_setzero_si512(), load_head(state, p, head), weights);

    weights += 8, p += head;
    if (head < 3)
        sum = _mm512_xor_si512(sum, weigh_rest(state >> 8 * head, weights));
    for (; blocks > 0; blocks--, p += BLOCK_OCTETS, weights += 8)
        sum = weigh(sum, _mm512_loadu_si512(p), weights);
    return divide(add_rows(sum));
}

TARGET uint32_t llc_fcs_vclmul_update(uint32_t state, const uint8_t *bytes, size_t octets)
{
    if (octets == 0)
        return state;
    for (; octets > MAX_OCTETS; bytes += MAX_OCTETS, octets -= MAX_OCTETS)
        state = update(state, bytes, MAX_OCTETS);
    return update(state, bytes, octets);
}
#endif
