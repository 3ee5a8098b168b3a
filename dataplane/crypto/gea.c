/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/crypto/gea.h"
#include "dataplane/base/bytes.h"
#include "dataplane/crypto/kasumi.h"

#include <string.h>

enum { KC_OCTETS = 8 };

static const char *nothing_missing(void)
{
    return NULL;
}

static void portable_cipher(const struct gea_job *jobs, size_t count)
{
    if (kasumi_lone_pays(jobs, count))
        kasumi_lone_cipher(jobs, count);
    else
        kasumi_sliced_cipher(jobs, count);
}

static void avx512_cipher(const struct gea_job *jobs, size_t count)
{
    if (count <= KASUMI_NIBBLES_LANES && kasumi_nibbles_pays())
        kasumi_nibbles_cipher(jobs, count);
    else
        kasumi_vector_cipher(jobs, count);
}

static const struct gea_engine engines[] = {
    {"avx512", kasumi_vector_missing, avx512_cipher, true},
    {"avx2", kasumi_nibbles_missing, kasumi_nibbles_cipher, true},
    {"portable", nothing_missing, portable_cipher, true},
    {"ipsec-mb", kasumi_ipsec_missing, kasumi_ipsec_cipher, false},
};

enum { ENGINES = sizeof engines / sizeof engines[0] };

const struct gea_engine *gea_engines(size_t *count)
{
    *count = ENGINES;
    return engines;
}

static const char *fault(const struct gea_engine *engine)
{
    const char *missing = engine->missing();
    return missing != NULL ? missing : gea_self_test(engine);
}

const struct gea_engine *gea_init(const char *name, const char **reason)
{
    const char *why = "there is no engine of that name";
    const struct gea_engine *found = NULL;
    for (size_t i = 0; i < ENGINES && found == NULL; i++) {
        if (name != NULL && strcmp(name, engines[i].name) != 0)
            continue;
        why = fault(&engines[i]);
        found = why == NULL ? &engines[i] : NULL;
    }
    if (reason != NULL)
        *reason = why;
    return found;
}

const char *gea_refusal(unsigned algorithm)
{
    static const char *const reasons[] = {
        [0] = NULL,
        [1] = "GEA1 has an effective key of 40 bits and is prohibited in mobiles since Release 11",
        [2] = "GEA2 is broken: known keystream gives its key",
        [3] = NULL,
        [4] = NULL,
        [5] = "GEA5 cannot be built: its definition in TS 55.251 is available under licence only",
    };
    return algorithm < sizeof reasons / sizeof reasons[0] ? reasons[algorithm]
                                                          : "no such algorithm is defined";
}

int gea_key(uint8_t key[GEA_KEY_OCTETS], unsigned algorithm, const uint8_t *kc, size_t octets)
{
    if (algorithm != 3 && algorithm != 4)
        return ERR_UNSUPPORTED;
    if (octets != (algorithm == 3 ? KC_OCTETS : GEA_KEY_OCTETS))
        return ERR_RANGE;
    memcpy(key, kc, octets);
    memcpy(key + GEA_KEY_OCTETS - KC_OCTETS, kc + octets - KC_OCTETS, KC_OCTETS);
    return GEA_KEY_OCTETS;
}

enum { BURST = 70, BURST_OCTETS = 160, JUDGED = 6, STEP = 7, KNOWN_OCTETS = 32 };

typedef void cipher_fn(const struct gea_job *jobs, size_t count);

