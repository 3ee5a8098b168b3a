/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * KASUMI (TS 35.202) of up to eight packets in AVX2 registers, for little time to the next block: one packet
 * takes as long as eight. Octets 0 .. 7 of a lane belong to one 16-bit word of each packet, octets 8 .. 15 to
 * another word: FI of both is computed at once, which is called a step here. Two rounds take three steps,
 * because of the order in which the inputs of their six FI become known:
 *
 *     FI1 and FI2 of a round, FI3 and FI1 of the next, FI2 and FI3 of the next
 *
 * The S-boxes are look-ups by VPSHUFB, whose index has four bits. S9 is a sum of products of look-ups, see
 * kasumi_sbox.py; the lanes have its low octet and its other bit. S7 has eight rows of 16 values, two in each
 * register. The index of a row is negative where S7's is below the row, and VPSHUFB then gives zero; where it
 * is not, the row changes the value of the row before it to its own. No address and no branch depends on
 * data.
 */

#include "dataplane/crypto/kasumi.h"

#ifdef __x86_64__

#include "dataplane/crypto/kasumi_nibbles.h"

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define ONES   INT64_C(0x0101010101010101)
#define VECTOR __attribute__((target("avx2")))
#define INLINE VECTOR __attribute__((always_inline))

enum { LANES = KASUMI_NIBBLES_LANES, STEPS = 12, LOW_SEVEN = 0x7f };

struct word {
    __m256i high, low;
};

/* Keys of one step, FI of two words. */
struct step_key {
    __m256i nines; /* for both outputs of S9, in their lanes */
    __m256i seven; /* with nine's bits in it, which it takes out again */
    __m256i next;  /* for the input of the next step, low octets in the first lane, high ones in the second */
};

/* Factors and the constant sum of FL, see fl(). The bits of one factor that stay in their octet are in below,
 * others in above. */
struct fl_key {
    struct word crossed, below, above, sum;
};

/* Words whose low octets are in the first lane, high octets in the second. */
typedef __m256i lanes;

struct cipher {
    struct step_key step[STEPS];
    struct fl_key fl[8]; /* the sums of even rounds have the next step's key in them */
    lanes first[4]; /* takes that out of the first step's result again, and has the next step's key in it */
    lanes begin[2]; /* A of KGCORE, left and right half */
    lanes feedback[2]; /* KSB(n - 1) */
    lanes block;       /* n - 1, in the low octet of the last word; 190 at most */
};

INLINE static inline struct word kasumi_nibbles_add(struct word a, struct word b)
{
    return (struct word){a.high ^ b.high, a.low ^ b.low};
}

/* Octets 0 .. 7 become octets 8 .. 15, and zeros follow them. */
INLINE static inline __m256i to_upper(__m256i a)
{
    return _mm256_unpacklo_epi64(_mm256_setzero_si256(), a);
}

INLINE static inline __m256i swap_halves(__m256i a)
{
    return _mm256_shuffle_epi32(a, 0x4e);
}

INLINE static inline __m256i upper_twice(__m256i a)
{
    return _mm256_unpackhi_epi64(a, a);
}

/* Each octet doubled, and one added to it where the other octet has bit 7. */
INLINE static inline __m256i shift_in(__m256i a, __m256i other)
{
    return _mm256_sub_epi8(_mm256_add_epi8(a, a), _mm256_cmpgt_epi8(_mm256_setzero_si256(), other));
}

INLINE static inline struct word left1(struct word a)
{
    return (struct word){shift_in(a.high, a.low), shift_in(a.low, a.high)};
}

INLINE static inline __m256i first_lane(__m256i a)
{
    return _mm256_inserti128_si256(a, _mm256_castsi256_si128(a), 1);
}

INLINE static inline __m256i second_lane(__m256i a)
{
    return _mm256_permute2x128_si256(a, a, 0x11);
}

INLINE static inline struct word spread(lanes a)
{
    return (struct word){.low = first_lane(a), .high = second_lane(a)};
}

INLINE static inline lanes gather(struct word a)
{
    return _mm256_blend_epi32(a.low, a.high, 0xf0);
}

INLINE static inline __m256i look_up(const uint8_t table[32], __m256i index)
{
    return _mm256_shuffle_epi8(_mm256_load_si256((const __m256i *)table), index);
}

/* Both outputs of S9, and sum: octet has the bits of the nibbles a and b, and the top bit of c is c. */
INLINE static inline lanes s9(const uint8_t t[10][32], __m256i octet, __m256i c, lanes sum)
{
    const __m256i four = _mm256_set1_epi8(0x0f);
    __m256i a = octet & four, b = _mm256_srli_epi16(octet, 4) & four;
    __m256i with_c = look_up(t[2], a) ^ look_up(t[3], b);
    with_c = _mm256_blendv_epi8(_mm256_setzero_si256(), with_c, c);
    __m256i p0 = look_up(t[4], a) & look_up(t[5], b), p1 = look_up(t[6], a) & look_up(t[7], b);
    __m256i p2 = look_up(t[8], a) & look_up(t[9], b), alone = look_up(t[0], a) ^ look_up(t[1], b);
    return ((p0 ^ p1) ^ (p2 ^ alone)) ^ (with_c ^ sum);
}

