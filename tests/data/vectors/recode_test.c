/* SPDX-License-Identifier: BSD-3-Clause */
/* Every sample PDU that has a codec in C through its codecs and back, whole and cut at every octet. */
#include "tests/data/vectors/recode.h"

#include "tests/data/vectors/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 1, LAST = 120, MOST_LENGTHS = 4 };
enum { SGSNS_FIRST = 107, OF_GGSN = 118, SGSNS_LAST = 119 };

/* Without those between SGSNs. */
static unsigned next_number(unsigned number)
{
    do
        number++;
    while (number >= SGSNS_FIRST && number <= SGSNS_LAST && number != OF_GGSN);
    return number;
}

/*
 * Which cut PDUs are PDUs: those that lack nothing but elements which are optional, or whose condition does
 * not hold, at their end. `octets` are the lengths of what is left of them; all other cuts of all samples are
 * refused.
 */
static const struct remains {
    unsigned number;
    uint16_t octets[MOST_LENGTHS];
} remains[] = {
    {9, {4}},   /* NS-STATUS without BVCI: which conditions hold is the receiver's to judge */
    {10, {4}},  /* ... without NS PDU */
    {11, {10}}, /* SNS-SIZE without endpoints of a version */
    {13, {5}},  /* SNS-SIZE-ACK without cause */
    {14, {6}},  /* SNS-CONFIG, -ADD, -CHANGEWEIGHT, -DELETE without list */
    {16, {6}},  {17, {6}},          {18, {6}}, {21, {8, 11}}, /* BVC-RESET without feature bitmaps */
    {22, {8}},                                                /* ... without cell */
    {23, {5}},  {29, {4}},                                    /* STATUS without BVCI or PDU in error */
    {30, {4}},  {32, {20, 23, 27}}, /* FLOW-CONTROL-BVC without ratio, measurement, granularity */
    {35, {18}},                     /* FLOW-CONTROL-MS without ratio */
    {40, {19}},                     /* LLC-DISCARDED without PFI */
    {41, {11}},                     /* FLUSH-LL without new BVCI */
    {47, {15}},                     /* SUSPEND-NACK, RESUME-NACK without cause */
    {50, {15}}, {54, {24}},         /* PAGING-PS without P-TMSI */
    {56, {8}},                      /* SGSN-INVOKE-TRACE without mobile */
};

static const struct remains *remains_of(unsigned number)
{
    for (size_t i = 0; i < sizeof remains / sizeof remains[0]; i++)
        if (remains[i].number == number)
            return &remains[i];
    return NULL;
}

static bool is_listed(unsigned number, int octets)
{
    const struct remains *known = remains_of(number);
    for (int i = 0; known && i < MOST_LENGTHS && known->octets[i]; i++)
        if (known->octets[i] == octets)
            return true;
    return false;
}

/* In memory that ends where the PDU ends, so that a sanitizer sees reading on. */
static int recode_exact(const struct vector *v, size_t len, uint8_t *again)
{
    uint8_t *exact = malloc(len ? len : 1);
    memcpy(exact, v->bytes, len);
    int octets = recode(v->number, exact, len, again, VECTORS_MAX_OCTETS);
    free(exact);
    return octets;
}

static void all_round_trip(void **state)
{
    for (unsigned number = FIRST; number <= LAST; number = next_number(number)) {
        const struct vector *v = vectors_get(number);
        uint8_t again[VECTORS_MAX_OCTETS];
        print_message("%u %s\n", number, v->name);
        assert_int_equal(recode_exact(v, v->octets, again), v->octets);
        assert_memory_equal(again, v->bytes, v->octets);
    }
}

/* Cut there, nothing is lost but what stands behind: the octets before come back as they were. */
static void check_cut(const struct vector *v, size_t len, bool seen[VECTORS_MAX_OCTETS])
{
    uint8_t again[VECTORS_MAX_OCTETS];
    int octets = recode_exact(v, len, again);
    if (octets < 0)
        return;
    assert_in_range(octets, 1, len);
    assert_memory_equal(again, v->bytes, octets);
    if (!is_listed(v->number, octets))
        fail_msg("%u %s cut to %zu octets is taken for a PDU of %d", v->number, v->name, len, octets);
    seen[octets] = true;
}

static void cut_everywhere(void **state)
{
    for (unsigned number = FIRST; number <= LAST; number = next_number(number)) {
        const struct vector *v = vectors_get(number);
        const struct remains *known = remains_of(number);
        bool seen[VECTORS_MAX_OCTETS] = {false};
        for (size_t len = 0; len < v->octets; len++)
            check_cut(v, len, seen);
        for (int i = 0; known && i < MOST_LENGTHS && known->octets[i]; i++)
            if (!seen[known->octets[i]])
                fail_msg("%u %s: no cut leaves %u octets", number, v->name, known->octets[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_round_trip),
        cmocka_unit_test(cut_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