/* From TS 55.217, TS 55.218 (GEA3: Kc twice) and TS 55.226 (GEA4). */
static const struct known {
    uint8_t key[GEA_KEY_OCTETS];
    uint32_t input;
    uint8_t direction;
    uint8_t stream[KNOWN_OCTETS];
} known[] = {
    {{0xef, 0xa8, 0xb2, 0x22, 0x9e, 0x72, 0x0c, 0x2a, 0xef, 0xa8, 0xb2, 0x22, 0x9e, 0x72, 0x0c, 0x2a},
     0x4bdbd5e5,
     GEA_DOWNLINK,
     {0x47, 0x18, 0xa2, 0xad, 0xfc, 0x90, 0x59, 0x09, 0x49, 0xdd, 0xad, 0xab, 0x40, 0x6e, 0xc3, 0xb9,
      0x25, 0xf1, 0xaf, 0x12, 0x14, 0x67, 0x39, 0x09, 0xda, 0xab, 0x96, 0xbb, 0x4c, 0x18, 0xb1, 0x37}},
    {{0xd3, 0xc5, 0xd5, 0x92, 0x32, 0x7f, 0xb1, 0x1c, 0x40, 0x35, 0xc6, 0x68, 0x0a, 0xf8, 0xc6, 0xd1},
     0x0a3a59b4,
     GEA_UPLINK,
     {0x6e, 0x21, 0x7c, 0xe4, 0x1e, 0xbe, 0xfb, 0x5e, 0xc8, 0x09, 0x4c, 0x15, 0x97, 0x42, 0x90, 0x06,
      0x5e, 0x42, 0xba, 0xbc, 0x9a, 0xe3, 0x56, 0x54, 0xa5, 0x30, 0x85, 0xce, 0x68, 0xdf, 0xa4, 0x42}},
};

static bool gives_known(cipher_fn *cipher)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint8_t data[KNOWN_OCTETS] = {0};
        struct gea_job job = {known[i].key, data, known[i].input, sizeof data, known[i].direction};
        cipher(&job, 1);
        if (memcmp(data, known[i].stream, sizeof data) != 0)
            return false;
    }
    return true;
}

/* Jobs of unequal keys, lengths and directions; more jobs than lanes, so that a lane is used again. */
struct burst {
    uint8_t keys[BURST][GEA_KEY_OCTETS];
    uint8_t data[BURST][BURST_OCTETS];
    struct gea_job jobs[BURST];
};

static void burst_init(struct burst *b)
{
    uint32_t mixed = 1;
    for (unsigned i = 0; i < BURST; i++) {
        for (unsigned j = 0; j < GEA_KEY_OCTETS; j++, mixed = mixed * 1664525 + 1013904223)
            b->keys[i][j] = (uint8_t)(mixed >> 24);
        memset(b->data[i], 0, BURST_OCTETS);
        b->jobs[i] = (struct gea_job){b->keys[i], b->data[i], mixed, 1 + mixed % (BURST_OCTETS - 1), i % 2};
    }
}

/* Both cipher count of STEP-th jobs; true when all octets agree, including those behind the jobs' ends. */
static bool agree(cipher_fn *cipher, cipher_fn *other, size_t count)
{
    static struct burst one, two; /* start is single-threaded; too large for some stacks */
    burst_init(&one);
    burst_init(&two);
    if (count < BURST) {
        for (size_t i = 0; i < count; i++) {
            one.jobs[i] = one.jobs[i * STEP];
            two.jobs[i] = two.jobs[i * STEP];
        }
    }
    cipher(one.jobs, count);
    other(two.jobs, count);
    return memcmp(one.data, two.data, sizeof one.data) == 0;
}

const char *gea_self_test(const struct gea_engine *engine)
{
    if (!gives_known(engine->cipher))
        return "self-test: output differs from a published keystream";
    bool is_slow = engine->cipher == kasumi_ipsec_cipher;
    if (!agree(engine->cipher, kasumi_sliced_cipher, is_slow ? JUDGED : BURST) ||
        !agree(engine->cipher, kasumi_sliced_cipher, 1))
        return "self-test: output differs from the portable engine's";
    if (kasumi_ipsec_missing() == NULL && !agree(engine->cipher, kasumi_ipsec_cipher, JUDGED))
        return "self-test: output differs from IPsec-mb's";
    return NULL;
}
