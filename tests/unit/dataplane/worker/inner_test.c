/* SPDX-License-Identifier: BSD-3-Clause */
/* N-PDUs that came through a tunnel and are not for its mobile: each reason, and what is next to it. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#define PATCHES 5
#define OTHER   0xc0000207u
#define SGSN_2  0xc0000203u /* Gn, ours too */
#define MOBILE  0x0a0b0002u
#define ANY     KIT_TEID       /* the kit's: nothing known of the mobile's address */
#define V4      (KIT_TEID + 1) /* of MOBILE */
#define V6      (KIT_TEID + 2)
#define ORPHAN  (KIT_TEID + 3) /* GGSN not known */

/* Octets of the frame: outer source, inner version, fragment offset, protocol, destination, port. */
#define SOURCE(ip)                                                                                           \
    {                                                                                                        \
        26, 4, ip                                                                                            \
    }
#define TO(ip)                                                                                               \
    {                                                                                                        \
        66, 4, ip                                                                                            \
    }
#define IPV6                                                                                                 \
    {50, 1, 0x60},                                                                                           \
    {                                                                                                        \
        54, 2, 60                                                                                            \
    }
#define UDP(port)                                                                                            \
    {59, 1, 17}, {56, 2, 0},                                                                                 \
    {                                                                                                        \
        72, 2, port                                                                                          \
    }
#define UDP_PIECE(port)                                                                                      \
    {59, 1, 17}, {56, 2, 1},                                                                                 \
    {                                                                                                        \
        72, 2, port                                                                                          \
    }
#define TCP(port)                                                                                            \
    {59, 1, 6}, {56, 2, 0},                                                                                  \
    {                                                                                                        \
        72, 2, port                                                                                          \
    }

struct inner_row {
    const char *name;
    enum drop reason; /* DROP_NONE: it goes through */
    uint32_t teid;
    struct {
        uint16_t at;
        uint8_t octets;
        uint32_t value;
    } patches[PATCHES];
    uint16_t inner_octets; /* 0: 100 */
};

static const struct inner_row rows[] = {
    {"nothing known", DROP_NONE, ANY, {TO(OTHER)}, 0},
    {"the mobile's", DROP_NONE, V4, {TO(MOBILE)}, 0},
    {"another mobile's", DROP_NPDU_ADDRESS, V4, {TO(MOBILE + 1)}, 0},
    {"broadcast", DROP_NPDU_ADDRESS, V4, {TO(0xffffffff)}, 0},
    {"IPv6 where anything goes", DROP_NONE, ANY, {IPV6}, 0},
    {"IPv6 for IPv4", DROP_NPDU_VERSION, V4, {IPV6}, 0},
    {"IPv4 for IPv6", DROP_NPDU_VERSION, V6, {TO(MOBILE)}, 0},
    {"IPv6 for IPv6", DROP_NONE, V6, {IPV6}, 0},
    {"other GGSN", DROP_OTHER_GGSN, ANY, {SOURCE(OTHER), TO(OTHER)}, 0},
    {"other GGSN, for the mobile", DROP_OTHER_GGSN, V4, {SOURCE(OTHER), TO(MOBILE)}, 0},
    {"from ourselves", DROP_OTHER_GGSN, V4, {SOURCE(KIT_SGSN_IP), TO(MOBILE)}, 0},
    {"any GGSN where none is known", DROP_NONE, ORPHAN, {SOURCE(OTHER), TO(OTHER)}, 0},
    {"GTP-U in GTP-U", DROP_NPDU_GTP, ANY, {TO(KIT_SGSN_IP), UDP(2152)}, 0},
    {"GTP-C in GTP-U", DROP_NPDU_GTP, ANY, {TO(KIT_SGSN_IP), UDP(2123)}, 0},
    {"GTP-U to our other address", DROP_NPDU_GTP, ANY, {TO(SGSN_2), UDP(2152)}, 0},
    {"GTP-U, of a known mobile", DROP_NPDU_GTP, V4, {TO(KIT_SGSN_IP), UDP(2152)}, 0},
    {"GTP-U to somebody else", DROP_NONE, ANY, {TO(OTHER), UDP(2152)}, 0},
    {"GTP-U to the mobile", DROP_NONE, V4, {TO(MOBILE), UDP(2152)}, 0},
    {"other port of ours", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_SGSN_IP), UDP(2151)}, 0},
    {"TCP to ours", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_SGSN_IP), TCP(2152)}, 0},
    {"later fragment to ours", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_SGSN_IP), UDP_PIECE(2152)}, 0},
    {"no room for a port", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_SGSN_IP), {59, 1, 17}, {56, 2, 0}}, 23},
    {"room for ports alone", DROP_NPDU_GTP, ANY, {TO(KIT_SGSN_IP), UDP(2152)}, 24},
    {"Gb address", DROP_NPDU_INFRASTRUCTURE, ANY, {TO(KIT_GB_IP), UDP(2152)}, 0},
    {"the GGSN's address", DROP_NPDU_INFRASTRUCTURE, V4, {TO(KIT_GGSN_IP), UDP(2152)}, 0},
    {"the BSS's address, of no concern here", DROP_NONE, ANY, {TO(KIT_BSS_IP)}, 0},
};

