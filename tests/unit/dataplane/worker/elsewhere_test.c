/* SPDX-License-Identifier: BSD-3-Clause */
/* What a frame from another cell or NSE than the mobile's must be to move it, in clear and ciphered; and what
 * is done with one that does not. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <string.h>

#define OTHER_BVCI   9
#define INNER_OCTETS 60
#define NS_AT        42 /* in a frame of Gb: behind Ethernet, IPv4 and UDP */
#define TLLI_AT      5  /* in an NS PDU with UL-UNITDATA */

static const uint8_t kc[16] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};

enum {
    IOV = 0x1000,
    WRONG_KEY = 1, /* bits of row.cipher */
    CIPHERED = 2
};

enum outcome {
    DROPPED,   /* for row.reason */
    SENT,      /* the N-PDU leaves on Gn */
    FOR_LAYER3 /* control gets the LLC frame */
};

struct row {
    const char *name;
    uint8_t cipher;
    enum outcome outcome;
    enum drop reason;
    bool is_moved; /* control is told of the cell */
    struct gb_frame_uplink frame;
};

static const struct row in_clear[] = {
    {"FCS wrong", 0, DROPPED, DROP_MOVE_FCS, false, {.nu = 0, .octets = INNER_OCTETS, .has_bad_fcs = true}},
    {"XID, FCS wrong", 0, DROPPED, DROP_MOVE_FCS, false, {.control = 0xfb, .has_bad_fcs = true}},
    {"ciphered", CIPHERED, DROPPED, DROP_MOVE_UNCIPHERED, false, {.nu = 0, .octets = INNER_OCTETS}},
    {"N-PDU", 0, SENT, 0, true, {.nu = 10, .octets = INNER_OCTETS}},
    {"the same again", 0, DROPPED, DROP_MOVE_OLD, false, {.nu = 10, .octets = INNER_OCTETS}},
    {"late", 0, SENT, 0, false, {.nu = 9, .octets = INNER_OCTETS}},
    {"XID", 0, FOR_LAYER3, 0, true, {.control = 0xfb}},
    {"NULL", 0, FOR_LAYER3, 0, true, {.control = 0xe0}},
    {"empty UI", 0, FOR_LAYER3, 0, true, {.nu = 11, .is_empty = true}},
};

static const struct row ciphered[] = {
    {"XID", 0, DROPPED, DROP_MOVE_UNCIPHERED, false, {.control = 0xfb}},
    {"NULL", 0, DROPPED, DROP_MOVE_UNCIPHERED, false, {.control = 0xe0}},
    {"SABM", 0, DROPPED, DROP_MOVE_UNCIPHERED, false, {.control = 0xf7}},
    {"N-PDU in clear", 0, DROPPED, DROP_MOVE_UNCIPHERED, false, {.nu = 0, .octets = INNER_OCTETS}},
    {"another key", CIPHERED | WRONG_KEY, DROPPED, DROP_MOVE_FCS, false, {.nu = 0, .octets = INNER_OCTETS}},
    {"FCS wrong", CIPHERED, DROPPED, DROP_MOVE_FCS, false, {.octets = INNER_OCTETS, .has_bad_fcs = true}},
    {"GMM in clear", 0, FOR_LAYER3, 0, false, {.sapi = 1, .nu = 400, .octets = INNER_OCTETS}},
    {"GMM in clear did not count",
     CIPHERED,
     FOR_LAYER3,
     0,
     true,
     {.sapi = 1, .nu = 1, .octets = INNER_OCTETS}},
    {"GMM in clear, seen", 0, DROPPED, DROP_MOVE_OLD, false, {.sapi = 1, .nu = 1, .octets = INNER_OCTETS}},
    {"N-PDU", CIPHERED, SENT, 0, true, {.nu = 10, .octets = INNER_OCTETS}},
    {"recorded, replayed", CIPHERED, DROPPED, DROP_MOVE_OLD, false, {.nu = 10, .octets = INNER_OCTETS}},
    {"kept back, then sent", CIPHERED, SENT, 0, false, {.nu = 9, .octets = INNER_OCTETS}},
    {"empty UI", CIPHERED, FOR_LAYER3, 0, true, {.nu = 100, .is_empty = true}},
    {"older than the window", CIPHERED, DROPPED, DROP_MOVE_FCS, false, {.nu = 11, .octets = INNER_OCTETS}},
};

static struct gb_frame_cipher cipher_of(const struct row *row)
{
    struct gb_frame_cipher cipher = {.is_on = row->cipher & CIPHERED};
    unsigned sapi = row->frame.sapi ? row->frame.sapi : KIT_SAPI;
    memcpy(cipher.key, kc, sizeof(kc));
    cipher.input = IOV ^ (0x80000000u + sapi * 0x08000000u);
    cipher.key[0] ^= row->cipher & WRONG_KEY;
    return cipher;
}

