/* SPDX-License-Identifier: BSD-3-Clause */
/* Link layers of captures: where the IP packet begins, and what becomes of a frame as one of Ethernet. */
#include "tests/unit/unit.h"

#include "capture/link.h"

#include <pcap/dlt.h>
#include <string.h>

#define SLL2 276 /* which older headers of libpcap do not name */

#define IP     CAPTURE_LINK_IP
#define CUT    CAPTURE_LINK_CUT
#define OTHER  CAPTURE_LINK_PROTOCOL
#define PPP    CAPTURE_LINK_PPP
#define LLC    CAPTURE_LINK_LLC
#define LABELS CAPTURE_LINK_LABELLED

struct link_row {
    const char *name;
    int link_type;
    uint8_t octets;
    uint8_t bytes[32];
    enum capture_link_end end;
    uint32_t type;        /* of IP: not compared */
    int strip;            /* octets in front of the IP packet */
    int ethernet;         /* octets as Ethernet */
    uint8_t want_type[2]; /* at 12 then */
    uint8_t want_first;   /* at 14 then */
};

static const struct link_row rows[] = {
    {"Ethernet, IPv4", DLT_EN10MB, 16, {[12] = 8, 0, 0x45, 1}, IP, 0, 14, 16, {8, 0}, 0x45},
    {"Ethernet, IPv6", DLT_EN10MB, 16, {[12] = 0x86, 0xdd, 0x60}, IP, 0, 14, 16, {0x86, 0xdd}, 0x60},
    {"Ethernet, ARP", DLT_EN10MB, 16, {[12] = 8, 6, 0, 1}, OTHER, 0x806, 0, 16, {8, 6}, 0},
    {"Ethernet, one tag", DLT_EN10MB, 20, {[12] = 0x81, 0, 0, 1, 8, 0, 0x45}, IP, 0, 18, 20, {0x81, 0}, 0},
    ROW("Ethernet, one tag of 802.1ad", DLT_EN10MB, 20, {[12] = 0x88, 0xa8, 0, 1, 8, 0, 0x45}, IP, 0, 18, 16,
        {8, 0}, 0x45),
    ROW("Ethernet, two tags", DLT_EN10MB, 24, {[12] = 0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0, 0x45}, IP, 0, 22,
        16, {8, 0}, 0x45),
    ROW("Ethernet, tags from before 802.1ad", DLT_EN10MB, 28,
        {[12] = 0x91, 0, 0, 1, 0x92, 0, 0, 2, 0x93, 0, 0, 3, 0x86, 0xdd, 0x60}, IP, 0, 26, 16, {0x86, 0xdd},
        0x60),
    {"Ethernet, no tag", DLT_EN10MB, 20, {[12] = 0x94, 0, 0, 1, 8, 0}, OTHER, 0x9400, 0, 20, {0x94, 0}, 0},
    {"Ethernet, half a tag", DLT_EN10MB, 16, {[12] = 0x81, 0, 0, 1}, CUT, 0, 0, 16, {0x81, 0}, 0},
    ROW("Ethernet, three octets of a tag", DLT_EN10MB, 17, {[12] = 0x81, 0, 0, 1, 8, 0}, CUT, 0, 0, 17,
        {0x81, 0}, 0),
    {"Ethernet, cut", DLT_EN10MB, 13, {9}, CUT, 0, 0, 13, {0}, 0},
    {"Ethernet, empty", DLT_EN10MB, 0, {0}, CUT, 0, 0, 0, {0}, 0},
    ROW("Ethernet, one label", DLT_EN10MB, 20, {[12] = 0x88, 0x47, 0, 0, 1, 64, 0x45}, IP, 0, 18, 16, {8, 0},
        0x45),
    ROW("Ethernet, tag and labels", DLT_EN10MB, 30,
        {[12] = 0x81, 0, 0, 1, 0x88, 0x48, 0, 0, 0, 64, 0, 0, 1, 64, 0x60}, IP, 0, 26, 18, {0x86, 0xdd},
        0x60),
    ROW("Ethernet, label of a pseudowire", DLT_EN10MB, 20, {[12] = 0x88, 0x47, 0, 0, 1, 64, 0}, LABELS, 0, 0,
        20, {0x88, 0x47}, 0),
    {"Ethernet, label, nothing",
     DLT_EN10MB,
     18,
     {[12] = 0x88, 0x47, 0, 0, 1},
     CUT,
     0,
     0,
     18,
     {0x88, 0x47},
     0},
    ROW("Ethernet, PPPoE, IPv4", DLT_EN10MB, 24, {[12] = 0x88, 0x64, 0x11, 0, 0, 7, 0, 4, 0, 0x21, 0x45}, IP,
        0, 22, 16, {8, 0}, 0x45),
    ROW("Ethernet, two tags, PPPoE, IPv6", DLT_EN10MB, 32,
        {[12] = 0x81, 0, 0, 1, 0x81, 0, 0, 2, 0x88, 0x64, 0x11, 0, 0, 7, 0, 4, 0, 0x57, 0x60}, IP, 0, 30, 16,
        {0x86, 0xdd}, 0x60),
    ROW("Ethernet, PPPoE, LCP", DLT_EN10MB, 24, {[12] = 0x88, 0x64, 0x11, 0, 0, 7, 0, 4, 0xc0, 0x21, 9}, PPP,
        0xc021, 0, 24, {0x88, 0x64}, 0x11),
    ROW("Ethernet, PPPoE, cut", DLT_EN10MB, 20, {[12] = 0x88, 0x64, 0x11, 0, 0, 7, 0, 4}, CUT, 0, 0, 20,
        {0x88, 0x64}, 0x11),
    ROW("Ethernet, discovery", DLT_EN10MB, 20, {[12] = 0x88, 0x63, 0x11, 9}, OTHER, 0x8863, 0, 20,
        {0x88, 0x63}, 0x11),
    ROW("802.3, SNAP, IPv4", DLT_EN10MB, 24, {[13] = 10, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45}, IP, 0, 22, 16,
        {8, 0}, 0x45),
    {"802.3, spanning tree", DLT_EN10MB, 20, {[13] = 6, 0x42, 0x42, 3}, LLC, 0x4242, 0, 20, {0, 6}, 0x42},
    {"802.3, cut", DLT_EN10MB, 16, {[13] = 6, 0x42, 0x42}, CUT, 0, 0, 16, {0, 6}, 0x42},
    {"802.3, SNAP, cut", DLT_EN10MB, 21, {[13] = 6, 0xaa, 0xaa, 3}, CUT, 0, 0, 21, {0, 6}, 0xaa},
    {"raw IPv4", DLT_RAW, 4, {0x45, 1, 2, 3}, IP, 0, 0, 18, {8, 0}, 0x45},
    {"raw IPv6", DLT_RAW, 4, {0x60, 1, 2, 3}, IP, 0, 0, 18, {0x86, 0xdd}, 0x60},
    {"raw, empty", DLT_RAW, 0, {0}, IP, 0, 0, 14, {8, 0}, 0},
    {"IPv4", DLT_IPV4, 2, {0x45, 1}, IP, 0, 0, 16, {8, 0}, 0x45},
    {"IPv6", DLT_IPV6, 2, {0x60, 1}, IP, 0, 0, 16, {0x86, 0xdd}, 0x60},
    {"loopback, IPv4", DLT_NULL, 6, {2, 0, 0, 0, 0x45, 1}, IP, 0, 4, 16, {8, 0}, 0x45},
    {"loopback, IPv6", DLT_LOOP, 6, {0, 0, 0, 24, 0x60, 1}, IP, 0, 4, 16, {0x86, 0xdd}, 0x60},
    {"loopback, nothing behind", DLT_NULL, 4, {2}, IP, 0, 4, 14, {8, 0}, 0},
    {"loopback, cut", DLT_LOOP, 3, {0}, CUT, 0, 0, 0, {0}, 0},
    {"cooked, IPv4", DLT_LINUX_SLL, 18, {[14] = 8, 0, 0x45, 7}, IP, 0, 16, 16, {8, 0}, 0x45},
    {"cooked, tagged", DLT_LINUX_SLL, 22, {[14] = 0x81, 0, 0, 1, 8, 0, 0x45}, IP, 0, 20, 16, {8, 0}, 0x45},
    {"cooked, ARP", DLT_LINUX_SLL, 18, {[14] = 8, 6, 0x11, 7}, OTHER, 0x806, 0, 16, {8, 6}, 0x11},
    {"cooked, nothing behind", DLT_LINUX_SLL, 16, {[14] = 8, 0}, IP, 0, 16, 14, {8, 0}, 0},
    {"cooked, cut", DLT_LINUX_SLL, 15, {[14] = 8}, CUT, 0, 0, 0, {0}, 0},
    {"cooked 2, IPv6", SLL2, 22, {0x86, 0xdd, [20] = 0x60, 7}, IP, 0, 20, 16, {0x86, 0xdd}, 0x60},
    {"cooked 2, cut", SLL2, 19, {8, 0}, CUT, 0, 0, 0, {0}, 0},
    {"PPP, framed", DLT_PPP, 6, {0xff, 3, 0, 0x21, 0x45, 1}, IP, 0, 4, 16, {8, 0}, 0x45},
    {"PPP, bare", DLT_PPP, 4, {0, 0x57, 0x60, 1}, IP, 0, 2, 16, {0x86, 0xdd}, 0x60},
    {"PPP, short protocol", DLT_PPP, 3, {0x21, 0x45, 1}, IP, 0, 1, 16, {8, 0}, 0x45},
    {"PPP, label", DLT_PPP, 8, {2, 0x81, 0, 0, 1, 9, 0x45, 1}, IP, 0, 6, 16, {8, 0}, 0x45},
    {"PPP, IPCP", DLT_PPP, 4, {0x80, 0x21, 1, 1}, PPP, 0x8021, 0, 16, {0, 0}, 1},
    {"PPP, empty", DLT_PPP, 0, {0}, CUT, 0, 0, 0, {0}, 0},
    {"PPP, cut", DLT_PPP, 1, {0}, CUT, 0, 0, 0, {0}, 0},
    {"pppd, framed", DLT_PPP_PPPD, 6, {1, 3, 0, 0x21, 0x45, 1}, IP, 0, 4, 16, {8, 0}, 0x45},
    {"pppd, bare", DLT_PPP_PPPD, 5, {0, 0, 0x21, 0x45, 1}, IP, 0, 3, 16, {8, 0}, 0x45},
    {"pppd, cut", DLT_PPP_PPPD, 0, {0}, CUT, 0, 0, 0, {0}, 0},
    {"PPP on a line", DLT_PPP_SERIAL, 6, {0xff, 3, 0, 0x21, 0x45, 1}, IP, 0, 4, 16, {8, 0}, 0x45},
    {"Cisco HDLC", DLT_C_HDLC, 6, {0x0f, 0, 8, 0, 0x45, 1}, IP, 0, 4, 16, {8, 0}, 0x45},
    {"Cisco HDLC, multicast",
     DLT_C_HDLC,
     6,
     {0x8f, 0, 0x86, 0xdd, 0x60, 1},
     IP,
     0,
     4,
     16,
     {0x86, 0xdd},
     0x60},
    {"Cisco HDLC, SLARP", DLT_C_HDLC, 6, {0x8f, 0, 0x80, 0x35, 7}, OTHER, 0x8035, 0, 16, {0x80, 0x35}, 7},
    {"Cisco HDLC, cut", DLT_C_HDLC, 3, {0x0f, 0, 8}, CUT, 0, 0, 0, {0}, 0},
    {"PPPoE", DLT_PPP_ETHER, 10, {0x11, 0, 0, 7, 0, 4, 0, 0x21, 0x45, 1}, IP, 0, 8, 16, {8, 0}, 0x45},
    {"wireless", DLT_IEEE802_11, 20, {8, 0}, CAPTURE_LINK_UNKNOWN, DLT_IEEE802_11, 0, 0, {0}, 0},
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
        struct capture_link link = capture_link_strip(&frame);
        if (link.end != row->end || (row->end != IP && link.type != row->type))
            fail_msg("%s: end %d, type 0x%x", row->name, (int)link.end, link.type);
        if (link.end != IP)
            continue;
        if (frame.bytes != row->bytes + row->strip)
            fail_msg("%s: %zu octets in front", row->name, (size_t)(frame.bytes - row->bytes));
        assert_int_equal(frame.captured, row->octets - row->strip);
        assert_int_equal(frame.wire_octets, frame.captured + 100);
        assert_int_equal(link.type, frame.captured > 0 && frame.bytes[0] >> 4 == 6 ? 0x86dd : 0x800);
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
        bool stays = row->link_type == DLT_EN10MB && row->ethernet == row->octets;
        assert_int_equal(frame.link_type, DLT_EN10MB);
        assert_ptr_equal(frame.bytes, stays ? row->bytes : made);
        assert_int_equal(frame.wire_octets, frame.captured + 100);
        if (frame.captured >= 14 && memcmp(frame.bytes + 12, row->want_type, 2) != 0)
            fail_msg("%s: another EtherType", row->name);
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
    assert_int_equal(count, 13);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(capture_link_is_known(rows[i].link_type), rows[i].link_type != DLT_IEEE802_11);
}

