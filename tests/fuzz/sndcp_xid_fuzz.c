/* SPDX-License-Identifier: BSD-3-Clause */
/* SNDCP's field of XID: what decodes encodes, and decodes to the same again. */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/sndcp_xid.h"
#include "tests/fuzz/fuzz.h"

static uint8_t room[SNDCP_XID_MAX_OCTETS + 3]; /* a version, though the field had none */

static void check_parameters(const struct sndcp_xid_entity *in, unsigned algorithm)
{
    struct sndcp_xid_parameters parameters, again;
    uint8_t octets[2 * SNDCP_XID_MAX_PARAMETERS];
    int read =
        sndcp_xid_parameters_decode(&parameters, in->kind, algorithm, in->parameters, in->parameter_octets);
    FUZZ_CHECK((read == ERR_UNSUPPORTED) == !sndcp_xid_algorithm_get(in->kind, algorithm));
    if (read < 0)
        return;
    FUZZ_CHECK(read <= in->parameter_octets && parameters.count <= SNDCP_XID_MAX_PARAMETERS);
    int written = sndcp_xid_parameters_encode(octets, sizeof octets, in->kind, algorithm, &parameters);
    FUZZ_CHECK(written == read || written == ERR_RANGE);
    if (written < 0)
        return;
    FUZZ_CHECK(memcmp(octets, in->parameters, (size_t)read) == 0);
    FUZZ_CHECK(sndcp_xid_parameters_decode(&again, in->kind, algorithm, octets, (size_t)read) == read);
    FUZZ_CHECK(memcmp(&again, &parameters, sizeof again) == 0);
}

static void check_entity(const struct sndcp_xid_entity *in, const uint8_t *bytes, size_t len)
{
    FUZZ_CHECK(in->kind == SNDCP_XID_DATA || in->kind == SNDCP_XID_HEADER);
    FUZZ_CHECK(in->number < SNDCP_XID_NUMBERS && in->algorithm < SNDCP_XID_NUMBERS);
    FUZZ_CHECK(in->is_proposal || (in->algorithm == 0 && in->value_count == 0));
    FUZZ_CHECK(in->value_count <= SNDCP_XID_MAX_VALUES);
    FUZZ_CHECK(fuzz_is_inside(in->parameters, in->parameter_octets, bytes, len));
    for (unsigned algorithm = 0; algorithm < 4; algorithm++)
        check_parameters(in, algorithm);
}

static void check_same(const struct sndcp_xid_entity *a, const struct sndcp_xid_entity *b)
{
    FUZZ_CHECK(a->nsapis == b->nsapis && a->kind == b->kind && a->number == b->number);
    FUZZ_CHECK(a->is_proposal == b->is_proposal && a->algorithm == b->algorithm);
    FUZZ_CHECK(a->value_count == b->value_count && memcmp(a->values, b->values, sizeof a->values) == 0);
    FUZZ_CHECK(a->parameter_octets == b->parameter_octets);
    FUZZ_CHECK(memcmp(a->parameters, b->parameters, a->parameter_octets) == 0);
}

static void check_round_trip(const struct sndcp_xid *in)
{
    struct sndcp_xid again;
    int octets = sndcp_xid_encode(room, sizeof room, in);
    FUZZ_CHECK(octets >= 0 && octets <= SNDCP_XID_MAX_OCTETS);
    FUZZ_CHECK(octets == 0 || sndcp_xid_encode(room, (size_t)octets - 1, in) == ERR_NO_SPACE);
    uint8_t *exact = fuzz_copy(room, (size_t)octets);
    FUZZ_CHECK(sndcp_xid_encode(exact, (size_t)octets, in) == octets);
    FUZZ_CHECK(sndcp_xid_decode(&again, exact, (size_t)octets) == octets);
    FUZZ_CHECK(again.has_version == in->has_version && again.version == in->version &&
               again.count == in->count);
    for (unsigned i = 0; i < in->count; i++)
        check_same(&in->entities[i], &again.entities[i]);
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct sndcp_xid in;
    int octets = sndcp_xid_decode(&in, bytes, len);
    FUZZ_CHECK(octets == (int)len || octets == ERR_TRUNCATED || octets == ERR_RANGE);
    FUZZ_CHECK((octets == ERR_RANGE) == (len > SNDCP_XID_MAX_OCTETS));
    FUZZ_CHECK(in.count <= SNDCP_XID_MAX_ENTITIES && in.version < 16);
    for (unsigned i = 0; i < in.count; i++)
        check_entity(&in.entities[i], bytes, len);
    check_round_trip(&in);
    return 0;
}