static void open(struct kit *kit, bool is_ciphered)
{
    struct msg cipher = {.type = MSG_MS_CIPHER};
    cipher.cipher = (struct llc_cipher_params){.algorithm = 3, .kc_octets = 8, .iov_ui = IOV};
    memcpy(cipher.cipher.kc, kc, 8);
    kit_open(kit, &(struct kit_options){.no_uplink_filter = true});
    kit_do(kit, &(struct msg){.type = MSG_NSE_ADD, .slot = 1, .nsei = 102});
    if (is_ciphered)
        kit_do(kit, &cipher);
}

/* The frame's NS PDU, as control returns it to the worker that has the mobile. */
static struct msg returned(struct kit *kit, const uint8_t *frame, size_t octets, uint16_t nse)
{
    struct msg msg = {.type = MSG_UPLINK, .slot = 0, .nse = nse, .mbuf = rte_pktmbuf_alloc(kit->rx_pool)};
    assert_non_null(msg.mbuf);
    memcpy(rte_pktmbuf_append(msg.mbuf, (uint16_t)(octets - NS_AT)), frame + NS_AT, octets - NS_AT);
    return msg;
}

/* Which messages came, but for answers; their buffers are freed. */
static void take(struct kit *kit, uint16_t nse, bool *is_told, bool *is_punted)
{
    struct msg msg;
    *is_told = *is_punted = false;
    while (kit_take_msg(kit, &msg)) {
        *is_told |=
            msg.type == MSG_MS_HEARD && msg.heard.bvci == OTHER_BVCI && msg.heard.nse == nse && msg.nse == 0;
        *is_punted |= msg.type == MSG_PUNT_LLC && msg.llc.from.bvci == OTHER_BVCI && msg.llc.from.nse == nse;
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
    }
}

static void play(const struct row *rows, size_t count, bool is_ciphered, uint16_t nse)
{
    struct kit kit;
    uint8_t frame[KIT_FRAME_OCTETS];
    bool is_told, is_punted;
    open(&kit, is_ciphered);
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        struct gb_frame_uplink in = row->frame;
        struct worker_stats before = kit.worker->stats;
        in.bvci = OTHER_BVCI;
        in.cipher = cipher_of(row);
        size_t octets = gb_frame_uplink(frame, &in);
        kit.now += 10 * MOMENT_SECOND;
        if (nse == 0) {
            kit_from_gb(&kit, frame, octets);
        } else {
            struct msg msg = returned(&kit, frame, octets, nse);
            assert_true(msg_put(kit.worker->rings.to_worker, &msg));
            kit_settle(&kit);
        }
        take(&kit, nse, &is_told, &is_punted);
        if (is_told != row->is_moved || is_punted != (row->outcome == FOR_LAYER3) ||
            kit.worker->stats.ul_npdu_out != before.ul_npdu_out + (row->outcome == SENT) ||
            kit.worker->stats.gb_drops[row->reason] !=
                before.gb_drops[row->reason] + (row->outcome == DROPPED))
            fail_msg("%s, from NSE %u: told %d, punted %d", row->name, nse, is_told, is_punted);
        kit_drain(&kit.gn);
    }
    kit_close(&kit);
}

TEST(clear_in_the_nse)
{
    play(in_clear, COUNT(in_clear), false, 0);
}

TEST(clear_in_another)
{
    play(in_clear, COUNT(in_clear), false, 1);
}

TEST(ciphered_in_the_nse)
{
    play(ciphered, COUNT(ciphered), true, 0);
}

TEST(ciphered_in_another)
{
    play(ciphered, COUNT(ciphered), true, 1);
}

/* A frame of another TLLI than the mobile's is nobody's; one that is cut is no frame. Neither is the node's
 * fault. */
TEST(not_its_frame)
{
    struct kit kit;
    uint8_t frame[KIT_FRAME_OCTETS];
    open(&kit, false);
    size_t octets =
        gb_frame_uplink(frame, &(struct gb_frame_uplink){.bvci = OTHER_BVCI, .octets = INNER_OCTETS});
    struct msg cut = returned(&kit, frame, octets - 3, 1);
    assert_int_equal(kit_order(&kit, &cut), 0);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_NS_MALFORMED], 1);
    frame[NS_AT + TLLI_AT] ^= 1;
    struct msg other = returned(&kit, frame, octets, 1);
    assert_int_equal(kit_order(&kit, &other), 0);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_UNKNOWN_TLLI], 1);
    assert_int_equal(kit.worker->stats.ul_npdu_out, 0);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
