/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc_fcs.h"

#include "dataplane/wire/llc_fcs_powers.h"
#include "dataplane/wire/llc_fcs_tables.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* --- sliced: slicing by 16, for any processor. */
static uint32_t sliced(uint32_t state, const uint8_t *p, size_t octets)
{
    for (; octets >= 16; p += 16, octets -= 16) {
        uint32_t next = tables[15][p[0] ^ (state & 255)] ^ tables[14][p[1] ^ (state >> 8 & 255)] ^
                        tables[13][p[2] ^ (state >> 16)];
        for (unsigned i = 3; i < 16; i++)
            next ^= tables[15 - i][p[i]];
        state = next;
    }
    while (octets--)
        state = state >> 8 ^ tables[0][(state ^ *p++) & 255];
    return state;
}

#ifdef __x86_64__
/*
 * --- clmul: carry-less multiplication, sixteen octets at a time.
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

#define CLMUL __attribute__((target("pclmul,ssse3,sse4.1")))

enum { ROW_OCTETS = 16, PAIR_OCTETS = 32, MAX_OCTETS = (LLC_FCS_ROWS - 1) * ROW_OCTETS };

CLMUL static inline __m128i clmul_weigh(__m128i row, const uint64_t *weights)
{
    __m128i w = _mm_load_si128((const __m128i *)weights);
    return _mm_xor_si128(_mm_clmulepi64_si128(row, w, 0x00), _mm_clmulepi64_si128(row, w, 0x11));
}

CLMUL __attribute__((always_inline)) static inline uint32_t divide(__m128i v)
{
    __m128i constants = _mm_set_epi64x(LLC_FCS_POLYNOMIAL, LLC_FCS_INVERSE);
    __m128i q = _mm_clmulepi64_si128(v, constants, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(v, _mm_clmulepi64_si128(q, constants, 0x10)), 2);
}

/* The first `octets` (1 to 16) of the sixteen at bytes moved to the row's end, zeros in front. */
CLMUL static inline __m128i push_back(__m128i row, size_t octets)
{
    __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm_shuffle_epi8(row, _mm_sub_epi8(places, _mm_set1_epi8((char)(ROW_OCTETS - octets))));
}

/* 16 to MAX_OCTETS octets. */
CLMUL static uint32_t clmul_update(uint32_t state, const uint8_t *p, size_t octets)
{
    size_t head = (octets - 1) % ROW_OCTETS + 1, rows = (octets - head) / ROW_OCTETS;
    const uint64_t *weights = powers[LLC_FCS_ROWS - 2 - rows];
    __m128i row = _mm_xor_si128(_mm_loadu_si128((const __m128i *)p), _mm_cvtsi32_si128((int)state));
    __m128i even = clmul_weigh(push_back(row, head), weights), odd = _mm_setzero_si128();

    p += head, weights += 2;
    if (head < 3) /* it leaves a part of the register to the row behind it */
        odd = clmul_weigh(_mm_cvtsi32_si128((int)(state >> 8 * head)), weights);
    for (; rows >= 2; rows -= 2, p += PAIR_OCTETS, weights += 4) {
        even = _mm_xor_si128(even, clmul_weigh(_mm_loadu_si128((const __m128i *)p), weights));
        odd =
            _mm_xor_si128(odd, clmul_weigh(_mm_loadu_si128((const __m128i *)(p + ROW_OCTETS)), weights + 2));
    }
    if (rows)
        even = _mm_xor_si128(even, clmul_weigh(_mm_loadu_si128((const __m128i *)p), weights));
    return divide(_mm_xor_si128(even, odd));
}

static uint32_t clmul(uint32_t state, const uint8_t *bytes, size_t octets)
{
    for (; octets > MAX_OCTETS; bytes += MAX_OCTETS, octets -= MAX_OCTETS)
        state = clmul_update(state, bytes, MAX_OCTETS);
    return octets < ROW_OCTETS ? sliced(state, bytes, octets) : clmul_update(state, bytes, octets);
}

/*
 * --- vclmul: the same with four rows at a time, in blocks of 64 octets. The first block is loaded under a
 * mask, so that there is neither a tail nor a shortest length; octets outside the mask are not touched, also
 * where no memory is.
 */