/* --- tunnels between routers --- */

#define V4(proto) 0x45, 0, 0, 0, 0, 0, 0, 0, 9, proto, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2
#define V6(proto) 0x60, 0, 0, 0, 0, 0, proto, 9, [40] =

static const struct tunnel_row {
    const char *name;
    size_t octets, headers; /* headers 0: it stays as it is */
    uint8_t bytes[80];
} tunnels[] = {
    {"IPv4 in IPv4", 21, 20, {V4(4), 0x45}},
    {"IPv6 in IPv4", 21, 20, {V4(41), 0x60}},
    {"IPv4 in IPv6", 41, 40, {V6(4) 0x45}},
    {"IPv6 in IPv6", 41, 40, {V6(41) 0x60}},
    {"behind the option of the tunnel's depth", 49, 48, {V6(60) 4, 0, [48] = 0x45}},
    {"that option, cut", 45, 0, {V6(60) 4, 0}},
    {"an option beyond the packet", 49, 0, {V6(60) 4, 1}},
    {"the version is not the protocol's", 21, 0, {V4(4), 0x60}},
    {"nothing in it", 20, 0, {V4(4)}},
    {"GRE, IPv4", 25, 24, {V4(47), 0, 0, 8, 0, 0x45}},
    {"GRE, IPv6", 25, 24, {V4(47), 0, 0, 0x86, 0xdd, 0x60}},
    {"GRE with a checksum, a key and a number", 37, 36, {V4(47), 0xb0, 0, 8, 0, [36] = 0x45}},
    {"GRE with a key in IPv6", 49, 48, {V6(47) 0x20, 0, 8, 0, [48] = 0x45}},
    {"GRE, Ethernet, tag", 43, 42, {V4(47), 0, 0, 0x65, 0x58, [36] = 0x81, 0, 0, 1, 8, 0, 0x45}},
    {"GRE, MPLS", 29, 28, {V4(47), 0, 0, 0x88, 0x47, 0, 0, 1, 9, 0x45}},
    {"GRE, cut", 23, 0, {V4(47), 0, 0, 8}},
    {"GRE, its key cut", 27, 0, {V4(47), 0x20, 0, 8, 0}},
    {"GRE of PPTP", 33, 0, {V4(47), 0x30, 1, 0x88, 0x0b}},
    {"GRE with a route", 33, 0, {V4(47), 0x40, 0, 8, 0, [28] = 0x45}},
    {"GRE, no IP", 25, 0, {V4(47), 0, 0, 8, 6, 0}},
    {"GRE, LLC", 29, 0, {V4(47), 0, 0, 0, 5, 0xaa, 0xaa, 3}},
    {"a fragment", 25, 0, {0x45, 0, 0, 0, 0, 0, 0x20, 0, 9, 4, [20] = 0x45}},
    {"options", 29, 24, {0x46, 0, 0, 0, 0, 0, 0x40, 0, 9, 4, [24] = 0x45}},
    {"a header that is too short", 25, 0, {0x44, 0, 0, 0, 0, 0, 0, 0, 9, 4, [16] = 0x45}},
    {"UDP", 25, 0, {V4(17), 0x45}},
    {"VXLAN, Ethernet", 51, 50, {V4(17), 1, 2, 0x12, 0xb5, [28] = 8, [48] = 8, 0, 0x45}},
    {"VXLAN at the port that Linux had, a policy, a tag",
     55,
     54,
     {V4(17), 1, 2, 0x21, 0x18, [28] = 0x88, [48] = 0x81, [52] = 8, 0, 0x45}},
    {"VXLAN without its bit I", 51, 0, {V4(17), 1, 2, 0x12, 0xb5, [28] = 0, [48] = 8, 0, 0x45}},
    {"VXLAN, next protocol Ethernet",
     51,
     50,
     {V4(17), 1, 2, 0x12, 0xb5, [28] = 12, [31] = 3, [48] = 8, 0, 0x45}},
    {"VXLAN, next protocol IPv4", 37, 36, {V4(17), 1, 2, 0x12, 0xb6, [28] = 12, [31] = 1, [36] = 0x45}},
    {"VXLAN, next protocol NSH", 37, 0, {V4(17), 1, 2, 0x12, 0xb6, [28] = 12, [31] = 4, [36] = 0x45}},
    {"VXLAN, ARP", 51, 0, {V4(17), 1, 2, 0x12, 0xb5, [28] = 8, [48] = 8, 6, 0}},
    {"VXLAN, cut", 49, 0, {V4(17), 1, 2, 0x12, 0xb5, [28] = 8, [48] = 8}},
    {"VXLAN, its header cut", 35, 0, {V4(17), 1, 2, 0x12, 0xb5, [28] = 8}},
    {"another port", 51, 0, {V4(17), 0x12, 0xb5, 1, 2, [28] = 8, [48] = 8, 0, 0x45}},
    {"Geneve, Ethernet", 51, 50, {V4(17), 1, 2, 0x17, 0xc1, [30] = 0x65, 0x58, [48] = 8, 0, 0x45}},
    {"Geneve, IPv6, an option", 45, 44, {V4(17), 1, 2, 0x17, 0xc1, [28] = 2, [30] = 0x86, 0xdd, [44] = 0x60}},
    {"Geneve, its options cut", 45, 0, {V4(17), 1, 2, 0x17, 0xc1, [28] = 63, [30] = 8, 0, [36] = 0x45}},
    {"Geneve of another version", 37, 0, {V4(17), 1, 2, 0x17, 0xc1, [28] = 0x40, [30] = 8, 0, [36] = 0x45}},
    {"ERSPAN, type I", 39, 38, {V4(47), 0, 0, 0x88, 0xbe, [36] = 8, 0, 0x45}},
    {"ERSPAN, type II", 51, 50, {V4(47), 0x10, 0, 0x88, 0xbe, [28] = 0x10, [48] = 8, 0, 0x45}},
    {"ERSPAN, type II, cut", 35, 0, {V4(47), 0x10, 0, 0x88, 0xbe, [28] = 0x10}},
    {"ERSPAN, type III", 55, 54, {V4(47), 0x10, 0, 0x22, 0xeb, [28] = 0x20, [52] = 8, 0, 0x45}},
    {"ERSPAN, type III, more",
     63,
     62,
     {V4(47), 0x10, 0, 0x22, 0xeb, [28] = 0x20, [39] = 1, [60] = 8, 0, 0x45}},
    {"ERSPAN, type III, IP", 41, 40, {V4(47), 0x10, 0, 0x22, 0xeb, [28] = 0x20, [38] = 8, [40] = 0x45}},
    {"ERSPAN, type III, cut", 47, 0, {V4(47), 0x10, 0, 0x22, 0xeb, [28] = 0x20, [39] = 1}},
    {"cut in the outer header", 19, 0, {V4(4)}},
    {"no IP at all", 25, 0, {0x05}},
    {"empty", 0, 0, {0}},
};

