/* SPDX-License-Identifier: BSD-3-Clause */
/* NS and IP-SNS: what decodes encodes, and decodes to the same again. */
#include "dataplane/wire/ns.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pdu_check.h"

#include <string.h>

static uint8_t room[UINT16_MAX + 1], less[UINT16_MAX + 1];

static void check_endpoints(const struct ns *in, enum ns_family family)
{
    const struct ie_span *list = family == NS_IP4 ? &in->ip4_list : &in->ip6_list;
    size_t each = ns_endpoint_octets(family), count = list->octets / each;
    struct ns_endpoint endpoint;
    uint8_t again[20];
    for (size_t i = 0; i < count; i++) {
        FUZZ_CHECK(ns_endpoint_get(&endpoint, in, family, i) == 0);
        FUZZ_CHECK(ns_endpoint_encode(again, each - 1, &endpoint, family) == ERR_NO_SPACE);
        FUZZ_CHECK(ns_endpoint_encode(again, sizeof again, &endpoint, family) == (int)each);
        FUZZ_CHECK(memcmp(again, list->at + i * each, each) == 0);
    }
    FUZZ_CHECK(ns_endpoint_get(&endpoint, in, family, count) == ERR_RANGE);
}

/* Encoding drops unknown and repeated elements and may choose shorter lengths; it adds nothing. */
static void check_round_trip(const struct ns *in, size_t len)
{
    struct ns again;
    int octets = ns_encode(room, sizeof room, in);
    FUZZ_CHECK(octets > 0 && (size_t)octets <= len);
    FUZZ_CHECK(ns_encode(less, (size_t)octets - 1, in) == ERR_NO_SPACE);
    FUZZ_CHECK(ns_decode(&again, room, (size_t)octets) == octets);
    pdu_check_equal(&in->head, &again.head, &ns_grammar);
}

static void check_unitdata(const struct ns *in, int decoded, const uint8_t *bytes, size_t len)
{
    uint16_t bvci;
    uint8_t header[NS_UNITDATA_HEADER_OCTETS];
    int octets = ns_unitdata_header_get(&bvci, bytes, len);
    FUZZ_CHECK((octets > 0) == (decoded >= 0 && in->head.type == NS_UNITDATA));
    if (octets < 0)
        return;
    FUZZ_CHECK(bvci == in->bvci && in->sdu.octets == len - (size_t)octets);
    ns_unitdata_header_put(header, bvci);
    FUZZ_CHECK(bytes[1] != 0 || memcmp(header, bytes, sizeof header) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ns in;
    if (len > sizeof room)
        return 0;
    int decoded = ns_decode(&in, bytes, len);
    check_unitdata(&in, decoded, bytes, len);
    if (decoded < 0) {
        FUZZ_CHECK(in.error_cause != 0);
        return 0;
    }
    FUZZ_CHECK(decoded == (int)len && in.error_cause == 0);
    pdu_check_fields(&in.head, &ns_grammar, bytes, len);
    check_endpoints(&in, NS_IP4);
    check_endpoints(&in, NS_IP6);
    check_round_trip(&in, len);
    return 0;
}
