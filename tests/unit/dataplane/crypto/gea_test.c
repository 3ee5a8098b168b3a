/* SPDX-License-Identifier: BSD-3-Clause */
/* Published keystreams: TS 55.217 and 55.218 (GEA3), TS 55.226 (GEA4); the last from a real trace. */
#include "tests/unit/dataplane/crypto/burst.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/crypto/kasumi.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct gea_vector {
    unsigned algorithm;
    const char *kc; /* hex */
    uint32_t input;
    uint8_t direction;
    const char *stream; /* hex */
} gea_vectors[] = {
    {3, "2bd6459f82c5bc00", 0x8e9421a3, 0,
     "5f359709de950d0105b17b6c90194280f880b48dccdc2afeed415dbef4354eebb21d073ccbbfb2d706bd7affd371fc96e3970d1"
     "43dcb2624054826"},
    {3, "952c49104881ff48", 0x5064db71, 0,
     "fdc03d738c8e14ff0320e59aaf75760799e9da78dd8f888471c4aeaac1849633a26cd84f459d265b83d7d9b9a0b1e54f4d75e33"
     "1640df19e0db0e0"},
    {3, "efa8b2229e720c2a", 0x4bdbd5e5, 1,
     "4718a2adfc90590949ddadab406ec3b925f1af1214673909daab96bb4c18b1374bb1e99445a81cc856e47c6e49e9dbb9873d083"
     "1b2175ca1e109ba"},
    {3, "3451f23a43bd2c87", 0x893fe14f, 0,
     "b46b1e284e3f8b63b86d9df0915cfceddf2f061895bf9f82bf2593ae4847e94a4626c393cf8941ce15ea7812690d8415b88c573"
     "0fe1f5d410e16a2"},
    {3, "caa2639be82435cf", 0x8fe17885, 1,
     "9fefaf155a26cf35603e727cdaa87ba067fd84ff98a50b7ff0ec8e95a0fb70e79cb93dee2b7e9ab59d050e1262401571f349c68"
     "229ddf0decc4e85"},
    {3, "1aca8b448b767b39", 0x4f7bc3b5, 0,
     "514f6c3a3b5a55ca190092f7bb6e80ef3edb738fcdce2ff90bb387dde75bbc32a04a67b898a3dfb8198fffc37d437cf69e7f9c1"
     "3b51a868720e750"},
    {4, "d3c5d592327fb11c4035c6680af8c6d1", 0x0a3a59b4, 0,
     "6e217ce41ebefb5ec8094c15974290065e42babc9ae35654a53085ce68dfa4426a2ff0ad4af3341006a3f84b7613acb4fbdc3"
     "4"},
    {4, "3d43c388c9581e337ff1f97eb5c1f85e", 0x48571ab9, 0,
     "fc7314ef00a63ed0116f236c5d25c54eec56a5b71f9f18b4d7941f84e422acbde5eea9a204679002d14f312f3dee2a1ac917c3f"
     "bdc3696143c0f5d"},
    {4, "a4496a64df4f399f3b4506814a3e07a1", 0xeb04ade2, 1,
     "2aeb5970fb06b718027d048488aaf24fb3b74ea4a6b1242ff85b108ff816a303c72757d9aad862b835d1d287dbc141d0a28d79d"
     "87bb137cd1198cd"},
    {3, "0c09c6ed723a8400", 0x98000019, 1, "91d2a1a85f6bb00429d76dcd1ca27f50"},
};

enum { VECTORS = COUNT(gea_vectors), MAX_STREAM_OCTETS = 64 };

static const char *nothing_missing(void)
{
    return NULL;
}

/* Calls check for each engine that can run here. */
static void each_engine(void (*check)(const struct gea_engine *engine))
{
    size_t count;
    const struct gea_engine *engines = gea_engines(&count);
    assert_true(count >= 3);
    for (size_t i = 0; i < count; i++) {
        const char *missing = engines[i].missing();
        if (missing == NULL)
            check(&engines[i]);
        else
            print_message("%s is left out: %s\n", engines[i].name, missing);
    }
}

