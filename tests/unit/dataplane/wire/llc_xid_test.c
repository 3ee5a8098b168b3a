/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc_xid.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include <string.h>

#define BIT(type) (1u << LLC_XID_##type)

enum { MOST_OCTETS = 16 };

PROBED(decode, struct llc_xid, llc_xid_decode)

/* Fields as a peer may send them, and what counts of them. */
static const struct row {
    const char *what;
    uint8_t bytes[MOST_OCTETS];
    uint8_t octets;
    int answer;
    unsigned has, refused;
    enum llc_xid_type type;
    uint32_t value;
} rows[] = {
    {"nothing", {0}, 0, 0, 0, 0, 0, 0},
    {"version", {0x01, 0x00}, 2, 2, BIT(VERSION), 0, LLC_XID_VERSION, 0},
    {"version, spare bits", {0x01, 0xf3}, 2, 2, BIT(VERSION), 0, LLC_XID_VERSION, 3},
    {"IOV-UI, long form", {0x84, 0x10, 1, 2, 3, 4}, 6, 6, BIT(IOV_UI), 0, LLC_XID_IOV_UI, 0x01020304},
    {"IOV-UI of three octets", {0x07, 1, 2, 3}, 4, 4, 0, BIT(IOV_UI), LLC_XID_IOV_UI, 0},
    {"IOV-I", {0x88, 0x10, 0xff, 0xff, 0xff, 0xff}, 6, 6, BIT(IOV_I), 0, LLC_XID_IOV_I, UINT32_MAX},
    {"T200", {0x0e, 0x0f, 0xff}, 3, 3, BIT(T200), 0, LLC_XID_T200, 4095},
    {"T200 of 0", {0x0e, 0xf0, 0x00}, 3, 3, 0, BIT(T200), LLC_XID_T200, 0},
    {"N200", {0x11, 0x0f}, 2, 2, BIT(N200), 0, LLC_XID_N200, 15},
    {"N201-U", {0x16, 0x05, 0xdc}, 3, 3, BIT(N201_U), 0, LLC_XID_N201_U, 1500},
    {"N201-U, long form", {0x94, 0x08, 0x05, 0xdc}, 4, 4, BIT(N201_U), 0, LLC_XID_N201_U, 1500},
    {"N201-U, spare bits", {0x16, 0xfd, 0xdc}, 3, 3, BIT(N201_U), 0, LLC_XID_N201_U, 1500},
    {"N201-U of 140", {0x16, 0x00, 0x8c}, 3, 3, BIT(N201_U), 0, LLC_XID_N201_U, 140},
    {"N201-U of 139", {0x16, 0x00, 0x8b}, 3, 3, 0, BIT(N201_U), LLC_XID_N201_U, 0},
    {"N201-U of 1520", {0x16, 0x05, 0xf0}, 3, 3, BIT(N201_U), 0, LLC_XID_N201_U, 1520},
    {"N201-U of 1521", {0x16, 0x05, 0xf1}, 3, 3, 0, BIT(N201_U), LLC_XID_N201_U, 0},
    {"N201-I", {0x1a, 0x05, 0xdf}, 3, 3, BIT(N201_I), 0, LLC_XID_N201_I, 1503},
    {"mD of 0", {0x1e, 0x00, 0x00}, 3, 3, BIT(M_D), 0, LLC_XID_M_D, 0},
    {"mD of 8", {0x1e, 0x00, 0x08}, 3, 3, 0, BIT(M_D), LLC_XID_M_D, 0},
    {"mD of 24320", {0x1e, 0x5f, 0x00}, 3, 3, BIT(M_D), 0, LLC_XID_M_D, 24320},
    {"mU of 24321", {0x22, 0x5f, 0x01}, 3, 3, 0, BIT(M_U), LLC_XID_M_U, 0},
    {"kD", {0x25, 0xff}, 2, 2, BIT(K_D), 0, LLC_XID_K_D, 255},
    {"kU of 0", {0x29, 0x00}, 2, 2, 0, BIT(K_U), LLC_XID_K_U, 0},
    {"SNDCP's own", {0x2d, 0x99}, 2, 2, BIT(L3), 0, LLC_XID_L3, 0},
    {"Reset", {0x30}, 1, 1, BIT(RESET), 0, LLC_XID_RESET, 0},
    {"Reset with a value", {0x31, 0x00}, 2, 2, 0, BIT(RESET), LLC_XID_RESET, 0},
    {"Reset behind others", {0x01, 0x00, 0x30}, 3, 3, BIT(VERSION), BIT(RESET), LLC_XID_VERSION, 0},
    {"twice", {0x25, 0x05, 0x25, 0x06}, 4, 4, BIT(K_D), BIT(K_D), LLC_XID_K_D, 5},
    {"wrong, then right", {0x25, 0x00, 0x25, 0x06}, 4, 4, BIT(K_D), BIT(K_D), LLC_XID_K_D, 6},
    {"unknown, then known", {0x35, 0x00, 0xfc, 0x04, 0x11, 0x25, 0x06}, 7, 7, BIT(K_D), 0, LLC_XID_K_D, 6},
    {"cut value", {0x16, 0x05}, 2, ERR_TRUNCATED, 0, 0, 0, 0},
    {"cut header", {0x25, 0x06, 0x84}, 3, ERR_TRUNCATED, BIT(K_D), 0, LLC_XID_K_D, 6},
    {"length of 255 in long form", {0xaf, 0xff}, 2, ERR_TRUNCATED, 0, 0, 0, 0},
};

