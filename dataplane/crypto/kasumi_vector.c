/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * KASUMI (TS 35.202) of 64 packets in AVX-512 registers. A 16-bit word of all lanes is two registers, its
 * high and its low octets. FI splits a word into nine bits, which are the high octet and the low octet's bit
 * 7, and seven bits: so octets are indices of VPERMI2B, which reads seven bits, without masking.
 *
 * S7 is one look-up of 128 octets that stay in registers. S9 has degree two, hence
 *     S9(u, v, w) = T(u) + v A(u) + w B(u, v)      u seven bits, v and w one bit each, A and B affine
 * with T a look-up and the bit matrices A, B one GF2P8AFFINEQB each; the ninth output bit is kept as an
 * octet of equal bits, which is a mask. No address and no branch depends on data.
 */

#include "dataplane/crypto/kasumi.h"

#ifdef __x86_64__

#include "dataplane/crypto/kasumi_tables.h"

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define VECTOR __attribute__((target("avx512f,avx512bw,avx512vbmi,gfni")))
#define INLINE VECTOR __attribute__((always_inline))

struct word {
    __m512i high, low;
};

/* The parts of one 16-bit word of the key that the rounds use; fi_* in the layout of fi(), see there. */
struct key_word {
    struct word plain, left1, left5, mixed;
    __m512i fi_seven, fi_ninth;
};

enum table { S7, S7_TWICE, S9A_LOW, S9A_HIGH, S9B_LOW, S9B_TOP, TABLES };

struct cipher {
    struct key_word key[8];
    __m512i begin[8];    /* A of KGCORE */
    __m512i feedback[8]; /* KSB(n - 1) */
    __m512i block;       /* n - 1; 190 at most, so an octet holds it */
    __m512i tables[TABLES][2];
};

/*
 * Sums of three operands for the three-input instruction; each level takes two cycles. Written out because
 * the latency of the chain through FI bounds the speed, not the number of instructions. MemorySanitizer
 * knows neither that instruction nor GF2P8AFFINEQB; it gets the operators and, for the latter, that each
 * octet depends on its own octet only.
 */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define WATCHED
#endif
#endif

