/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses on Gn to which workers send: forged ones are few, end soon, and displace no GGSN. */
#include "control/links/destinations.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define S     MOMENT_SECOND
#define GGSN  0xc0000201u
#define GHOST 0x0a000000u

static struct destination *want(struct destinations *d, uint32_t ip, enum destination_kind kind, int64_t now)
{
    struct neighbour_ip octets = neighbour_ip_v4(ip);
    struct destination *destination = destinations_use(d, ip, kind, now);
    if (destination || !destinations_may_add(d, &octets, kind, now))
        return destination;
    destination = destinations_displaced(d, kind);
    if (destination)
        destinations_del(d, destination);
    return destinations_add(
        d,
        &(struct destination){.ip = ip, .kind = kind, .began_at_ns = now, .used_at_ns = now, .hop = octets});
}

static void age(struct destinations *d, int64_t now)
{
    for (uint32_t i = d->count; i-- > 0;)
        if (destinations_is_old(&d->list[i], now))
            destinations_del(d, &d->list[i]);
}

static struct destinations *table_new(void)
{
    static struct destinations d;
    destinations_init(&d);
    return &d;
}

/* 1000 forged sources a second, each of another net or all of one: few become destinations, and GGSNs do. */
TEST(forged_sources)
{
    static const struct {
        uint32_t step, range;
        unsigned most;
    } rows[] = {{256, 0x1000000, 20 + 5 * 4}, {1, 256, 3 + 4}};
    for (size_t row = 0; row < 2; row++) {
        struct destinations *d = table_new();
        uint64_t added = 0;
        assert_non_null(want(d, GGSN, DESTINATION_CONFIGURED, 0));
        for (uint32_t i = 0; i < 60000; i++) {
            int64_t now = i * (S / 1000);
            age(d, now);
            added += want(d, GHOST + i * rows[row].step % rows[row].range, DESTINATION_ANSWER, now) != NULL;
            assert_in_range(d->answers, 0, rows[row].most);
            if (i % 1000 == 0)
                assert_non_null(want(d, GGSN + 1 + i / 1000, DESTINATION_USED, now));
        }
        assert_int_equal(d->count - d->answers, 61);
        assert_true(d->refused > 59000 && added >= 60);
        age(d, 63 * S);
        assert_int_equal(d->answers, 0);
    }
}

TEST(ages)
{
    static const struct {
        enum destination_kind kind;
        bool has_mac;
        int64_t last_ns; /* it is still there */
    } rows[] = {
        {DESTINATION_ANSWER, false, 3 * S - 1},
        {DESTINATION_ANSWER, true, 60 * S},
        {DESTINATION_USED, false, 300 * S},
        {DESTINATION_USED, true, 300 * S},
        {DESTINATION_CONFIGURED, false, MOMENT_NEVER - 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct destination destination = {.kind = rows[i].kind, .has_mac = rows[i].has_mac};
        assert_false(destinations_is_old(&destination, rows[i].last_ns));
        assert_int_equal(destinations_is_old(&destination, rows[i].last_ns + 1),
                         rows[i].kind != DESTINATION_CONFIGURED);
    }
}

/* In a full table the longest unused of the least kind gives way, and a configured one never. */
TEST(displaced)
{
    struct destinations *d = table_new();
    for (uint32_t i = 0; i < DESTINATIONS_MAX - 2; i++)
        assert_non_null(want(d, GHOST + i, DESTINATION_CONFIGURED, 0));
    assert_non_null(want(d, GGSN, DESTINATION_USED, 1));
    assert_non_null(want(d, GGSN + 1, DESTINATION_ANSWER, 2));
    assert_null(want(d, GGSN + 2, DESTINATION_ANSWER, 3));
    assert_non_null(want(d, GGSN + 2, DESTINATION_USED, 3));
    assert_null(destinations_use(d, GGSN + 1, DESTINATION_ANSWER, 3));
    assert_null(want(d, GGSN + 3, DESTINATION_USED, 4));
    assert_non_null(want(d, GGSN + 3, DESTINATION_CONFIGURED, 4));
    assert_null(destinations_use(d, GGSN, DESTINATION_USED, 4));
    assert_non_null(want(d, GGSN + 4, DESTINATION_CONFIGURED, 5));
    assert_null(want(d, GGSN + 5, DESTINATION_CONFIGURED, 6));
    assert_int_equal(d->count, DESTINATIONS_MAX);
}

/* An address that answers made becomes a GGSN's when a context uses it. */
TEST(rises)
{
    struct destinations *d = table_new();
    want(d, GGSN, DESTINATION_ANSWER, 0);
    assert_int_equal(d->answers, 1);
    want(d, GGSN, DESTINATION_USED, 0);
    want(d, GGSN, DESTINATION_ANSWER, 1);
    assert_int_equal(d->answers, 0);
    assert_int_equal(d->list[0].kind, DESTINATION_USED);
    assert_int_equal(d->list[0].used_at_ns, 1);
}

UNIT_MAIN(NULL, NULL)