TEST(rows_decode)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct llc_xid out;
        print_message("%s\n", row->what);
        assert_int_equal(probe_exact(decode, row->bytes, row->octets), row->answer);
        assert_int_equal(llc_xid_decode(&out, row->bytes, row->octets), row->answer);
        assert_int_equal(out.has, row->has);
        assert_int_equal(out.refused, row->refused);
        assert_int_equal(out.value[row->type], row->value);
    }
}

static struct llc_xid everything(const uint8_t *l3, uint8_t octets)
{
    return (struct llc_xid){
        .has = (1u << LLC_XID_TYPES) - 1,
        .l3 = l3,
        .l3_octets = octets,
        .value = {15, 0x01020304, 0x05060708, 4095, 15, 1520, 140, 9, 24320, 1, 255},
    };
}

TEST(all_of_it_round_trips)
{
    static const uint8_t l3[LLC_XID_L3_MAX_OCTETS] = {1, 2, 3};
    static const uint8_t lengths[] = {0, 1, 3, 4, 63, 64, 255};
    for (size_t i = 0; i < sizeof lengths; i++) {
        struct llc_xid in = everything(l3, lengths[i]), out;
        uint8_t bytes[512];
        int octets = llc_xid_encode(bytes, sizeof bytes, &in);
        /* Reset; Version, N200, kD, kU; T200, N201, m; both IOV. */
        assert_int_equal(octets, 1 + 4 * 2 + 5 * 3 + 2 * 6 + (lengths[i] > 3 ? 2 : 1) + lengths[i]);
        assert_int_equal(bytes[0], 0x30);
        assert_int_equal(llc_xid_decode(&out, bytes, (size_t)octets), octets);
        assert_int_equal(out.has, in.has);
        assert_int_equal(out.refused, 0);
        assert_memory_equal(out.value, in.value, sizeof in.value);
        assert_int_equal(out.l3_octets, lengths[i]);
        assert_memory_equal(out.l3, l3, lengths[i]);
        for (int cap = 0; cap < octets; cap++)
            assert_int_equal(llc_xid_encode(bytes, (size_t)cap, &in), ERR_NO_SPACE);
    }
}

TEST(values_out_of_range_are_not_written)
{
    static const struct {
        enum llc_xid_type type;
        uint32_t value;
    } bad[] = {{LLC_XID_VERSION, 16}, {LLC_XID_T200, 0},      {LLC_XID_T200, 4096},   {LLC_XID_N200, 16},
               {LLC_XID_N201_U, 139}, {LLC_XID_N201_U, 1521}, {LLC_XID_N201_I, 1521}, {LLC_XID_M_D, 8},
               {LLC_XID_M_U, 24321},  {LLC_XID_K_D, 0},       {LLC_XID_K_U, 256}};
    uint8_t bytes[16];
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct llc_xid in = {.has = (uint16_t)(1u << bad[i].type)};
        in.value[bad[i].type] = bad[i].value;
        assert_int_equal(llc_xid_encode(bytes, sizeof bytes, &in), ERR_RANGE);
    }
    struct llc_xid_item item = {.type = 32};
    assert_int_equal(llc_xid_item_encode(bytes, sizeof bytes, &item), ERR_RANGE);
}

