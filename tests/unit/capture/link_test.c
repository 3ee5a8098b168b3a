/* SPDX-License-Identifier: BSD-3-Clause */
/* Link layers of captures: where the IP packet begins, and what becomes of a frame as one of Ethernet. */
#include "capture/reader.h"
#include "tests/unit/unit.h"

#include <pcap/dlt.h>
#include <stdio.h>
#include <string.h>

#define SLL2 276 /* which older headers of libpcap do not name */

struct link_row {
    const char *name;
    int link_type;
    uint8_t octets;
    uint8_t bytes[28];
    int strip;            /* octets in front of the IP packet; -1: none follows */
    int ethernet;         /* octets as Ethernet */
    uint8_t want_type[2]; /* at 12 then */
    uint8_t want_first;   /* at 14 then */
};

static const struct link_row rows[] = {
    {"Ethernet, IPv4", DLT_EN10MB, 16, {[12] = 8, 0, 0x45, 1}, 14, 16, {8, 0}, 0x45},
    {"Ethernet, IPv6", DLT_EN10MB, 16, {[12] = 0x86, 0xdd, 0x60}, 14, 16, {0x86, 0xdd}, 0x60},
    {"Ethernet, ARP", DLT_EN10MB, 16, {[12] = 8, 6, 0, 1}, -1, 16, {8, 6}, 0},
    {"Ethernet, one tag", DLT_EN10MB, 20, {[12] = 0x81, 0, 0, 1, 8, 0, 0x45}, 18, 20, {0x81, 0}, 0},
    {"Ethernet, two tags",
     DLT_EN10MB,
     24,
     {[12] = 0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0, 0x45},
     22,
     24,
     {0x88, 0xa8},
     0},
    {"Ethernet, half a tag", DLT_EN10MB, 16, {[12] = 0x81, 0, 0, 1}, -1, 16, {0x81, 0}, 0},
    {"Ethernet, three octets of a tag", DLT_EN10MB, 17, {[12] = 0x81, 0, 0, 1, 8, 0}, -1, 17, {0x81, 0}, 0},
    {"Ethernet, cut", DLT_EN10MB, 13, {9}, -1, 13, {0}, 0},
    {"Ethernet, empty", DLT_EN10MB, 0, {0}, -1, 0, {0}, 0},
    {"raw IPv4", DLT_RAW, 4, {0x45, 1, 2, 3}, 0, 18, {8, 0}, 0x45},
    {"raw IPv6", DLT_RAW, 4, {0x60, 1, 2, 3}, 0, 18, {0x86, 0xdd}, 0x60},
    {"raw, empty", DLT_RAW, 0, {0}, 0, 14, {8, 0}, 0},
    {"IPv4", DLT_IPV4, 2, {0x45, 1}, 0, 16, {8, 0}, 0x45},
    {"IPv6", DLT_IPV6, 2, {0x60, 1}, 0, 16, {0x86, 0xdd}, 0x60},
    {"loopback, IPv4", DLT_NULL, 6, {2, 0, 0, 0, 0x45, 1}, 4, 16, {8, 0}, 0x45},
    {"loopback, IPv6", DLT_LOOP, 6, {0, 0, 0, 24, 0x60, 1}, 4, 16, {0x86, 0xdd}, 0x60},
    {"loopback, nothing behind", DLT_NULL, 4, {2}, 4, 14, {8, 0}, 0},
    {"loopback, cut", DLT_LOOP, 3, {0}, -1, 0, {0}, 0},
    {"cooked, IPv4", DLT_LINUX_SLL, 18, {[14] = 8, 0, 0x45, 7}, 16, 16, {8, 0}, 0x45},
    {"cooked, tagged", DLT_LINUX_SLL, 22, {[14] = 0x81, 0, 0, 1, 8, 0, 0x45}, 20, 20, {0x81, 0}, 0},
    {"cooked, ARP", DLT_LINUX_SLL, 18, {[14] = 8, 6, 0x11, 7}, -1, 16, {8, 6}, 0x11},
    {"cooked, nothing behind", DLT_LINUX_SLL, 16, {[14] = 8, 0}, 16, 14, {8, 0}, 0},
    {"cooked, cut", DLT_LINUX_SLL, 15, {[14] = 8}, -1, 0, {0}, 0},
    {"cooked 2, IPv6", SLL2, 22, {0x86, 0xdd, [20] = 0x60, 7}, 20, 16, {0x86, 0xdd}, 0x60},
    {"cooked 2, cut", SLL2, 19, {8, 0}, -1, 0, {0}, 0},
    {"wireless", DLT_IEEE802_11, 20, {8, 0}, -1, 0, {0}, 0},
};

static struct capture_frame frame_of(const struct link_row *row)
{
    return (struct capture_frame){.bytes = row->bytes,
                                  .captured = row->octets,
                                  .wire_octets = (size_t)row->octets + 100,
                                  .link_type = row->link_type};
}

TEST(strip)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct link_row *row = &rows[i];
        struct capture_frame frame = frame_of(row);
        bool is_ip = capture_link_strip(&frame);
        if (is_ip != (row->strip >= 0))
            fail_msg("%s: %s", row->name, is_ip ? "IP" : "no IP");
        if (!is_ip)
            continue;
        assert_ptr_equal(frame.bytes, row->bytes + row->strip);
        assert_int_equal(frame.captured, row->octets - row->strip);
        assert_int_equal(frame.wire_octets, frame.captured + 100);
    }
}

TEST(to_ethernet)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct link_row *row = &rows[i];
        struct capture_frame frame = frame_of(row);
        uint8_t made[64];
        capture_link_to_ethernet(&frame, made, sizeof(made));
        if (frame.captured != (size_t)row->ethernet)
            fail_msg("%s: %zu octets", row->name, frame.captured);
        if (frame.captured == 0)
            continue;
        assert_int_equal(frame.link_type, DLT_EN10MB);
        assert_ptr_equal(frame.bytes, row->link_type == DLT_EN10MB ? row->bytes : made);
        assert_int_equal(frame.wire_octets, frame.captured + 100);
        if (frame.captured >= 14)
            assert_memory_equal(frame.bytes + 12, row->want_type, 2);
        if (frame.captured > 14)
            assert_int_equal(frame.bytes[14], row->want_first);
    }
}

/* The longest packet that there is room for, and one octet more. */
TEST(room)
{
    uint8_t bytes[50] = {0x45}, made[60];
    struct capture_frame frame = {.bytes = bytes, .captured = 46, .wire_octets = 46, .link_type = DLT_RAW};
    capture_link_to_ethernet(&frame, made, sizeof(made));
    assert_int_equal(frame.captured, 60);
    frame = (struct capture_frame){.bytes = bytes, .captured = 47, .wire_octets = 47, .link_type = DLT_RAW};
    capture_link_to_ethernet(&frame, made, sizeof(made));
    assert_int_equal(frame.captured, 0);
    assert_int_equal(frame.wire_octets, 0);
}

/* Every link of the table is known, and no other one is. */
TEST(known)
{
    unsigned count = 0;
    for (int link = -1; link < 400; link++)
        count += capture_link_is_known(link);
    assert_int_equal(count, 8);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(capture_link_is_known(rows[i].link_type), rows[i].link_type != DLT_IEEE802_11);
}

UNIT_MAIN(NULL, NULL)
