/* SPDX-License-Identifier: BSD-3-Clause */
/* Cut and random octets through the decoders of NS and BSSGP, each in memory of its own length. */
#include "dataplane/wire/pdu.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"

#include <stdlib.h>

#include "dataplane/wire/ns.h"
#include "tests/unit/dataplane/wire/pdu_helpers.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

/* Octets of the PDU encoded again, or the decoder's error. */
typedef int round_trip(uint8_t *again, size_t cap, const uint8_t *bytes, size_t len);

static int ns_again(uint8_t *again, size_t cap, const uint8_t *bytes, size_t len)
{
    struct ns ns;
    int n = ns_decode(&ns, bytes, len);
    if (n >= 0)
        return ns_encode(again, cap, &ns);
    assert_int_not_equal(ns.error_cause, 0);
    return n;
}

static int bssgp_again(uint8_t *again, size_t cap, const uint8_t *bytes, size_t len)
{
    struct bssgp pdu;
    struct bssgp_ul ul;
    bssgp_ul_unitdata_decode(&ul, bytes, len);
    int n = bssgp_decode(&pdu, bytes, len);
    if (n >= 0)
        return bssgp_encode(again, cap, &pdu);
    assert_int_not_equal(pdu.error_cause, 0);
    return n;
}

static const struct {
    const char *file;
    round_trip *again;
    unsigned types;
} codecs[] = {{"ns.txt", ns_again, 0x16}, {"bssgp.txt", bssgp_again, 0x94}};

/* A cut PDU is refused, or it is what it would be without its last elements. */
static void cut_everywhere(round_trip *again, const struct vector *v)
{
    for (size_t cut = 0; cut < v->octets; cut++) {
        uint8_t bytes[VECTORS_MAX_OCTETS], *exact = pdu_exact_copy(v->bytes, cut);
        int n = again(bytes, sizeof bytes, exact, cut);
        if (n >= 0) {
            assert_in_range(n, 1, cut);
            assert_memory_equal(bytes, v->bytes, n);
        }
        free(exact);
    }
}

TEST(truncations)
{
    for (size_t c = 0; c < sizeof codecs / sizeof codecs[0]; c++) {
        size_t count;
        const struct vector *v = vectors_load(codecs[c].file, &count);
        for (size_t i = 0; i < count; i++)
            cut_everywhere(codecs[c].again, &v[i]);
    }
}

TEST(random_octets)
{
    for (size_t c = 0; c < sizeof codecs / sizeof codecs[0]; c++) {
        uint32_t seed = 48016;
        unsigned decoded = 0;
        for (unsigned i = 0; i < 100000; i++) {
            uint8_t bytes[96], again[160];
            size_t len = pdu_random_octets(&seed, bytes, sizeof bytes, codecs[c].types);
            uint8_t *exact = pdu_exact_copy(bytes, len);
            int n = codecs[c].again(again, sizeof again, exact, len);
            free(exact);
            assert_true(n <= (int)len);
            decoded += n >= 0;
        }
        assert_in_range(decoded, 1000, 99999);
    }
}

UNIT_MAIN(NULL, NULL)