#define VCLMUL __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,vpclmulqdq,pclmul")))

enum { BLOCK_OCTETS = 64 };

/* Adds a block's product to the sum. */
VCLMUL static inline __m512i vclmul_weigh(__m512i sum, __m512i block, const uint64_t *weights)
{
    __m512i w = _mm512_load_si512(weights);
    return _mm512_ternarylogic_epi64(sum, _mm512_clmulepi64_epi128(block, w, 0x00),
                                     _mm512_clmulepi64_epi128(block, w, 0x11), 0x96);
}

VCLMUL static inline __m128i add_rows(__m512i sum)
{
    __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/* The first `octets` (1 to 64), with the register in them, moved to the block's end; zeros in front. */
VCLMUL static inline __m512i load_head(uint32_t state, const uint8_t *p, size_t octets)
{
    __m512i start = _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)state));
    __m512i head = _mm512_maskz_loadu_epi8(UINT64_MAX >> (BLOCK_OCTETS - octets), p);
    return _mm512_maskz_expand_epi8(UINT64_MAX << (BLOCK_OCTETS - octets), _mm512_xor_si512(head, start));
}

/* The product of the register's rest, behind a head of one or two octets, for the row that follows the head.
 * */
VCLMUL static inline __m512i weigh_rest(uint32_t rest, const uint64_t *weights)
{
    __m128i w = _mm_load_si128((const __m128i *)weights);
    return _mm512_zextsi128_si512(_mm_clmulepi64_si128(_mm_cvtsi32_si128((int)rest), w, 0x00));
}

/* 1 to MAX_OCTETS octets. */
VCLMUL static inline uint32_t vclmul_update(uint32_t state, const uint8_t *p, size_t octets)
{
    size_t head = (octets - 1) % BLOCK_OCTETS + 1, blocks = (octets - head) / BLOCK_OCTETS;
    const uint64_t *weights = powers[LLC_FCS_ROWS - 5 - 4 * blocks];
    __m512i sum = vclmul_weigh(_mm512_setzero_si512(), load_head(state, p, head), weights);

    weights += 8, p += head;
    if (head < 3)
        sum = _mm512_xor_si512(sum, weigh_rest(state >> 8 * head, weights));
    for (; blocks > 0; blocks--, p += BLOCK_OCTETS, weights += 8)
        sum = vclmul_weigh(sum, _mm512_loadu_si512(p), weights);
    return divide(add_rows(sum));
}

VCLMUL static uint32_t vclmul(uint32_t state, const uint8_t *bytes, size_t octets)
{
    if (octets == 0)
        return state;
    for (; octets > MAX_OCTETS; bytes += MAX_OCTETS, octets -= MAX_OCTETS)
        state = vclmul_update(state, bytes, MAX_OCTETS);
    return vclmul_update(state, bytes, octets);
}

static bool has_clmul(void)
{
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3") &&
           __builtin_cpu_supports("sse4.1");
}

static bool has_vclmul(void)
{
    return __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

unsigned llc_fcs_engines(struct llc_fcs_engine out[LLC_FCS_ENGINES_MAX])
{
    unsigned count = 0;
    out[count++] = (struct llc_fcs_engine){"sliced", sliced};
#ifdef __x86_64__
    __builtin_cpu_init();
    if (has_clmul())
        out[count++] = (struct llc_fcs_engine){"clmul", clmul};
    if (has_clmul() && has_vclmul())
        out[count++] = (struct llc_fcs_engine){"vclmul", vclmul};
#endif
    return count;
}

static uint32_t (*engine)(uint32_t state, const uint8_t *bytes, size_t octets) = sliced;

void llc_fcs_init(void)
{
    struct llc_fcs_engine engines[LLC_FCS_ENGINES_MAX];
    engine = engines[llc_fcs_engines(engines) - 1].update;
}

uint32_t llc_fcs_update(uint32_t state, const uint8_t *bytes, size_t octets)
{
    return engine(state & LLC_FCS_START, bytes, octets);
}

uint32_t llc_fcs(const uint8_t *bytes, size_t octets)
{
    return engine(LLC_FCS_START, bytes, octets) ^ LLC_FCS_START;
}