/* The field of both sample frames, out of the frame and back. */
TEST(sample_frames)
{
    static const struct {
        unsigned number, has;
        enum llc_xid_type type;
        uint32_t value;
    } samples[] = {{75, BIT(N201_U), LLC_XID_N201_U, 1500},
                   {76, BIT(RESET) | BIT(IOV_UI), LLC_XID_IOV_UI, 0x11223344}};
    for (size_t i = 0; i < COUNT(samples); i++) {
        const struct vector *v = vectors_get(samples[i].number);
        struct llc llc;
        struct llc_xid xid;
        uint8_t back[16];
        int offset = llc_decode(&llc, v->bytes, v->octets);
        assert_int_equal(llc_xid_decode(&xid, v->bytes + offset, llc.info_octets), (int)llc.info_octets);
        assert_int_equal(xid.has, samples[i].has);
        assert_int_equal(xid.value[samples[i].type], samples[i].value);
        assert_int_equal(llc_xid_encode(back, sizeof back, &xid), (int)llc.info_octets);
        assert_memory_equal(back, v->bytes + offset, llc.info_octets);
    }
}

/* Refused where an item is cut; between items it is the field without its last ones. */
TEST(every_truncation)
{
    static const uint8_t l3[] = {9, 9};
    struct llc_xid in = everything(l3, sizeof l3), out;
    uint8_t bytes[64];
    size_t octets = (size_t)llc_xid_encode(bytes, sizeof bytes, &in), whole = 0;
    for (size_t cut = 0; cut < octets; cut++) {
        int answer = probe_exact(decode, bytes, cut);
        assert_true(answer == (int)cut || answer == ERR_TRUNCATED);
        llc_xid_decode(&out, bytes, cut);
        assert_int_equal(out.refused, 0);
        if (answer < 0)
            continue;
        assert_int_equal(out.has, in.has & (whole ? 1u << LLC_XID_RESET | ((1u << (whole - 1)) - 1) : 0));
        whole++;
    }
    assert_int_equal(whole, LLC_XID_TYPES);
    struct llc_xid_item item;
    assert_int_equal(llc_xid_item_decode(&item, bytes, 0), ERR_TRUNCATED);
}

TEST(defaults_of_table_9)
{
    static const uint8_t sapis[] = {1, 2, 3, 5, 7, 8, 9, 11};
    static const struct {
        enum llc_xid_type type;
        uint32_t by_sapi[sizeof sapis];
    } columns[] = {
        {LLC_XID_VERSION, {0}},
        {LLC_XID_IOV_UI, {0}},
        {LLC_XID_IOV_I, {0, 0, 0x18000000, 0x28000000, 0, 0, 0x48000000, 0x58000000}},
        {LLC_XID_T200, {50, 50, 50, 100, 200, 200, 200, 400}},
        {LLC_XID_N200, {3, 3, 3, 3, 3, 3, 3, 3}},
        {LLC_XID_N201_U, {400, 270, 500, 500, 270, 270, 500, 500}},
        {LLC_XID_N201_I, {0, 0, 1503, 1503, 0, 0, 1503, 1503}},
        {LLC_XID_M_D, {0, 0, 1520, 760, 0, 0, 380, 190}},
        {LLC_XID_M_U, {0, 0, 1520, 760, 0, 0, 380, 190}},
        {LLC_XID_K_D, {0, 0, 16, 8, 0, 0, 4, 2}},
        {LLC_XID_K_U, {0, 0, 16, 8, 0, 0, 4, 2}},
        {LLC_XID_RESET, {0}},
    };
    for (size_t c = 0; c < COUNT(columns); c++)
        for (size_t i = 0; i < sizeof sapis; i++)
            assert_int_equal(llc_xid_default_get(columns[c].type, sapis[i]), columns[c].by_sapi[i]);
    assert_int_equal(llc_xid_default_get(LLC_XID_N201_U, 4), 0);
    assert_string_equal(llc_xid_row_get(LLC_XID_N201_U)->name, "n201_u_octets");
    assert_null(llc_xid_row_get(LLC_XID_L3));
    assert_null(llc_xid_row_get(LLC_XID_RESET));
    assert_null(llc_xid_row_get(31));
}

TEST(noise_does_no_harm)
{
    static const uint8_t field[] = {0x30, 0x84, 0x10, 1, 2, 3, 4, 0x16, 0x05, 0xdc, 0xac, 0x10, 1, 2, 3, 4};
    probe_noise(decode, 17);
    probe_mutations(decode, field, sizeof field, 18);
}

UNIT_MAIN(NULL, NULL)