static size_t from_hex(uint8_t *bytes, const char *hex)
{
    size_t octets = strlen(hex) / 2;
    for (size_t i = 0; i < octets; i++) {
        unsigned octet;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &octet), 1);
        bytes[i] = (uint8_t)octet;
    }
    return octets;
}

/* All at once, so that they share a burst. */
static void check_vectors(const struct gea_engine *engine)
{
    uint8_t keys[VECTORS][GEA_KEY_OCTETS], data[VECTORS][MAX_STREAM_OCTETS] = {0}, want[MAX_STREAM_OCTETS];
    struct gea_job jobs[VECTORS];
    for (size_t i = 0; i < VECTORS; i++) {
        const struct gea_vector *v = &gea_vectors[i];
        uint8_t kc[GEA_KEY_OCTETS];
        assert_int_equal(gea_key(keys[i], v->algorithm, kc, from_hex(kc, v->kc)), GEA_KEY_OCTETS);
        jobs[i] =
            (struct gea_job){keys[i], data[i], v->input, (uint16_t)(strlen(v->stream) / 2), v->direction};
    }
    gea_cipher_burst(engine, jobs, VECTORS);
    for (size_t i = 0; i < VECTORS; i++)
        assert_memory_equal(data[i], want, from_hex(want, gea_vectors[i].stream));
}

TEST_CALL(vectors, each_engine(check_vectors))

/* Row 72: ciphered from the first octet of information to the end of the FCS. */
static void check_frame(const struct gea_engine *engine)
{
    static const char clear[] =
        "43c017650000074500001c000100004001aed2c00002010a0b00020800f7fe00000001183d1c";
    const struct vector *sent = vectors_get(72);
    const uint8_t kc[8] = {0x2b, 0xd6, 0x45, 0x9f, 0x82, 0xc5, 0xbc, 0x00};
    uint8_t key[GEA_KEY_OCTETS], frame[64];
    size_t octets = from_hex(frame, clear);
    assert_int_equal(octets, sent->octets);
    assert_int_equal(gea_key(key, 3, kc, sizeof kc), GEA_KEY_OCTETS);
    struct gea_job job = {key, frame + 3, 0x8a34567d, (uint16_t)(octets - 3), GEA_DOWNLINK};
    gea_cipher_burst(engine, &job, 1);
    assert_memory_equal(frame, sent->bytes, octets);
}

TEST_CALL(frame, each_engine(check_frame))

/* The portable engine's octets stand in room; each job must do alone what it did in the burst. */
static void check_burst(const struct gea_engine *engine, struct burst *b)
{
    static struct burst portable;
    memcpy(&portable, b, sizeof portable);
    gea_cipher_burst(engine, b->jobs, b->count);
    for (size_t i = 0; i < b->count; i++)
        portable.jobs[i].data = portable.room[i] + (b->jobs[i].data - b->room[i]);
    gea_cipher_burst(gea_init("portable", NULL), portable.jobs, portable.count);
    for (size_t i = 0; i < b->count; i++) {
        assert_true(burst_is_kept(b, i));
        assert_memory_equal(b->room[i], portable.room[i], BURST_ROOM_OCTETS);
    }
}

static void check_sizes(const struct gea_engine *engine)
{
    struct burst *b = burst_new();
    struct rng r;
    rng_init(&r, 5, 0);
    for (size_t count = 0; count <= 200; count += engine->is_constant_time ? 1 : 40) {
        burst_fill(b, count, &r, 1, engine->is_constant_time ? 300 : 40);
        check_burst(engine, b);
    }
    burst_free(b);
}

TEST_CALL(every_burst_size, each_engine(check_sizes))

/* The engines choose their code by the number of jobs: each piece of code is right for each number. */
TEST(every_code_for_every_burst_size)
{
    static const struct gea_engine codes[] = {
        {"vector", kasumi_vector_missing, kasumi_vector_cipher, true},
        {"nibbles", kasumi_nibbles_missing, kasumi_nibbles_cipher, true},
        {"sliced", nothing_missing, kasumi_sliced_cipher, true},
        {"lone", nothing_missing, kasumi_lone_cipher, true},
    };
    struct burst *b = burst_new();
    struct rng r;
    rng_init(&r, 11, 0);
    for (size_t count = 0; count <= 20; count++)
        for (size_t i = 0; i < COUNT(codes); i++) {
            burst_fill(b, count, &r, 1, 300);
            if (codes[i].missing() == NULL)
                check_burst(&codes[i], b);
        }
    burst_free(b);
}

