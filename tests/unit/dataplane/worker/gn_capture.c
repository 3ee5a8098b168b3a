/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes one frame of each kind that the worker sends on Gn into a capture, for another program to judge:
 * gn_capture FILE. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include <stdio.h>
#include <string.h>

#define TEID 0x00003001u

static const char *path;

static void write_header(FILE *file)
{
    const uint32_t header[] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1};
    assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
}

static void write_frames(struct kit *kit, FILE *file, unsigned count)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    for (unsigned i = 0; i < count; i++) {
        uint32_t octets = (uint32_t)kit_take_gn(kit, frame);
        const uint32_t header[] = {0, 0, octets, octets};
        assert_true(octets > 0);
        assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
        assert_int_equal(fwrite(frame, octets, 1, file), 1);
    }
    assert_int_equal(kit_drain(&kit->gn), 0);
}

/* Hands the worker a GTP-U message over either IP. */
static void ask(struct kit *kit, bool is_ipv6, uint16_t port, const uint8_t *gtp, size_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint8_t *const ip[] = {gn_ipv6_addresses[1], gn_ipv6_addresses[0]};
    const uint16_t ports[] = {port, 2152};
    size_t whole = is_ipv6 ? gn_ipv6_wrap(frame, ip, ports, gtp, octets)
                           : gn_frame_wrap(frame, (uint32_t[]){KIT_GGSN_IP, KIT_SGSN_IP}, ports, gtp, octets);
    kit_from_gn(kit, frame, whole);
}

static void answers(struct kit *kit, FILE *file, bool is_ipv6)
{
    static const uint8_t echo[12] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0xab, 0xcd};
    static const uint8_t stray[48] = {0x30, 255, 0, 40, 0, 0, 0x77, 1, 0x45};
    static const uint8_t extended[32] = {0x34, 255, 0, 24, 0, 0, 0x77, 1, [11] = 0x81, 1};
    ask(kit, is_ipv6, 2152, echo, sizeof(echo));
    ask(kit, is_ipv6, 2152, stray, sizeof(stray));
    ask(kit, is_ipv6, 0x1234, stray, sizeof(stray));
    ask(kit, is_ipv6, 2152, extended, sizeof(extended));
    write_frames(kit, file, 4);
}

static void echo_request(struct kit *kit, FILE *file, bool is_ipv6)
{
    struct msg msg = {.type = MSG_GN_ECHO,
                      .path = ROW(.ours = is_ipv6 ? GN_IPV6_SGSN : KIT_SGSN_IP,
                                  .theirs = is_ipv6 ? GN_IPV6_GGSN : KIT_GGSN_IP, .seq = 0xfffe,
                                  .is_to_send = true)};
    kit_do(kit, &msg);
    write_frames(kit, file, 1);
}

static void g_pdu(struct kit *kit, FILE *file, bool is_ipv6, uint16_t octets, uint16_t nu)
{
    uint8_t n_pdu[1503], frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {
        .nsapi = is_ipv6 ? 6 : KIT_NSAPI, .nu = nu, .number = nu, .octets = octets, .data = n_pdu};
    gn_frame_inner(n_pdu, octets, nu);
    memset(n_pdu + 6, 0, 2);
    n_pdu[9] = 253; /* a protocol that nobody dissects */
    gn_frame_sum_ip(n_pdu);
    uint64_t pieces = kit->worker->stats.gn_fragments;
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
    pieces = kit->worker->stats.gn_fragments - pieces;
    write_frames(kit, file, pieces > 0 ? (unsigned)pieces : 1);
}

TEST(all_kinds)
{
    struct kit kit;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    write_header(file);
    kit_open(&kit, &(struct kit_options){.gn_mtu_octets = 600});
    gn_ipv6_order(&kit, TEID);
    for (unsigned is_ipv6 = 0; is_ipv6 < 2; is_ipv6++) {
        answers(&kit, file, is_ipv6);
        echo_request(&kit, file, is_ipv6);
        g_pdu(&kit, file, is_ipv6, 61, (uint16_t)(2 * is_ipv6));
        g_pdu(&kit, file, is_ipv6, 1503, (uint16_t)(2 * is_ipv6 + 1));
    }
    kit_close(&kit);
    assert_int_equal(fclose(file), 0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    path = argv[1];
    return UNIT_RUN(kit_start, NULL);
}
