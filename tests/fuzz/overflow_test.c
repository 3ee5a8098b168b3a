/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments that together are more than an N-PDU holds: dropped and counted, and the next one is not harmed.
 */
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "sim/ms_stack.h"
#include "tests/fuzz/segments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { MOST = 4, WHOLE = 40 };

struct piece {
    uint8_t segment;
    bool more;
    uint16_t octets;
};

/* Octets that come of the pieces, 0: nothing. Then a whole N-PDU of another number must come through. */
static const struct row {
    const char *name;
    unsigned count;
    uint16_t worker, mobile;
    struct piece pieces[MOST];
} rows[] = {
    {"as much as fits", 2, 1503, 1503, {{0, true, 1000}, {1, false, 503}}},
    {"one octet more", 2, 0, 0, {{0, true, 1000}, {1, false, 504}}},
    {"first too long", 2, 0, 0, {{0, true, 1504}, {1, false, 1}}},
    {"third too long", 3, 0, 0, {{0, true, 1500}, {1, true, 3}, {2, false, 1}}},
    {"the worker keeps what fitted, and takes a shorter one",
     3,
     1001,
     0,
     {{0, true, 1000}, {1, false, 504}, {1, false, 1}}},
    {"the first, the sixteenth, the first again",
     3,
     0,
     100,
     {{0, true, 100}, {15, true, 100}, {0, false, 100}}},
    {"the last is not the highest", 3, 0, 0, {{0, true, 10}, {3, true, 10}, {2, false, 10}}},
};

static struct sndcp header_of(const struct piece *piece, uint16_t number)
{
    return (struct sndcp){.nsapi = 5,
                          .n_pdu_number = number,
                          .segment = piece->segment,
                          .first = piece->segment == 0,
                          .more = piece->more};
}

/* Returns the octets of the N-PDU that this piece completes, 0. */
static unsigned give_worker(struct reassembly *r, struct worker_stats *stats, const struct piece *piece,
                            uint16_t number)
{
    struct sndcp header = header_of(piece, number);
    struct rte_mbuf *mbuf = segments_new(&header, 0, piece->octets);
    struct reassembly_entry *entry =
        reassembly_put(r, stats, &header, (struct reassembly_source){0, 0}, mbuf, 0);
    if (!entry)
        return 0;
    segments_check(entry);
    unsigned octets = entry->octets;
    reassembly_end(r, entry);
    return octets;
}

static unsigned give_mobile(struct ms_stack *stack, const struct piece *piece, uint16_t number, uint16_t nu)
{
    uint8_t frame[2048] = {0};
    struct llc llc = {.sapi = 3, .cr = true, .pm = true, .nu = nu};
    struct sndcp header = header_of(piece, number);
    size_t at = (size_t)llc_ui_encode(frame, sizeof frame, &llc), n_pdu_octets;
    at += (size_t)sndcp_encode(frame + at, sizeof frame - at, &header) + piece->octets;
    llc_fcs_put(frame + at, llc_fcs(frame, at));
    const uint8_t *n_pdu = ms_stack_receive(stack, frame, at + LLC_FCS_OCTETS, &n_pdu_octets, &number, 0);
    return n_pdu ? (unsigned)n_pdu_octets : 0;
}

static const struct piece whole = {0, false, WHOLE};

static void worker_drops_them(void **state)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct reassembly table;
        struct worker_stats stats = {0};
        unsigned octets = 0;
        segments_init();
        assert_true(reassembly_new(&table, 1, 1));
        for (unsigned k = 0; k < rows[i].count; k++)
            octets += give_worker(&table, &stats, &rows[i].pieces[k], 7);
        if (octets != rows[i].worker)
            fail_msg("%s: %u octets, not %u", rows[i].name, octets, rows[i].worker);
        assert_int_equal(give_worker(&table, &stats, &whole, 8), WHOLE);
        assert_int_equal(segments_held(), 0);
        reassembly_free(&table);
    }
}

static void mobile_drops_them(void **state)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ms_stack stack = {.sapi = 3, .nsapi = 5, .n201_u = 1520};
        unsigned octets = 0;
        uint16_t nu = 0;
        for (unsigned k = 0; k < rows[i].count; k++)
            octets += give_mobile(&stack, &rows[i].pieces[k], 7, nu++);
        if (octets != rows[i].mobile)
            fail_msg("%s: %u octets, not %u", rows[i].name, octets, rows[i].mobile);
        assert_int_equal(give_mobile(&stack, &whole, 8, nu), WHOLE);
        ms_stack_fini(&stack);
    }
}

/* Lengths that together pass 65535 do not come out short. */
static void lengths_do_not_wrap(void **state)
{
    static const struct piece pieces[] = {{0, true, 3}, {1, false, 65535}, {1, false, 65534}};
    struct reassembly table;
    struct worker_stats stats = {0};
    segments_init();
    assert_true(reassembly_new(&table, 1, 1));
    for (unsigned k = 0; k < COUNT(pieces); k++)
        assert_int_equal(give_worker(&table, &stats, &pieces[k], 7), 0);
    assert_int_equal(stats.gb_drops[DROP_SNDCP_INCOMPLETE], 2);
    assert_int_equal(segments_held(), 1);
    reassembly_free(&table);
    assert_int_equal(segments_held(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worker_drops_them),
        cmocka_unit_test(mobile_drops_them),
        cmocka_unit_test(lengths_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