/* Seven: 0 .. 127. The result is the sum of both lanes. */
INLINE static inline __m256i s7(const uint8_t t[4][32], __m256i seven)
{
    __m256i sum[4];
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
    {
        const __m256i first =
            _mm256_set_m128i(_mm_set1_epi8((char)(32 * i + 16)), _mm_set1_epi8((char)(32 * i)));
        sum[i] = look_up(t[i], _mm256_sub_epi8(seven, first));
    }
    return (sum[0] ^ sum[1]) ^ (sum[2] ^ sum[3]);
}

/* FI of two words; the first result is added to the second, and sum to both. */
INLINE static inline lanes kasumi_nibbles_step(struct word x, const struct step_key *k, lanes sum)
{
    const __m256i low_seven = _mm256_set1_epi8(LOW_SEVEN), zero = _mm256_setzero_si256();
    const __m256i first = _mm256_set_m128i(_mm_setzero_si128(), _mm_set1_epi8(-1));
    __m256i x7 = x.low & low_seven;
    lanes nines = s9(kasumi_nibbles_s9a, x.high, x.low, (x7 & first) ^ k->nines);
    __m256i sevens = s7(kasumi_nibbles_s7, x7);
    __m256i nine = first_lane(nines), ninth = second_lane(nines);
    sevens = (sevens ^ _mm256_permute2x128_si256(sevens, sevens, 0x01)) ^ k->seven;
    __m256i seven = (nine ^ sevens) & low_seven;
    __m256i twice = s7(kasumi_nibbles_s7_twice, seven);
    lanes known = _mm256_blend_epi32(seven, twice, 0xf0);
    known ^= _mm256_inserti128_si256(zero, _mm256_castsi256_si128(twice), 1);
    lanes y = s9(kasumi_nibbles_s9b, nine, ninth, zero);
    return (y ^ to_upper(y)) ^ ((known ^ to_upper(known)) ^ sum);
}

/*
 * With the right word r in place of r + ((l & k1) <<< 1), which is the new one, the left word adds
 * ((r | k2) <<< 1) + ((l & k1 & ~(k2 >>> 1)) <<< 2), so that it does not wait for it.
 */
INLINE static inline struct word fl(struct word half, const struct fl_key *k)
{
    struct word crossed = {swap_halves(half.high) & k->crossed.high, swap_halves(half.low) & k->crossed.low};
    struct word two = {
        _mm256_slli_epi16(half.high & k->below.high, 2) ^ _mm256_srli_epi16(half.low & k->above.low, 6),
        _mm256_slli_epi16(half.low & k->below.low, 2) ^ _mm256_srli_epi16(half.high & k->above.high, 6)};
    return kasumi_nibbles_add(left1(crossed), kasumi_nibbles_add(two, kasumi_nibbles_add(half, k->sum)));
}

/* Two rounds, the first of an even number; left has its octets in both lanes. */
INLINE static inline void two_rounds(struct word *left, lanes *right, const struct cipher *c, unsigned round)
{
    const struct step_key *k = &c->step[round / 2 * 3];
    struct word half = fl(*left, &c->fl[round]);
    lanes upper = to_upper(*right);
    lanes one = kasumi_nibbles_step(half, &k[0], upper_twice(gather(half)) ^ upper ^ c->first[round / 2]);
    struct word x = spread(one);
    one ^= k[0].next;
    lanes two = kasumi_nibbles_step(x, &k[1], upper_twice(*right ^ one ^ upper) ^ k[1].next);
    x = spread(two);
    two ^= k[1].next;
    lanes three = kasumi_nibbles_step(x, &k[2], upper_twice(two));
    /* The upper word of one is the new left word; the lower of two is the new right word. */
    *right = _mm256_alignr_epi8(two, one, 8);
    *left = kasumi_nibbles_add(*left, fl(spread(three), &c->fl[round + 1]));
}

VECTOR static void encipher(lanes block[2], const struct cipher *c)
{
    struct word left = spread(block[0]);
    lanes right = block[1];
    _Pragma("GCC unroll 4") for (unsigned round = 0; round < 8; round += 2)
        two_rounds(&left, &right, c, round);
    block[0] = gather(left);
    block[1] = right;
}

/* --- Keys --- */

/* A word of each packet in octets 0 .. 7; the others do not matter. */
struct plane {
    __m128i high, low;
};