#ifdef WATCHED
#include <sanitizer/msan_interface.h>
#define XOR3(a, b, c)       ((a) ^ (b) ^ (c))
#define XOR_AND(a, b, c)    ((a) ^ ((b) & (c)))
#define XOR_MASKED(a, b, c) (((a) ^ (b)) & (c))
#define AFFINE(x, name)                                                                                      \
    ({                                                                                                       \
        __m512i from_ = (x), clean_ = from_;                                                                 \
        __msan_unpoison(&clean_, sizeof clean_);                                                             \
        __m512i to_ = _mm512_gf2p8affine_epi64_epi8(clean_, _mm512_set1_epi64((long long)KASUMI_##name),     \
                                                    KASUMI_##name##_PLUS);                                   \
        __msan_copy_shadow(&to_, &from_, sizeof to_);                                                        \
        to_;                                                                                                 \
    })
#else
#define XOR3(a, b, c)       _mm512_ternarylogic_epi64((a), (b), (c), 0x96)
#define XOR_AND(a, b, c)    _mm512_ternarylogic_epi64((a), (b), (c), 0x78)
#define XOR_MASKED(a, b, c) _mm512_ternarylogic_epi64((a), (b), (c), 0x28)
#define AFFINE(x, name)                                                                                      \
    _mm512_gf2p8affine_epi64_epi8((x), _mm512_set1_epi64((long long)KASUMI_##name), KASUMI_##name##_PLUS)
#endif

INLINE static inline __m512i look_up(const __m512i table[2], __m512i index)
{
    return _mm512_permutex2var_epi8(table[0], index, table[1]);
}

INLINE static inline struct word xor_words(struct word a, struct word b)
{
    return (struct word){a.high ^ b.high, a.low ^ b.low};
}

INLINE static inline struct word swap_octets(struct word a)
{
    return (struct word){a.low, a.high};
}

/* sum + a rotated left by one. */
INLINE static inline struct word add_left1(struct word sum, struct word a)
{
    return (struct word){XOR3(sum.high, AFFINE(a.high, LEFT1), AFFINE(a.low, RIGHT7)),
                         XOR3(sum.low, AFFINE(a.low, LEFT1), AFFINE(a.high, RIGHT7))};
}

INLINE static inline struct word rotate_left5(struct word a)
{
    return (struct word){AFFINE(a.high, LEFT5) ^ AFFINE(a.low, RIGHT3),
                         AFFINE(a.low, LEFT5) ^ AFFINE(a.high, RIGHT3)};
}

/*
 * FI(x) + sum. nine: nine bits; ninth: bit 9 in all bits; seven: seven bits. The key's nine bits are added
 * into the sum that waits for the first look-up; fi_seven takes their low seven out again.
 */
INLINE static inline struct word fi(struct word x, const struct key_word *k, const __m512i t[][2],
                                    struct word sum)
{
    const __m512i low_seven = _mm512_set1_epi8(0x7f), one = _mm512_set1_epi8(1);
    __m512i x8 = AFFINE(x.high, SPREAD_BIT7), x0 = AFFINE(x.low, SPREAD_BIT7);
    __m512i nine_8 = XOR_AND(XOR_AND(k->mixed.low, x.low, low_seven), x8, AFFINE(x.high, S9A_X8_LOW));
    __m512i nine_0 = x0 & AFFINE(x.high, S9A_X0_LOW);
    __m512i nine = XOR3(look_up(t[S9A_LOW], x.high), nine_8, nine_0);
    __m512i ninth_8 = XOR_AND(k->fi_ninth, x8, AFFINE(x.high, S9A_X8_HIGH));
    __m512i ninth_0 = x0 & AFFINE(x.high, S9A_X0_HIGH);
    __m512i ninth = XOR3(look_up(t[S9A_HIGH], x.high), ninth_8, ninth_0);
    __m512i seven = XOR_MASKED(look_up(t[S7], x.low) ^ k->fi_seven, nine, low_seven);

    __m512i x7 = AFFINE(nine, SPREAD_BIT7);
    __m512i low_8 = XOR_AND(seven, ninth, AFFINE(nine, S9B_X8_LOW));
    __m512i low_7 = x7 & AFFINE(nine, S9B_X7_LOW);
    __m512i low = XOR3(look_up(t[S9B_LOW], nine), low_8, low_7);
    __m512i top_8 = ninth & AFFINE(nine, S9B_X8_TOP);
    __m512i top = XOR3(look_up(t[S9B_TOP], nine), XOR_AND(sum.high, x7, one), top_8);
    __m512i high = XOR3(look_up(t[S7_TWICE], seven), _mm512_add_epi8(low, low), top);
    return (struct word){high, low ^ sum.low};
}

INLINE static inline void fl(struct word half[2], const struct key_word *key, unsigned round)
{
    const struct word k1 = key[round].left1, k2 = key[(round + 2) & 7].mixed;
    struct word a = {half[0].high & k1.high, half[0].low & k1.low};
    half[1] = add_left1(half[1], a);
    struct word b = {half[1].high | k2.high, half[1].low | k2.low};
    half[0] = add_left1(half[0], b);
}

/* half = FO(half) + sum. */
INLINE static inline void fo(struct word half[2], const struct cipher *c, unsigned round,
                             const struct word sum[2])
{
    const struct key_word *key = c->key;
    const __m512i(*t)[2] = c->tables;
    const struct word k2 = swap_octets(key[(round + 5) & 7].plain);
    const struct word k3 = swap_octets(key[(round + 6) & 7].left5);
    struct word left = xor_words(half[0], key[(round + 1) & 7].left5);
    struct word last = fi(left, &key[(round + 4) & 7], t, xor_words(half[1], k3));
    struct word right = xor_words(half[1], k2);
    struct word r2 = fi(right, &key[(round + 3) & 7], t, xor_words(last, k3));
    half[0] = xor_words(r2, sum[0]);
    half[1] = fi(last, &key[(round + 7) & 7], t, xor_words(r2, sum[1]));
}

INLINE static inline void two_rounds(struct word block[4], const struct cipher *c, unsigned round)
{
    const struct word none = {_mm512_setzero_si512(), _mm512_setzero_si512()}, nothing[2] = {none, none};
    struct word half[2] = {block[0], block[1]};
    fl(half, c->key, round);
    fo(half, c, round, block + 2);
    block[2] = half[0];
    block[3] = half[1];
    fo(half, c, round + 1, nothing);
    fl(half, c->key, round + 1);
    block[0] = xor_words(block[0], half[0]);
    block[1] = xor_words(block[1], half[1]);
}

/* One block of every lane; planes[i] are the blocks' octets i. */
VECTOR static void encipher(__m512i planes[8], const struct cipher *c)
{
    struct word block[4];
    for (size_t i = 0; i < 4; i++)
        block[i] = (struct word){planes[2 * i], planes[2 * i + 1]};
    _Pragma("GCC unroll 4") for (unsigned round = 0; round < 8; round += 2) two_rounds(block, c, round);
    for (size_t i = 0; i < 4; i++) {
        planes[2 * i] = block[i].high;
        planes[2 * i + 1] = block[i].low;
    }
}

/* Eight rows of eight 64-bit words become the columns. */
INLINE static inline void transpose(__m512i r[8])
{
    __m512i t[8], u[8];
    for (unsigned i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
    }
    for (unsigned i = 0; i < 8; i += 4) {
        for (unsigned odd = 0; odd < 2; odd++) {
            u[i + odd] = _mm512_shuffle_i64x2(t[i + odd], t[i + odd + 2], 0x88);
            u[i + odd + 2] = _mm512_shuffle_i64x2(t[i + odd], t[i + odd + 2], 0xdd);
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        r[i] = _mm512_shuffle_i64x2(u[i], u[i + 4], 0x88);
        r[i + 4] = _mm512_shuffle_i64x2(u[i], u[i + 4], 0xdd);
    }
}

/* Octet 8 i + j of a register becomes octet 8 j + i. */
INLINE static inline __m512i transpose_octets(__m512i r)
{
    uint8_t order[64] __attribute__((aligned(64)));
    for (unsigned i = 0; i < 64; i++)
        order[i] = (uint8_t)(i % 8 * 8 + i / 8);
    return _mm512_permutexvar_epi8(_mm512_load_si512(order), r);
}

/* planes[i] gets octet i of each of the 64 words. */
VECTOR static void planes_of(__m512i planes[8], const uint64_t words[KASUMI_LANES])
{
    for (size_t i = 0; i < 8; i++)
        planes[i] = transpose_octets(_mm512_load_si512(words + 8 * i));
    transpose(planes);
}

/* The reverse: words[i] gets the lanes 8 i .. 8 i + 7. */
INLINE static inline void words_of(__m512i words[8], const __m512i planes[8])
{
    memcpy(words, planes, 8 * sizeof planes[0]);
    transpose(words);
    for (unsigned i = 0; i < 8; i++)
        words[i] = transpose_octets(words[i]);
}

/* Key schedule of TS 35.202; changed is first added to each octet of the key. */
VECTOR static void expand(struct key_word key[8], const __m512i octets[16], uint8_t changed)
{
    static const uint16_t constants[8] = {0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210};
    const __m512i change = _mm512_set1_epi8((char)changed);
    const struct word none = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    for (size_t i = 0; i < 8; i++) {
        struct word plain = {octets[2 * i] ^ change, octets[2 * i + 1] ^ change};
        struct word constant = {_mm512_set1_epi8((char)(constants[i] >> 8)),
                                _mm512_set1_epi8((char)constants[i])};
        struct word mixed = xor_words(plain, constant);
        key[i] = (struct key_word){plain,
                                   add_left1(none, plain),
                                   rotate_left5(plain),
                                   mixed,
                                   .fi_seven = AFFINE(mixed.high, RIGHT1) ^ mixed.low,
                                   .fi_ninth = AFFINE(mixed.high, SPREAD_BIT0)};
    }
}

/* Loads the keys of all lanes, makes A of KGCORE, and restarts the counters of the fresh lanes. */
VECTOR static void load(struct cipher *c, const struct kasumi_lanes *l, uint64_t fresh)
{
    __m512i octets[16];
    planes_of(octets, l->words[0]);
    planes_of(octets + 8, l->words[1]);
    planes_of(c->begin, l->words[2]);
    expand(c->key, octets, 0x55);
    encipher(c->begin, c);
    expand(c->key, octets, 0);
    for (unsigned i = 0; i < 8; i++)
        c->feedback[i] = _mm512_maskz_mov_epi8(~fresh, c->feedback[i]);
    c->block = _mm512_maskz_mov_epi8(~fresh, c->block);
}

/* The next block of keystream of every lane. */
INLINE static inline void kasumi_vector_step(struct cipher *c)
{
    for (unsigned i = 0; i < 8; i++)
        c->feedback[i] ^= c->begin[i];
    c->feedback[7] ^= c->block;
    encipher(c->feedback, c);
    c->block = _mm512_add_epi8(c->block, _mm512_set1_epi8(1));
}

INLINE static inline void add_octets(struct kasumi_lanes_piece piece, __m512i stream)
{
    if (piece.octets == 0)
        return;
    __mmask64 mask = ~UINT64_C(0) >> (KASUMI_STRIDE_OCTETS - piece.octets);
    __m512i data = _mm512_maskz_loadu_epi8(mask, piece.data);
    _mm512_mask_storeu_epi8(piece.data, mask, data ^ stream);
}

VECTOR static void stride(struct cipher *c, struct kasumi_lanes *l, unsigned blocks)
{
    __m512i streams[KASUMI_STRIDE_BLOCKS][8], words[8];
    for (unsigned i = 0; i < blocks; i++) {
        kasumi_vector_step(c);
        words_of(streams[i], c->feedback);
    }
    for (unsigned lane = 0; lane < l->width; lane += 8) {
        for (unsigned i = 0; i < 8; i++)
            words[i] = i < blocks ? streams[i][lane / 8] : _mm512_setzero_si512();
        transpose(words);
        for (unsigned i = 0; i < 8; i++)
            add_octets(kasumi_lanes_take(l, lane + i), words[i]);
    }
}

VECTOR static void kasumi_vector_start(struct cipher *c)
{
    static const uint8_t *const octets[] = {
        [S7] = kasumi_s7,           [S7_TWICE] = kasumi_s7_twice,
        [S9A_LOW] = kasumi_s9a_low, [S9A_HIGH] = kasumi_s9a_high,
        [S9B_LOW] = kasumi_s9b_low, [S9B_TOP] = kasumi_s9b_top,
    };
    for (unsigned i = 0; i < TABLES; i++) {
        c->tables[i][0] = _mm512_load_si512(octets[i]);
        c->tables[i][1] = _mm512_load_si512(octets[i] + 64);
    }
    memset(c->feedback, 0, sizeof c->feedback);
    c->block = _mm512_setzero_si512();
}

VECTOR static void kasumi_vector_run(const struct gea_job *jobs, size_t count)
{
    struct kasumi_lanes lanes;
    struct cipher c;
    kasumi_lanes_init(&lanes, jobs, count, KASUMI_LANES);
    kasumi_vector_start(&c);
    for (;;) {
        uint64_t fresh = kasumi_lanes_fill(&lanes);
        if (fresh != 0)
            load(&c, &lanes, fresh);
        unsigned blocks = kasumi_lanes_blocks(&lanes);
        if (blocks == 0)
            break;
        stride(&c, &lanes, blocks);
    }
}

const char *kasumi_vector_missing(void)
{
    bool has_all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("gfni");
    return has_all ? NULL : "the processor lacks AVX512BW, AVX512_VBMI or GFNI";
}

#else

static void kasumi_vector_run(const struct gea_job *jobs, size_t count)
{
}

const char *kasumi_vector_missing(void)
{
    return "not an x86-64 processor";
}

#endif

void kasumi_vector_cipher(const struct gea_job *jobs, size_t count)
{
    for (size_t at = 0; at < count; at += KASUMI_LANES_JOBS)
        kasumi_vector_run(jobs + at, count - at < KASUMI_LANES_JOBS ? count - at : KASUMI_LANES_JOBS);
}
