/* SPDX-License-Identifier: BSD-3-Clause */
/* The BSS by its octets: a real PCU's bring-up, large values, noise. */
#include "bss/bss.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "tests/unit/unit.h"

#define SECOND_NS INT64_C(1000000000)

static const uint16_t nsvcis[] = {101, 102};
static const struct bss_cell_config one_cell[] = {ROW(.bvci = 1800, .cell_id = {"262", "42", 0x1234, 5, 1},
                                                      .bvc = {50000, 160000}, .ms_default = {25000, 80000})};
static const struct bss_config one = {101, nsvcis, 1, one_cell, 1, NULL};

struct octets_log {
    uint8_t last[64];
    size_t octets;
};

static void keep_last(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct octets_log *log = arg;
    assert_in_range(octets, 1, sizeof log->last);
    memcpy(log->last, ns_pdu, octets);
    log->octets = octets;
}

static void deliver_nothing(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                            int64_t now)
{
    fail();
}

/* The octets of a real PCU's bring-up, with our identities: what must be there, what must not. */
TEST(bring_up_in_octets)
{
    static const struct {
        const char *in;
        size_t in_octets;
        const char *out;
        size_t out_octets;
    } rows[] = {
        {"\x03\x01\x82\x00\x65\x04\x82\x00\x65", 9, "\x0a", 1},
        {"\x0b", 1, "\x0a", 1},
        {"\x07", 1, "\x00\x00\x00\x00\x22\x04\x82\x00\x00\x07\x81\x08", 12},
        {"\x00\x00\x00\x00\x23\x04\x82\x00\x00", 9,
         "\x00\x00\x00\x00\x22\x04\x82\x07\x08\x07\x81\x08\x08\x88\x62\xf2\x24\x12\x34\x05\x00\x01", 22},
        {"\x00\x00\x00\x00\x23\x04\x82\x07\x08", 9, "\x00\x00\x00\x00\x24\x04\x82\x07\x08", 9},
        {"\x00\x00\x00\x00\x25\x04\x82\x07\x08", 9,
         "\x00\x00\x07\x08\x26\x1e\x81\x01\x05\x82\x01\xf4\x03\x82\x06\x40\x01\x82\x00\xfa\x1c\x82\x03\x20",
         24},
    };
    struct octets_log log = {0};
    struct bss_ops ops = {.arg = &log, .send = keep_last, .deliver = deliver_nothing};
    struct bss *bss = bss_new(&one, &ops);
    assert_int_equal(bss_step(bss, 5), 5);
    assert_int_equal(bss_step(bss, 5), 5 + 3 * SECOND_NS);
    assert_memory_equal(log.last, "\x02\x00\x81\x01\x01\x82\x00\x65\x04\x82\x00\x65", 12);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bss_rx(bss, 0, (const uint8_t *)rows[i].in, rows[i].in_octets, 5);
        assert_int_equal(log.octets, rows[i].out_octets);
        assert_memory_equal(log.last, rows[i].out, rows[i].out_octets);
    }
    /* A PDU with an error is answered, a STATUS with one is not. */
    uint64_t before = bss_stats_get(bss)->tx_pdus;
    bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x41", 5, 5);
    assert_int_equal(bss_stats_get(bss)->tx_pdus, before);
    bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x22", 5, 5);
    assert_int_equal(log.octets, 11);
    assert_memory_equal(log.last, "\x00\x00\x00\x00\x41\x07\x81\x22\x15\x81\x22", 11);
    assert_true(bss_is_up(bss, 1800));
    assert_false(bss_is_up(bss, 1801));
    bss_free(bss);
}