/* More jobs than are sorted together. */
static void check_many(const struct gea_engine *engine)
{
    struct burst *b = burst_new();
    struct rng r;
    rng_init(&r, 6, 0);
    burst_fill(b, engine->is_constant_time ? BURST_MAX_JOBS : 20, &r, 1, 200);
    check_burst(engine, b);
    burst_free(b);
}

TEST_CALL(many_jobs, each_engine(check_many))

/* One stream, ciphered once for each shorter length at each alignment. */
static void check_lengths(const struct gea_engine *engine)
{
    struct burst *b = burst_new();
    struct rng r;
    rng_init(&r, 7, 0);
    for (uint16_t octets = 1; octets <= 17; octets++) {
        burst_fill(b, 16, &r, octets, octets);
        for (size_t i = 0; i < 16; i++) {
            b->jobs[i].data = b->room[i] + BURST_MARGIN_OCTETS + i;
            b->jobs[i].key = b->keys[0];
            b->jobs[i].input = b->jobs[0].input;
            b->jobs[i].direction = b->jobs[0].direction;
        }
        check_burst(engine, b);
        for (size_t i = 1; i < 16; i++)
            for (size_t at = 0; at < octets; at++)
                assert_int_equal(burst_stream(b, i, at), burst_stream(b, 0, at));
    }
    burst_free(b);
}

TEST_CALL(short_and_unaligned, each_engine(check_lengths))

static void check_twice(const struct gea_engine *engine)
{
    struct burst *b = burst_new();
    struct rng r;
    rng_init(&r, 8, 0);
    burst_fill(b, 5, &r, 100, GEA_MAX_OCTETS);
    gea_cipher_burst(engine, b->jobs, b->count);
    for (size_t i = 0; i < b->count; i++)
        assert_memory_not_equal(b->room[i], b->before[i], BURST_ROOM_OCTETS);
    gea_cipher_burst(engine, b->jobs, b->count);
    for (size_t i = 0; i < b->count; i++)
        assert_memory_equal(b->room[i], b->before[i], BURST_ROOM_OCTETS);
    burst_free(b);
}

TEST_CALL(twice_is_clear, each_engine(check_twice))

/* Each bit of key, INPUT and direction makes another stream. */
static void check_inputs(const struct gea_engine *engine)
{
    uint8_t key[GEA_KEY_OCTETS], streams[128 + 32 + 2][8] = {0};
    for (unsigned i = 0; i < COUNT(streams); i++) {
        memset(key, 0x3c, sizeof key);
        if (i < 128)
            key[i / 8] ^= (uint8_t)(1 << i % 8);
        uint32_t input = 0x12345678 ^ (i >= 128 && i < 160 ? UINT32_C(1) << (i - 128) : 0);
        struct gea_job job = {key, streams[i], input, 8, i == 160 ? GEA_UPLINK : GEA_DOWNLINK};
        gea_cipher_burst(engine, &job, 1);
        for (unsigned j = 0; j < i; j++)
            assert_memory_not_equal(streams[i], streams[j], 8);
    }
}

TEST_CALL(every_bit_counts, each_engine(check_inputs))

