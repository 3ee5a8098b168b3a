/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_header.h"

#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint8_t payload[] = "an odd number of octets, so that the last one is padded.";

#define ADDRESSES .src = 0x0a2d0001, .dst = 0x0a2e0001, .id = 0xfffe

static const struct {
    struct ip_packet packet;
    int octets;
} rows[] = {
    ROW(ROW(.ip = {ADDRESSES, .proto = IPV4_PROTO_TCP, .dont_fragment = true},
            .tcp = {.src_port = 50000,
                    .dst_port = 80,
                    .seq = 1,
                    .flags = TCP_SYN,
                    .has_mss = true,
                    .mss = 1460,
                    .sack_permitted = true,
                    .has_timestamps = true,
                    .ts_value = 1,
                    .has_window_scale = true}),
        64),
    {ROW(.ip = {ADDRESSES, .proto = IPV4_PROTO_TCP, .tos = 0xb8},
         .tcp = {.src_port = 50000, .dst_port = 80, .seq = 2, .ack = 9, .flags = TCP_ACK, .window = 100},
         .payload = payload, .payload_octets = 55),
     95},
    ROW(ROW(.ip = {ADDRESSES, .proto = IPV4_PROTO_TCP}, .tcp = {.src_port = 50000,
                                                                .dst_port = 80,
                                                                .seq = 57,
                                                                .ack = 9,
                                                                .flags = TCP_ACK,
                                                                .has_timestamps = true,
                                                                .ts_value = 5,
                                                                .ts_echo = 4,
                                                                .sacks = 3,
                                                                .sack = {{20, 30}, {40, 50}, {60, 70}}}),
        80),
    {ROW(.ip = {ADDRESSES, .proto = IPV4_PROTO_UDP, .ttl = 7}, .udp = {.src_port = 9, .dst_port = 5004},
         .payload = payload, .payload_octets = 41),
     69},
    {{.ip = {ADDRESSES, .proto = IPV4_PROTO_UDP}, .udp = {.src_port = 9, .dst_port = 5004}}, 28},
    {ROW(.ip = {ADDRESSES, .proto = IP_PACKET_PROTO_ICMP}, .echo = {.id = 77, .seq = 65535},
         .payload_octets = 36),
     64},
    {ROW(.ip = {ADDRESSES, .proto = IP_PACKET_PROTO_ICMP}, .echo = {.is_reply = true, .id = 77, .seq = 1},
         .payload = payload, .payload_octets = 3),
     31},
};

TEST(round_trip)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ip_packet *in = &rows[i].packet;
        uint8_t bytes[IP_PACKET_MAX_OCTETS] = {0}, zeros[IP_PACKET_MAX_OCTETS] = {0};
        struct ip_packet out;
        assert_int_equal(ip_packet_encode(bytes, sizeof(bytes), in), rows[i].octets);
        /* padding behind it, as a short Ethernet frame has it */
        assert_int_equal(ip_packet_decode(&out, bytes, sizeof(bytes)), rows[i].octets);
        assert_int_equal(out.ip.src, in->ip.src);
        assert_int_equal(out.ip.dst, in->ip.dst);
        assert_int_equal(out.ip.id, in->ip.id);
        assert_int_equal(out.ip.tos, in->ip.tos);
        assert_int_equal(out.ip.ttl, in->ip.ttl ? in->ip.ttl : IP_PACKET_TTL);
        assert_int_equal(out.ip.dont_fragment, in->ip.dont_fragment);
        assert_memory_equal(&out.echo, &in->echo, sizeof(out.echo));
        assert_int_equal(out.udp.dst_port, in->udp.dst_port);
        out.tcp.checksum = 0;
        assert_memory_equal(&out.tcp, &in->tcp, sizeof(out.tcp));
        assert_int_equal(out.payload_octets, in->payload_octets);
        assert_memory_equal(out.payload, in->payload ? in->payload : zeros, in->payload_octets);
    }
}

/* Any single octet that changes is found out, but for a checksum of UDP that becomes "none". */
TEST(every_octet_is_covered)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[IP_PACKET_MAX_OCTETS];
        struct ip_packet out;
        int octets = ip_packet_encode(bytes, sizeof(bytes), &rows[i].packet);
        for (int at = 0; at < octets; at++) {
            bytes[at] ^= 0x55;
            if (ip_packet_decode(&out, bytes, (size_t)octets) >= 0)
                fail_msg("packet %zu, octet %d", i, at);
            bytes[at] ^= 0x55;
        }
        for (int len = 0; len < octets; len++)
            assert_true(ip_packet_decode(&out, bytes, (size_t)len) < 0);
    }
}

