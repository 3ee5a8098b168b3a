/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ether.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

static const uint8_t plain[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00};
static const uint8_t tagged[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0x00, 0x60, 0x07, 0x08, 0x06};
static const uint8_t twice[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0x00, 0, 1, 0x81, 0x00};

static const struct {
    const uint8_t *bytes;
    size_t octets;
    uint16_t type, vlan_tci;
} rows[] = {
    {plain, sizeof plain, ETHER_TYPE_IPV4, 0},
    {tagged, sizeof tagged, ETHER_TYPE_ARP, 0x6007},
    {twice, sizeof twice, ETHER_TYPE_VLAN, 1},
};

static int decode(const uint8_t *bytes, size_t len)
{
    struct ether ether;
    return ether_decode(&ether, bytes, len);
}

TEST(headers_round_trip)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ether ether;
        uint8_t back[18];
        assert_int_equal(ether_decode(&ether, rows[i].bytes, rows[i].octets), rows[i].octets);
        assert_int_equal(ether.type, rows[i].type);
        assert_int_equal(ether.vlan_tci, rows[i].vlan_tci);
        assert_int_equal(ether.dst[5], 1);
        assert_int_equal(ether.src[5], 2);
        assert_int_equal(ether_encode(back, rows[i].octets, &ether), rows[i].octets);
        assert_memory_equal(back, rows[i].bytes, rows[i].octets);
        assert_int_equal(ether_encode(back, rows[i].octets - 1, &ether), ERR_NO_SPACE);
    }
}

TEST(every_truncation_is_refused)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t len = 0; len < rows[i].octets; len++)
            assert_int_equal(probe_exact(decode, rows[i].bytes, len), ERR_TRUNCATED);
}

TEST(noise_does_no_harm)
{
    probe_noise(decode, 1);
}

UNIT_MAIN(NULL, NULL)