INLINE static inline struct plane add_everywhere(struct plane a, unsigned word)
{
    return (struct plane){a.high ^ _mm_set1_epi8((char)(word >> 8)), a.low ^ _mm_set1_epi8((char)word)};
}

INLINE static inline struct plane swap_octets(struct plane a)
{
    return (struct plane){a.low, a.high};
}

/* The octets' bits shifted left, and behind them the highest of the other octets. */
INLINE static inline __m128i join(__m128i octets, __m128i others, int left)
{
    __m128i above = _mm_slli_epi16(octets, left) & _mm_set1_epi8((char)(0xff << left));
    return above | (_mm_srli_epi16(others, 8 - left) & _mm_set1_epi8((char)((1 << left) - 1)));
}

INLINE static inline struct plane rotate_left(struct plane a, int left)
{
    return (struct plane){join(a.high, a.low, left), join(a.low, a.high, left)};
}

INLINE static inline struct word pair(struct plane a, struct plane b)
{
    return (struct word){_mm256_broadcastsi128_si256(_mm_unpacklo_epi64(a.high, b.high)),
                         _mm256_broadcastsi128_si256(_mm_unpacklo_epi64(a.low, b.low))};
}

INLINE static inline void set_step(struct step_key *k, struct word fi, lanes next)
{
    const __m256i one = _mm256_set1_epi8(1), low_seven = _mm256_set1_epi8(LOW_SEVEN);
    k->nines = gather((struct word){.low = fi.low, .high = _mm256_cmpeq_epi8(fi.high & one, one)});
    k->seven = (_mm256_srli_epi16(fi.high, 1) & low_seven) ^ fi.low;
    k->next = next;
}

INLINE static inline void set_fl(struct fl_key *k, struct plane k1, struct plane k2)
{
    const struct plane none = {_mm_setzero_si128(), _mm_setzero_si128()};
    const __m256i six = _mm256_set1_epi8(0x3f);
    struct plane not_k2 = add_everywhere(k2, 0xffff);
    /* Rotated right by one: by nine, with the octets swapped. */
    struct plane turned = rotate_left(swap_octets(not_k2), 7);
    struct word both = pair((struct plane){k1.high & turned.high, k1.low & turned.low}, none);
    k->crossed = pair(not_k2, k1);
    k->below = (struct word){both.high & six, both.low & six};
    k->above = kasumi_nibbles_add(both, k->below);
    k->sum = pair(rotate_left(k2, 1), none);
}

/* Key schedule of TS 35.202; changed is first added to each word of the key. */
VECTOR static void expand(struct cipher *c, const struct plane key[8], unsigned changed)
{
    static const uint16_t constants[8] = {0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210};
    struct plane plain[8], left5[8], mixed[8];
    for (size_t i = 0; i < 8; i++) {
        plain[i] = add_everywhere(key[i], changed);
        left5[i] = rotate_left(plain[i], 5);
        mixed[i] = add_everywhere(plain[i], constants[i]);
    }
    for (unsigned i = 0; i < 8; i++)
        set_fl(&c->fl[i], rotate_left(plain[i], 1), mixed[(i + 2) & 7]);
    for (unsigned i = 0; i < 8; i += 2) {
        struct step_key *k = &c->step[i / 2 * 3];
        struct word input = pair(left5[i + 1], swap_octets(plain[(i + 5) & 7]));
        lanes second = gather(pair(swap_octets(left5[(i + 6) & 7]), left5[(i + 2) & 7]));
        lanes third = gather(pair(swap_octets(plain[(i + 6) & 7]), swap_octets(left5[(i + 7) & 7])));
        c->fl[i].sum = kasumi_nibbles_add(c->fl[i].sum, input);
        c->first[i / 2] = second ^ upper_twice(gather(input));
        set_step(&k[0], pair(mixed[(i + 4) & 7], mixed[(i + 3) & 7]), second);
        set_step(&k[1], pair(mixed[(i + 7) & 7], mixed[(i + 5) & 7]), third);
        set_step(&k[2], pair(mixed[(i + 4) & 7], mixed[i]), _mm256_setzero_si256());
    }
}

/* --- Packets --- */

/* Octet 8 i + j of four registers becomes octet 8 j + i: three times, the highest bit of the index becomes
 * the lowest. */
INLINE static inline void transpose(__m128i r[4])
{
    for (unsigned i = 0; i < 3; i++) {
        __m128i r0 = r[0], r1 = r[1];
        r[0] = _mm_unpacklo_epi8(r0, r[2]);
        r[1] = _mm_unpackhi_epi8(r0, r[2]);
        __m128i r3 = r[3];
        r[2] = _mm_unpacklo_epi8(r1, r3);
        r[3] = _mm_unpackhi_epi8(r1, r3);
    }
}