TEST(what_is_refused)
{
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
    struct ip_packet packet = rows[3].packet, out;
    for (size_t cap = 0; cap < 69; cap++)
        assert_int_equal(ip_packet_encode(bytes, cap, &packet), ERR_NO_SPACE);
    packet.ip.proto = 132;
    assert_int_equal(ip_packet_encode(bytes, sizeof(bytes), &packet), ERR_UNSUPPORTED);
    packet = rows[5].packet;
    packet.payload_octets = 65535;
    assert_int_equal(ip_packet_encode(bytes, sizeof(bytes), &packet), ERR_RANGE);
    int octets = ip_packet_encode(bytes, sizeof(bytes), &rows[5].packet);
    bytes[20] = 13; /* timestamp request */
    assert_int_equal(ip_packet_decode(&out, bytes, (size_t)octets), ERR_UNSUPPORTED);
    ip_packet_encode(bytes, sizeof(bytes), &rows[5].packet);
    struct ipv4 fragment = {ADDRESSES, .proto = IP_PACKET_PROTO_ICMP, .more_fragments = true,
                            .payload_octets = 44};
    ipv4_encode(bytes, sizeof(bytes), &fragment);
    assert_int_equal(ip_packet_decode(&out, bytes, (size_t)octets), ERR_UNSUPPORTED);
}

/* RFC 768: no checksum is no error. */
TEST(udp_without_checksum)
{
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
    struct ip_packet out;
    int octets = ip_packet_encode(bytes, sizeof(bytes), &rows[3].packet);
    bytes_put_u16(bytes + IPV4_OCTETS + 6, 0);
    assert_int_equal(ip_packet_decode(&out, bytes, (size_t)octets), octets);
}

static int decode(const uint8_t *bytes, size_t len)
{
    struct ip_packet out;
    return ip_packet_decode(&out, bytes, len);
}

TEST(noise)
{
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
    probe_noise(decode, 3);
    for (size_t i = 0; i < COUNT(rows); i++) {
        int octets = ip_packet_encode(bytes, sizeof(bytes), &rows[i].packet);
        probe_mutations(decode, bytes, (size_t)octets, i + 1);
    }
}

static void put_le32(FILE *file, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        fputc((int)(value >> 8 * i & 0xff), file);
}

/* Classic pcap of raw IPv4 packets. */
static void write_pcap(FILE *file)
{
    static const uint32_t head[] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, 228};
    for (size_t i = 0; i < COUNT(head); i++)
        put_le32(file, head[i]);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[IP_PACKET_MAX_OCTETS];
        int octets = ip_packet_encode(bytes, sizeof(bytes), &rows[i].packet);
        put_le32(file, (uint32_t)i);
        put_le32(file, 0);
        put_le32(file, (uint32_t)octets);
        put_le32(file, (uint32_t)octets);
        fwrite(bytes, 1, (size_t)octets, file);
    }
    assert_int_equal(fclose(file), 0);
}

/* Lines that tshark prints for packets that the filter lets through. */
static int count_by_tshark(const char *path, const char *filter)
{
    char command[512], line[1024];
    int count = 0;
    snprintf(command, sizeof(command),
             "tshark -r %s -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE "
             "-Y '%s' "
             "2>/dev/null",
             path, filter);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof(line), pipe))
        count++;
    assert_int_equal(pclose(pipe), 0);
    return count;
}

TEST(tshark_agrees)
{
    const char *ci = getenv("CI");
    char path[] = "/tmp/ip_packet_test_XXXXXX";
    if (system("tshark -v >/dev/null 2>&1") != 0) {
        if (ci && strcmp(ci, "true") == 0)
            fail_msg("tshark is missing");
        print_message("skipped: tshark is missing\n");
        skip();
    }
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    write_pcap(fdopen(fd, "wb"));
    assert_int_equal(count_by_tshark(path, "ip"), COUNT(rows));
    assert_int_equal(count_by_tshark(path, "ip.checksum.status == 1 && (tcp.checksum.status == 1 || "
                                           "udp.checksum.status == 1 || icmp.checksum.status == 1)"),
                     COUNT(rows));
    assert_int_equal(count_by_tshark(path, "_ws.malformed"), 0);
    assert_int_equal(count_by_tshark(path, "tcp.options.sack.count == 3 && tcp.options.timestamp.tsval == 5"),
                     1);
    assert_int_equal(count_by_tshark(path, "tcp.options.mss_val == 1460 && tcp.options.sack_perm"), 1);
    assert_int_equal(count_by_tshark(path, "icmp.type == 8 && icmp.seq == 65535 && icmp.ident == 77"), 1);
    unlink(path);
}

UNIT_MAIN(NULL, NULL)