/* Announced values beyond 16 bits of 100: one unit for all of them, none rounded to nothing. */
TEST(large_values)
{
    static const struct {
        struct bss_bucket bvc, ms, bvc_told, ms_told;
    } rows[] = {
        {{6553500, 6553500}, {100, 0}, {6553500, 6553500}, {100, 0}},
        {{6553600, 1600000}, {100, 0}, {6554000, 1600000}, {1000, 0}},
        {{UINT64_C(6553500000), UINT64_C(6553500000)},
         {100, 6553500000},
         {UINT64_C(6553500000), UINT64_C(6553500000)},
         {100000, 6553500000}},
        {{65535400, 0}, {1600, 1500}, {65535000, 0}, {2000, 2000}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static const char *const acks[] = {"\x03\x01\x82\x00\x65\x04\x82\x00\x65", "\x07"};
        struct octets_log log = {0};
        struct bss_ops ops = {.arg = &log, .send = keep_last, .deliver = deliver_nothing};
        struct bss_cell_config cell = one_cell[0];
        struct bss_config config = {101, nsvcis, 1, &cell, 1, NULL};
        struct bssgp pdu;
        cell.bvc = rows[i].bvc;
        cell.ms_default = rows[i].ms;
        struct bss *bss = bss_new(&config, &ops);
        bss_step(bss, 0);
        bss_rx(bss, 0, (const uint8_t *)acks[0], 9, 0);
        bss_rx(bss, 0, (const uint8_t *)acks[1], 1, 0);
        bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x23\x04\x82\x00\x00", 9, 0);
        bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x23\x04\x82\x07\x08", 9, 0);
        bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x25\x04\x82\x07\x08", 9, 0);
        assert_true(bssgp_decode(&pdu, log.last + 4, log.octets - 4) > 0);
        assert_int_equal(pdu.bucket_octets, rows[i].bvc_told.bucket_octets);
        assert_int_equal(pdu.rate_bps, rows[i].bvc_told.rate_bps);
        assert_int_equal(pdu.ms_bucket_octets, rows[i].ms_told.bucket_octets);
        assert_int_equal(pdu.ms_rate_bps, rows[i].ms_told.rate_bps);
        bss_free(bss);
    }
}

static uint32_t noise(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

struct digest {
    uint64_t value, pdus, delivered;
};

static void digest_send(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct digest *d = arg;
    struct ns ns;
    assert_true(ns_decode(&ns, ns_pdu, octets) > 0);
    d->pdus++;
    for (size_t i = 0; i < octets; i++)
        d->value = (d->value ^ ns_pdu[i]) * UINT64_C(0x100000001b3);
}

static void digest_deliver(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                           int64_t now)
{
    struct digest *d = arg;
    d->delivered++;
    d->value += (uint64_t)now + tlli + octets;
}

/* Answers that move the machines on, for noise to meet them in every state. */
static const struct {
    const char *bytes;
    size_t octets;
} answers[] = {
    {"\x03\x01\x82\x00\x65\x04\x82\x00\x65", 9},
    {"\x03\x01\x82\x00\x66\x04\x82\x00\x65", 9},
    {"\x07", 1},
    {"\x0b", 1},
    {"\x00\x00\x00\x00\x23\x04\x82\x00\x00", 9},
    {"\x00\x00\x00\x00\x23\x04\x82\x07\x08", 9},
    {"\x00\x00\x00\x00\x25\x04\x82\x07\x08", 9},
    {"\x00\x00\x07\x08\x27\x1e\x81\x01", 8},
    {"\x00\x00\x07\x08\x00\xc1\x23\x45\x67\x00\x00\x20\x16\x82\x02\x58\x0e\x81\x43", 19},
};

/* Answers, their like with one octet changed or cut, and noise; in memory of its own length, so that a
   sanitizer sees every read beyond the end. */
static void feed_noise(struct bss *bss, uint32_t *seed, int64_t now)
{
    unsigned kind = noise(seed) % 16, pick = noise(seed) % (sizeof answers / sizeof answers[0]);
    size_t len = answers[pick].octets;
    uint8_t *bytes = malloc(24);
    memcpy(bytes, answers[pick].bytes, len);
    if (kind == 0)
        len = noise(seed) % len;
    else if (kind == 1)
        bytes[noise(seed) % len] = (uint8_t)noise(seed);
    else if (kind == 2)
        for (len = 0; len < 24 && noise(seed) % 12; len++)
            bytes[len] = (uint8_t)(noise(seed) % 0x30);
    uint8_t *exact = realloc(bytes, len ? len : 1);
    bss_rx(bss, noise(seed) % 2, exact, len, now);
    free(exact);
}

static struct digest run_noise(uint32_t seed)
{
    static const struct bss_config config = {101, nsvcis, 2, one_cell, 1, NULL};
    struct digest d = {0};
    struct bss_ops ops = {.arg = &d, .send = digest_send, .deliver = digest_deliver};
    struct bss *bss = bss_new(&config, &ops);
    int64_t now = 0;
    for (unsigned i = 0; i < 100000; i++) {
        int64_t due = bss_step(bss, now);
        now = due > now && due < now + SECOND_NS ? due : now + noise(&seed) % 10000000;
        feed_noise(bss, &seed, now);
    }
    assert_int_equal(bss_stats_get(bss)->rx_pdus, 100000);
    assert_int_equal(bss_stats_get(bss)->tx_pdus, d.pdus);
    bss_free(bss);
    return d;
}

TEST(noise_twice_is_the_same)
{
    struct digest first = run_noise(1), second = run_noise(1), other = run_noise(2);
    assert_int_equal(first.value, second.value);
    assert_int_not_equal(first.value, other.value);
    assert_in_range(first.pdus, 1000, 1000000);
    assert_in_range(first.delivered, 100, 100000);
}

UNIT_MAIN(NULL, NULL)