TEST(open_tunnel)
{
    for (size_t i = 0; i < COUNT(tunnels); i++) {
        const struct tunnel_row *row = &tunnels[i];
        struct capture_frame frame = {
            .bytes = row->bytes, .captured = row->octets, .wire_octets = row->octets + 7};
        bool is_open = capture_link_open_tunnel(&frame).is_open;
        if (is_open != (row->headers > 0) || frame.bytes != row->bytes + row->headers)
            fail_msg("%s: %zu octets in front", row->name, (size_t)(frame.bytes - row->bytes));
        assert_int_equal(frame.captured, row->octets - row->headers);
        assert_int_equal(frame.wire_octets, frame.captured + 7);
    }
}

/* Of one in the other all are opened for Ethernet. */
TEST(tunnels_to_ethernet)
{
    static const uint8_t bytes[] = {V4(4), V4(47), 0, 0, 0x86, 0xdd, 0x60};
    uint8_t made[64];
    struct capture_frame frame = {
        .bytes = bytes, .captured = sizeof(bytes), .wire_octets = sizeof(bytes), .link_type = DLT_RAW};
    capture_link_to_ethernet(&frame, made, sizeof(made));
    assert_int_equal(frame.captured, 15);
    assert_memory_equal(frame.bytes + 12, "\x86\xdd\x60", 3);
}