/* planes[i] gets octets 2 i and 2 i + 1 of each word. */
INLINE static inline void planes_of(__m128i planes[4], const uint64_t words[LANES])
{
    for (size_t i = 0; i < 4; i++)
        planes[i] = _mm_load_si128((const __m128i *)&words[2 * i]);
    transpose(planes);
}

INLINE static inline void key_words(struct plane key[4], const uint64_t words[LANES])
{
    __m128i planes[4];
    planes_of(planes, words);
    for (unsigned i = 0; i < 4; i++)
        key[i] = (struct plane){planes[i], _mm_srli_si128(planes[i], 8)};
}

/* Loads the keys of all lanes, makes A of KGCORE, and restarts the counters of the fresh lanes. */
VECTOR static void load(struct cipher *c, const struct kasumi_lanes *l, uint64_t fresh)
{
    struct plane key[8], first[4];
    uint8_t kept[16];
    key_words(key, l->words[0]);
    key_words(key + 4, l->words[1]);
    key_words(first, l->words[2]);
    c->begin[0] = gather(pair(first[0], first[1]));
    c->begin[1] = gather(pair(first[2], first[3]));
    expand(c, key, 0x5555);
    encipher(c->begin, c);
    expand(c, key, 0);
    for (unsigned i = 0; i < sizeof kept; i++)
        kept[i] = fresh >> i % LANES & 1 ? 0 : 0xff;
    const __m256i mask = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)kept));
    c->feedback[0] &= mask;
    c->feedback[1] &= mask;
    c->block &= mask;
}

/* The next block of keystream of every lane. */
VECTOR static void step_block(struct cipher *c, uint64_t words[LANES])
{
    c->feedback[0] ^= c->begin[0];
    c->feedback[1] ^= c->begin[1] ^ c->block;
    encipher(c->feedback, c);
    c->block = _mm256_add_epi8(c->block, _mm256_setr_epi64x(0, ONES, 0, 0));
    __m128i planes[4];
    for (unsigned i = 0; i < 2; i++) {
        __m128i low = _mm256_castsi256_si128(c->feedback[i]);
        __m128i high = _mm256_extracti128_si256(c->feedback[i], 1);
        planes[2 * i] = _mm_unpacklo_epi64(high, low);
        planes[2 * i + 1] = _mm_unpackhi_epi64(high, low);
    }
    transpose(planes);
    for (size_t i = 0; i < 4; i++)
        _mm_store_si128((__m128i *)&words[2 * i], planes[i]);
}

static inline void add_words(struct kasumi_lanes_piece piece, const uint64_t *words)
{
    unsigned i;
    for (i = 0; i + 8 <= piece.octets; i += 8) {
        uint64_t data;
        memcpy(&data, piece.data + i, 8);
        data ^= words[i / 8 * LANES];
        memcpy(piece.data + i, &data, 8);
    }
    const uint8_t *rest = (const uint8_t *)&words[i / 8 * LANES];
    for (unsigned j = 0; i + j < piece.octets; j++)
        piece.data[i + j] ^= rest[j];
}

VECTOR static void stride(struct cipher *c, struct kasumi_lanes *l, unsigned blocks)
{
    uint64_t words[KASUMI_STRIDE_BLOCKS][LANES] __attribute__((aligned(16)));
    for (unsigned i = 0; i < blocks; i++)
        step_block(c, words[i]);
    for (unsigned lane = 0; lane < l->width; lane++)
        add_words(kasumi_lanes_take(l, lane), words[0] + lane);
}

VECTOR static void kasumi_nibbles_run(const struct gea_job *jobs, size_t count)
{
    struct kasumi_lanes l;
    struct cipher c;
    kasumi_lanes_init(&l, jobs, count, LANES);
    memset(c.feedback, 0, sizeof c.feedback);
    c.block = _mm256_setzero_si256();
    for (;;) {
        uint64_t fresh = kasumi_lanes_fill(&l);
        if (fresh != 0)
            load(&c, &l, fresh);
        unsigned blocks = kasumi_lanes_blocks(&l);
        if (blocks == 0)
            break;
        stride(&c, &l, blocks);
    }
}

const char *kasumi_nibbles_missing(void)
{
    return __builtin_cpu_supports("avx2") ? NULL : "the processor lacks AVX2";
}

bool kasumi_nibbles_pays(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_is("amd");
}

#else

static void kasumi_nibbles_run(const struct gea_job *jobs, size_t count)
{
}

const char *kasumi_nibbles_missing(void)
{
    return "not an x86-64 processor";
}

bool kasumi_nibbles_pays(void)
{
    return false;
}

#endif

void kasumi_nibbles_cipher(const struct gea_job *jobs, size_t count)
{
    for (size_t at = 0; at < count; at += KASUMI_LANES_JOBS)
        kasumi_nibbles_run(jobs + at, count - at < KASUMI_LANES_JOBS ? count - at : KASUMI_LANES_JOBS);
}
