/* SPDX-License-Identifier: BSD-3-Clause */
/* SM and mobile identities: what decodes encodes, and decodes to the same again. The first
 * octet of the input chooses the codec and the sender. */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"
#include "dataplane/wire/sm.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { LONGEST = 4096 };

static uint8_t room[LONGEST], less[LONGEST];

static void check_spans(const struct l3 *l3, const struct l3_grammar *grammar, const uint8_t *bytes,
                        size_t len)
{
    for (const struct l3_place *p = l3->row->places; p->form != L3_END; p++) {
        const struct ie *ie = &grammar->ies[p->ie];
        if (p->form == L3_SPARE || !l3_has(l3, p->ie) || ie->format != IE_SPAN)
            continue;
        const struct ie_span *span = (const void *)((const char *)l3 + ie->at);
        FUZZ_CHECK(span->at >= bytes && span->at + span->octets <= bytes + len);
        FUZZ_CHECK(span->octets >= ie->min_octets && (!ie->max_octets || span->octets <= ie->max_octets));
    }
}

static void check_sm(enum l3_sender from, const uint8_t *bytes, size_t len)
{
    struct sm in, again;
    int n = sm_decode(&in, from, bytes, len);
    bool is_extended = len > 0 && (bytes[0] & 0x70) == 0x70;
    bool is_ignored = len < 2u + is_extended || (is_extended && bytes[1] < 0x87); /* EXT of 0, or reserved */
    FUZZ_CHECK((n == (int)len) == (in.head.cause == 0 && !is_ignored));
    if (n < 0)
        return;
    check_spans(&in.head, &sm_grammar, bytes, len);
    int octets = sm_encode(room, sizeof room, &in);
    FUZZ_CHECK(octets > 0 && (size_t)octets <= len);
    FUZZ_CHECK(sm_encode(less, (size_t)octets - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(sm_decode(&again, from, room, (size_t)octets) == octets);
    FUZZ_CHECK(again.ti == in.ti && again.head.head == in.head.head);
    FUZZ_CHECK(memcmp(in.head.present, again.head.present, sizeof in.head.present) == 0);
}

static void check_identity(const uint8_t *bytes, size_t len)
{
    struct identity in;
    if (identity_decode(&in, bytes, len) < 0)
        return;
    int octets = identity_encode(room, sizeof room, &in);
    FUZZ_CHECK(octets > 0 && (size_t)octets <= len);
    FUZZ_CHECK(identity_encode(less, (size_t)octets - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(in.type == IDENTITY_NONE || in.type == IDENTITY_TMSI ||
               memcmp(room, bytes, (size_t)octets) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < 1 || len > LONGEST)
        return 0;
    enum l3_sender from = bytes[0] & 4 ? L3_FROM_SGSN : L3_FROM_MS;
    switch (bytes[0] & 3) {
    case 1:
        check_sm(from, bytes + 1, len - 1);
        break;
    default:
        check_identity(bytes + 1, len - 1);
    }
    return 0;
}
