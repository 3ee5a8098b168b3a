/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/near_segment.h"

/* One block or two, behind what was acknowledged; the second octets may make them empty or backward. */
static void add_sacks(struct tcp_header *tcp, struct fuzz_input *in, unsigned count)
{
    tcp->sacks = (uint8_t)count;
    for (unsigned i = 0; i < count; i++) {
        tcp->sack[i].start = tcp->ack + (uint32_t)fuzz_take(in, 2);
        tcp->sack[i].end = tcp->sack[i].start + (uint32_t)(int16_t)fuzz_take(in, 2);
    }
}

/* Ports and numbers of a connection, up to 32767 away from what it expects. */
static void aim(struct tcp_header *tcp, struct fuzz_input *in, const struct tcp *t, uint8_t options)
{
    tcp->src_port = t->address.remote_port;
    tcp->dst_port = t->address.local_port;
    tcp->seq = t->irs + (uint32_t)t->rcv_next + (uint32_t)(int16_t)fuzz_take(in, 2);
    tcp->ack = t->iss + (uint32_t)t->una + (uint32_t)(int16_t)fuzz_take(in, 2);
    if (!(options & 5) && options & 0x80)
        add_sacks(tcp, in, 1 + (options >> 5 & 1));
}

void near_segment_give(struct fuzz_input *in, const struct tcp *t, int64_t now, near_segment_taker *give)
{
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
    struct ip_packet packet = {
        .ip = {.src = NEAR_SEGMENT_FROM, .dst = NEAR_SEGMENT_TO, .proto = IPV4_PROTO_TCP},
        .tcp = {.src_port = 5000, .dst_port = NEAR_SEGMENT_PORT, .flags = (uint8_t)fuzz_take(in, 1)},
    };
    uint8_t options = (uint8_t)fuzz_take(in, 1);
    packet.tcp.window = (uint16_t)fuzz_take(in, 2);
    packet.payload_octets = (uint16_t)(fuzz_take(in, 2) % 1500);
    packet.tcp.has_mss = options & 1;
    packet.tcp.mss = (uint16_t)(options & 0x10 ? 0 : 536);
    packet.tcp.has_timestamps = options & 2;
    packet.tcp.ts_value = (uint32_t)(now / 1000000) + (options >> 5);
    packet.tcp.ts_echo = (uint32_t)(now / 1000000);
    packet.tcp.sack_permitted = options & 4;
    packet.tcp.has_window_scale = options & 8;
    packet.tcp.window_scale = options >> 4;
    if (t)
        aim(&packet.tcp, in, t, options);
    int octets = ip_packet_encode(bytes, sizeof bytes, &packet);
    if (octets > 0)
        give(bytes, (size_t)octets, now);
}

void near_segment_sum(uint8_t *bytes, size_t octets)
{
    struct ipv4 ip;
    int header = ipv4_decode(&ip, bytes, octets);
    if (header < 0)
        return;
    bytes_put_u16(bytes + 10, 0);
    bytes_put_u16(bytes + 10, ipv4_checksum(bytes, (size_t)header));
    uint8_t *transport = bytes + header, pseudo[14] = {[9] = ip.proto};
    size_t at = ip.proto == IPV4_PROTO_TCP ? 16 : ip.proto == IPV4_PROTO_UDP ? 6 : 2;
    if (ip.payload_octets < at + 2)
        return;
    bytes_put_u16(transport + at, 0);
    memcpy(pseudo, bytes + 12, 8);
    bytes_put_u16(pseudo + 10, ip.payload_octets);
    bytes_put_u16(pseudo + 12, (uint16_t)~ipv4_checksum(transport, ip.payload_octets));
    bool is_plain = ip.proto == IP_PACKET_PROTO_ICMP;
    bytes_put_u16(transport + at, is_plain ? ipv4_checksum(transport, ip.payload_octets)
                                           : ipv4_checksum(pseudo, sizeof pseudo));
}

void near_segment_check(const uint8_t *bytes, size_t len)
{
    struct tcp_header in, again;
    uint8_t written[TCP_HEADER_MAX_OCTETS];
    int octets = tcp_header_decode(&in, bytes, len);
    if (octets < 0)
        return;
    FUZZ_CHECK((size_t)octets <= len && in.sacks <= TCP_HEADER_MAX_SACKS && in.window_scale <= 14);
    octets = tcp_header_encode(written, sizeof written, &in);
    FUZZ_CHECK(octets == tcp_header_octets(&in) || octets == ERR_RANGE);
    FUZZ_CHECK(octets < 0 || tcp_header_decode(&again, written, (size_t)octets) == octets);
    FUZZ_CHECK(octets < 0 || (again.sacks == in.sacks && again.mss == in.mss && again.ack == in.ack));
}
