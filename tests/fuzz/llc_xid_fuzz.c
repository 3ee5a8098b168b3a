/* SPDX-License-Identifier: BSD-3-Clause */
/* XID fields and what an FRMR tells: what decodes encodes, and decodes to the same again. */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_xid.h"
#include "tests/fuzz/fuzz.h"

static uint8_t room[512];

/* Items one by one cover the field exactly; as read, but for spare bits and the length's form. */
static size_t check_items(const uint8_t *bytes, size_t len)
{
    struct llc_xid_item item, again;
    size_t at = 0, count = 0;
    int octets = 0;
    for (; at < len && (octets = llc_xid_item_decode(&item, bytes + at, len - at)) > 0;
         at += (size_t)octets) {
        FUZZ_CHECK(item.type < 32 && fuzz_is_inside(item.value, item.octets, bytes + at, (size_t)octets));
        int encoded = llc_xid_item_encode(room, sizeof room, &item);
        FUZZ_CHECK(encoded > 0 && encoded <= octets);
        FUZZ_CHECK(llc_xid_item_decode(&again, room, (size_t)encoded) == encoded);
        FUZZ_CHECK(again.type == item.type && again.octets == item.octets);
        FUZZ_CHECK(memcmp(again.value, item.value, item.octets) == 0);
        count++;
    }
    FUZZ_CHECK(octets >= 0 || octets == ERR_TRUNCATED);
    return octets < 0 ? SIZE_MAX : count;
}

static void check_values(const struct llc_xid *in)
{
    FUZZ_CHECK(in->has >> LLC_XID_TYPES == 0 && in->refused >> LLC_XID_TYPES == 0);
    for (unsigned type = 0; type < LLC_XID_L3; type++) {
        const struct llc_xid_row *row = llc_xid_row_get(type);
        bool is_allowed = in->value[type] >= row->min && in->value[type] <= row->max;
        FUZZ_CHECK(in->has >> type & 1 ? is_allowed || in->value[type] == 0 : in->value[type] == 0);
    }
}

static void check_round_trip(const struct llc_xid *in, size_t len)
{
    struct llc_xid again;
    int octets = llc_xid_encode(room, sizeof room, in);
    FUZZ_CHECK(octets >= 0 && (size_t)octets <= len);
    FUZZ_CHECK(octets == 0 || llc_xid_encode(room, (size_t)octets - 1, in) == ERR_NO_SPACE);
    llc_xid_encode(room, sizeof room, in);
    FUZZ_CHECK(llc_xid_decode(&again, room, (size_t)octets) == octets && again.refused == 0);
    FUZZ_CHECK(again.has == in->has && memcmp(again.value, in->value, sizeof in->value) == 0);
    FUZZ_CHECK(again.l3_octets == in->l3_octets);
    FUZZ_CHECK(in->l3_octets == 0 || memcmp(again.l3, in->l3, in->l3_octets) == 0);
}

/* As read, but for the spare bits of the last four octets. */
static void check_frmr(const uint8_t *bytes, size_t len)
{
    static const uint8_t counts[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xfb, 0xff, 0x0f};
    struct llc_frmr frmr;
    int octets = llc_frmr_decode(&frmr, bytes, len);
    FUZZ_CHECK(octets == (len < LLC_FRMR_OCTETS ? ERR_TRUNCATED : LLC_FRMR_OCTETS));
    if (octets < 0)
        return;
    FUZZ_CHECK(llc_frmr_encode(room, sizeof room, &frmr) == octets);
    for (int i = 0; i < octets; i++)
        FUZZ_CHECK(room[i] == (bytes[i] & counts[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct llc_xid in;
    size_t items = check_items(bytes, len);
    int octets = llc_xid_decode(&in, bytes, len);
    check_frmr(bytes, len);
    check_values(&in);
    FUZZ_CHECK(octets == (items == SIZE_MAX ? ERR_TRUNCATED : (int)len));
    if (octets < 0)
        return 0;
    FUZZ_CHECK(items > 0 || in.has == 0);
    FUZZ_CHECK(fuzz_is_inside(in.l3, in.l3_octets, bytes, len));
    check_round_trip(&in, len);
    return 0;
}
