/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/sndcp.h"
#include "tests/oracles/judges/kind.h"

enum { MOST_DATA_OCTETS = 40 };

static size_t make(struct rng *rng, uint8_t *bytes, size_t cap)
{
    struct sndcp in = {
        .n_pdu_number = (uint16_t)rng_below(rng, SNDCP_NPDU_MODULUS),
        .nsapi = (uint8_t)rng_between(rng, SNDCP_NSAPI_MIN, SNDCP_NSAPI_MAX),
        .segment = kind_once_in(rng, 2) ? 0 : (uint8_t)rng_below(rng, SNDCP_MAX_SEGMENTS),
        .more = kind_once_in(rng, 2),
    };
    in.first = in.segment == 0;
    if (in.first && kind_once_in(rng, 4))
        in.comp = (uint8_t)rng_below(rng, 256);
    size_t octets = (size_t)sndcp_encode(bytes, cap, &in), data = rng_below(rng, MOST_DATA_OCTETS);
    kind_fill(rng, bytes + octets, data);
    return octets + data;
}

static size_t elements_at(const uint8_t *bytes, size_t len)
{
    return len;
}

static void say(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct sndcp in;
    int octets = sndcp_decode(&in, bytes, len);
    saying_begin(out, octets);
    if (octets < 0)
        return;
    saying_number(out, "nsapi", in.nsapi);
    saying_number(out, "first", in.first);
    saying_number(out, "more", in.more);
    saying_number(out, "segment", in.segment);
    saying_number(out, "n_pdu_number", in.n_pdu_number);
    if (in.first) {
        saying_number(out, "dcomp", in.comp >> 4);
        saying_number(out, "pcomp", in.comp & 15);
    }
    saying_octets(out, "data", bytes + octets, len - (size_t)octets);
}

const struct kind kind_sndcp = {"sndcp", make, elements_at, NULL, say};