TEST(refusals)
{
    static const struct {
        unsigned algorithm;
        const char *reason; /* a part of it */
    } rows[] = {
        {0, NULL}, {1, "GEA1"},    {2, "GEA2"},    {3, NULL},
        {4, NULL}, {5, "licence"}, {6, "no such"}, {255, "no such"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *reason = gea_refusal(rows[i].algorithm);
        assert_true((reason == NULL) == (rows[i].reason == NULL));
        if (reason != NULL)
            assert_non_null(strstr(reason, rows[i].reason));
    }
}

TEST(keys)
{
    static const struct {
        unsigned algorithm;
        size_t octets;
        int result;
    } rows[] = {
        {0, 8, ERR_UNSUPPORTED},
        {1, 8, ERR_UNSUPPORTED},
        {2, 8, ERR_UNSUPPORTED},
        {5, 16, ERR_UNSUPPORTED},
        {3, 8, 16},
        {3, 16, ERR_RANGE},
        {3, 0, ERR_RANGE},
        {4, 16, 16},
        {4, 8, ERR_RANGE},
        {4, 17, ERR_RANGE},
    };
    uint8_t kc[17], key[GEA_KEY_OCTETS];
    for (unsigned i = 0; i < sizeof kc; i++)
        kc[i] = (uint8_t)(i + 1);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(gea_key(key, rows[i].algorithm, kc, rows[i].octets), rows[i].result);
    gea_key(key, 4, kc, 16);
    assert_memory_equal(key, kc, 16);
    gea_key(key, 3, kc, 8);
    assert_memory_equal(key, kc, 8);
    assert_memory_equal(key + 8, kc, 8);
}

/* --- The choice of an engine, and that a wrong one does not get past the self-test --- */

static void self_test_portable(const struct gea_job *jobs, size_t count)
{
    gea_cipher_burst(gea_init("portable", NULL), jobs, count);
}

static void forgets_direction(const struct gea_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gea_job job = jobs[i];
        job.direction = GEA_DOWNLINK;
        self_test_portable(&job, 1);
    }
}

/* Right for the short and the single, which the published keystreams are. */
static void forgets_the_last(const struct gea_job *jobs, size_t count)
{
    self_test_portable(jobs, count > 1 ? count - 1 : count);
}

static void wrong_in_a_late_block(const struct gea_job *jobs, size_t count)
{
    self_test_portable(jobs, count);
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].octets > 128)
            jobs[i].data[128] ^= 1;
    }
}

static void writes_past_the_end(const struct gea_job *jobs, size_t count)
{
    self_test_portable(jobs, count);
    for (size_t i = 0; i < count && count > 1; i++)
        jobs[i].data[jobs[i].octets] ^= 1;
}

static void takes_the_first_key(const struct gea_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gea_job job = jobs[i];
        job.key = jobs[0].key;
        self_test_portable(&job, 1);
    }
}

static void does_nothing(const struct gea_job *jobs, size_t count)
{
}

TEST(self_test_judges)
{
    static const struct {
        void (*cipher)(const struct gea_job *jobs, size_t count);
        bool is_good;
    } rows[] = {
        {self_test_portable, true},     {forgets_direction, false},   {forgets_the_last, false},
        {wrong_in_a_late_block, false}, {writes_past_the_end, false}, {takes_the_first_key, false},
        {does_nothing, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct gea_engine engine = {"probe", nothing_missing, rows[i].cipher, false};
        assert_int_equal(gea_self_test(&engine) == NULL, rows[i].is_good);
    }
}

TEST(each_engine_passes_or_says_why)
{
    size_t count;
    const struct gea_engine *engines = gea_engines(&count);
    for (size_t i = 0; i < count; i++) {
        const char *reason = "not written";
        const struct gea_engine *engine = gea_init(engines[i].name, &reason);
        const char *missing = engines[i].missing();
        if (missing == NULL) {
            assert_ptr_equal(engine, &engines[i]);
            assert_null(reason);
        } else {
            assert_null(engine);
            assert_string_equal(reason, missing);
        }
    }
}

TEST(the_first_that_runs_is_picked)
{
    size_t count, i = 0;
    const struct gea_engine *engines = gea_engines(&count);
    while (engines[i].missing() != NULL)
        i++;
    assert_ptr_equal(gea_init(NULL, NULL), &engines[i]);
}

TEST(an_unknown_name_is_refused)
{
    const char *reason = NULL;
    assert_null(gea_init("rot13", &reason));
    assert_non_null(strstr(reason, "no engine"));
    assert_null(gea_init("", NULL));
}

UNIT_MAIN(NULL, NULL)