static void order_contexts(struct kit *kit)
{
    struct msg v4 = kit_pdp(1, 0, 6, V4), v6 = kit_pdp(2, 0, 7, V6), orphan = kit_pdp(3, 0, 8, ORPHAN);
    struct msg elsewhere = kit_pdp(4, 0, 9, KIT_TEID);

    v4.pdp.address = MOBILE;
    v4.pdp.ip_version = 4;
    v6.pdp.ip_version = 6;
    orphan.pdp.ggsn_ip = 0;
    elsewhere.pdp.sgsn_ip = SGSN_2;
    kit_do(kit, &v4);
    kit_do(kit, &v6);
    kit_do(kit, &orphan);
    kit_do(kit, &elsewhere);
}

static size_t build(uint8_t *frame, const struct inner_row *row)
{
    struct gn_frame in = {.teid = row->teid, .inner_octets = row->inner_octets ? row->inner_octets : 100};
    size_t octets = gn_frame_build(frame, &in);
    for (unsigned i = 0; i < PATCHES; i++)
        for (unsigned k = 0; k < row->patches[i].octets; k++)
            frame[row->patches[i].at + k] =
                (uint8_t)(row->patches[i].value >> 8 * (row->patches[i].octets - 1 - k));
    gn_frame_sum_ip(frame + GN_FRAME_IP);
    return octets;
}

static void play(struct kit *kit, const struct inner_row *row, enum drop reason)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct worker_stats before = kit->worker->stats;
    const struct worker_stats *after = &kit->worker->stats;
    bool goes = reason == DROP_NONE;

    kit_from_gn(kit, frame, build(frame, row));
    if (after->gn_drops[reason] != before.gn_drops[reason] + !goes || after->npdu_in != before.npdu_in + 1 ||
        after->npdu_out != before.npdu_out + goes)
        fail_msg("%s: not %s", row->name, drop_name(reason));
    kit_drain(&kit->gb);
    assert_int_equal(kit_drain(&kit->gn), 0); /* none of these is answered */
}

TEST(checked)
{
    struct kit kit;
    kit_open(&kit, NULL);
    order_contexts(&kit);
    for (size_t i = 0; i < COUNT(rows); i++)
        play(&kit, &rows[i], rows[i].reason);
    kit_close(&kit);
}

/* Switched off: the source does not matter, and nothing else changes. */
TEST(any_ggsn)
{
    struct kit kit;
    kit_open(&kit, &(struct kit_options){.is_any_ggsn = true});
    order_contexts(&kit);
    for (size_t i = 0; i < COUNT(rows); i++)
        play(&kit, &rows[i], rows[i].reason == DROP_OTHER_GGSN ? DROP_NONE : rows[i].reason);
    kit_close(&kit);
}

/* An address is ours no more once its last tunnel or NS-VC is gone; a refused NS-VC leaves none behind. */
TEST(addresses_come_and_go)
{
    static const struct inner_row to_second = {"second address", DROP_NONE, ANY, {TO(SGSN_2)}, 0};
    static const struct inner_row to_refused = {"refused NS-VC's", DROP_NONE, ANY, {TO(OTHER)}, 0};
    struct kit kit;
    kit_open(&kit, NULL);
    order_contexts(&kit);
    play(&kit, &to_second, DROP_NPDU_INFRASTRUCTURE);
    kit_do(&kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 4});
    play(&kit, &to_second, DROP_NONE);
    struct msg nsvc = kit_nsvc(0);
    nsvc.nsvc.local_ip = OTHER;
    assert_int_equal(kit_order(&kit, &nsvc), -1);
    play(&kit, &to_refused, DROP_NONE);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