/* --- lengths --- */

TEST(correct)
{
    static const struct {
        size_t captured, wire, want;
        uint8_t bytes[20];
    } lengths[] = {
        {8, 8, 1500, {0x45, 0, 0x05, 0xdc}},
        {8, 1500, 1500, {0x45, 0, 0x05, 0xdc}},
        {8, 60, 60, {0x45, 0, 0, 40}},
        {3, 3, 3, {0x45, 0, 0x05}},
        {8, 8, 1040, {0x60, 0, 0, 0, 3, 0xe8}},
        {5, 5, 5, {0x60, 0, 0, 0, 3}},
        {20,
         20,
         1500,
         {0x45, 0, 0x05, 0xdc, [10] = 0xb5, 0x23}}, /* the checksum is right, wrong, not there */
        {20, 20, 20, {0x45, 0, 0x05, 0xdc, [10] = 0xb5, 0x24}},
        {20, 20, 1500, {0x45, 0, 0x05, 0xdc}},
        {20, 20, 20, {0x44, 0, 0x05, 0xdc}},
        {8, 8, 8, {0x75, 0, 0x05, 0xdc}},
        {0, 0, 0, {0}},
    };
    for (size_t i = 0; i < COUNT(lengths); i++) {
        struct capture_frame ip = {
            .bytes = lengths[i].bytes, .captured = lengths[i].captured, .wire_octets = lengths[i].wire};
        struct capture_frame frame = {.wire_octets = ip.wire_octets + 14};
        capture_link_correct(&frame, &ip);
        assert_int_equal(frame.wire_octets, lengths[i].want + 14);
    }
}

UNIT_MAIN(NULL, NULL)
