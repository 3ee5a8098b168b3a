/* SPDX-License-Identifier: BSD-3-Clause */
/* Error Indications that come in: which are believed, and what control is told. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <string.h>

#define OTHER_IP   0xc0000207u
#define OTHER_TEID 0x00002003u
#define SGSN_2     0xc0000203u

/* What an Error Indication says, and where from. Zero stands for what is right. */
struct error_row {
    const char *name;
    enum drop reason;
    bool is_told;
    uint32_t src_ip, dst_ip, address, teid;
    uint8_t cut_octets;
};

/* Each on a worker of its own. */
static const struct error_row rows[] = {
    {"ours", DROP_GTPU_ERROR_INDICATION, true, 0, 0, 0, 0, 0},
    {"other source", DROP_GTPU_ERROR_INDICATION, false, OTHER_IP, 0, 0, 0, 0},
    {"other source that names itself", DROP_GTPU_ERROR_INDICATION, false, OTHER_IP, 0, OTHER_IP, 0, 0},
    {"other end named", DROP_GTPU_ERROR_INDICATION, false, 0, 0, OTHER_IP, 0, 0},
    {"other TEID", DROP_GTPU_ERROR_INDICATION, false, 0, 0, 0, OTHER_TEID, 0},
    {"our TEID of it", DROP_GTPU_ERROR_INDICATION, false, 0, 0, 0, KIT_TEID, 0},
    {"to another address of ours", DROP_GTPU_ERROR_INDICATION, false, 0, SGSN_2, 0, 0, 0},
    {"address missing", DROP_GTPU_MALFORMED, false, 0, 0, 0, 0, 7},
    {"address cut", DROP_GTPU_MALFORMED, false, 0, 0, 0, 0, 1},
};

static void put(uint8_t *at, uint32_t value)
{
    for (unsigned i = 4; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
}

static void send_error(struct kit *kit, const struct error_row *row)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    uint8_t gtp[24] = {0x32, 26, 0, (uint8_t)(16 - row->cut_octets), [12] = 16, [17] = 133, 0, 4};
    const uint32_t ip[] = {row->src_ip ? row->src_ip : KIT_GGSN_IP, row->dst_ip ? row->dst_ip : KIT_SGSN_IP};
    put(gtp + 13, row->teid ? row->teid : KIT_GGSN_TEID);
    put(gtp + 20, row->address ? row->address : KIT_GGSN_IP);
    kit_from_gn(kit, frame,
                gn_frame_wrap(frame, ip, (uint16_t[]){2152, 2152}, gtp, sizeof(gtp) - row->cut_octets));
}

/* Takes what control was told; whether it was anything. */
static bool was_told(struct kit *kit)
{
    struct msg msg;
    if (!kit_take_msg(kit, &msg))
        return false;
    assert_int_equal(msg.type, MSG_TUNNEL_ERROR);
    assert_int_equal(msg.tunnel_error.ggsn_ip, KIT_GGSN_IP);
    assert_int_equal(msg.tunnel_error.teid, KIT_GGSN_TEID);
    return true;
}

TEST(believed)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct error_row *row = &rows[i];
        struct kit kit;
        struct msg elsewhere = kit_pdp(1, 0, 6, KIT_TEID);
        elsewhere.pdp.sgsn_ip = SGSN_2;
        elsewhere.pdp.ggsn_teid = OTHER_TEID + 1;
        kit_open(&kit, NULL);
        kit_do(&kit, &elsewhere);
        send_error(&kit, row);
        const struct worker_stats *s = &kit.worker->stats;
        if (s->gn_drops[row->reason] != 1 || s->gn_tunnel_errors != row->is_told ||
            was_told(&kit) != row->is_told)
            fail_msg("%s", row->name);
        assert_false(was_told(&kit));
        assert_int_equal(s->gn_answers_due, 0);
        assert_int_equal(kit_drain(&kit.gn), 0);
        kit_close(&kit);
    }
}

/* Told once for each context in 69 s, however often it comes; a context that takes the tunnel's place counts
 * anew. */
TEST(told_once)
{
    struct kit kit;
    struct msg pdp = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID), newer = kit_pdp(1, 0, 6, KIT_TEID + 1);
    kit_open(&kit, NULL);
    for (unsigned i = 0; i < 3; i++) {
        send_error(&kit, &rows[0]);
        assert_int_equal(was_told(&kit), i == 0);
    }
    kit.now += INT64_C(1) << 36; /* control may have kept it, as the GGSN has it */
    send_error(&kit, &rows[0]);
    assert_true(was_told(&kit));
    kit_do(&kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 0});
    send_error(&kit, &rows[0]);
    assert_false(was_told(&kit));
    kit_do(&kit, &pdp);
    kit_do(&kit, &newer);
    kit_do(&kit, &(struct msg){.type = MSG_PDP_DEL, .slot = 0});
    send_error(&kit, &rows[0]); /* the newer one has this end, too */
    assert_true(was_told(&kit));
    kit_close(&kit);
}

/* No room to tell it: counted, and told the next time. */
TEST(full_ring)
{
    struct kit kit;
    struct msg msg = {.type = MSG_ANSWER};
    kit_open(&kit, NULL);
    while (msg_put(kit.worker->rings.to_control, &msg))
        ;
    send_error(&kit, &rows[0]);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_PUNT_FULL], 1);
    assert_int_equal(kit.worker->stats.gn_tunnel_errors, 0);
    while (kit_take_msg(&kit, &msg))
        ;
    send_error(&kit, &rows[0]);
    assert_true(was_told(&kit));
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
