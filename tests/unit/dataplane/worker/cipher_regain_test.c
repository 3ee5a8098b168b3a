/* SPDX-License-Identifier: BSD-3-Clause */
/* Ciphered uplink frames of which more were lost than N(U) can tell. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <string.h>

#define INNER_OCTETS 60

static const uint8_t key[16] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};

static void open_ciphered(struct kit *kit)
{
    struct msg msg = {.type = MSG_MS_CIPHER, .cipher = {.algorithm = 3, .kc_octets = 8}};
    memcpy(msg.cipher.kc, key, msg.cipher.kc_octets);
    kit_open(kit, NULL);
    kit_do(kit, &msg);
}

static void send(struct kit *kit, uint32_t count, bool has_bad_fcs)
{
    uint8_t n_pdu[INNER_OCTETS], frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {
        .nu = count % 512, .octets = INNER_OCTETS, .data = n_pdu, .has_bad_fcs = has_bad_fcs};
    in.cipher = (struct gb_frame_cipher){.is_on = true,
                                         .input = 0x80000000u + KIT_SAPI * 0x08000000u + count / 512 * 512};
    memcpy(in.cipher.key, key, sizeof(key));
    gn_frame_inner(n_pdu, sizeof(n_pdu), (uint16_t)count);
    assert_int_equal(vport_push(&kit->gb, frame, gb_frame_uplink(frame, &in)), 0);
}

static void send_alone(struct kit *kit, uint32_t count)
{
    send(kit, count, false);
    kit_settle(kit);
}

/* Frames that are lost, behind 20 that came; then all come again. */
struct outage_row {
    const char *name;
    uint32_t lost;
    bool is_found; /* within 24 frames, each in a burst of its own */
};

static const struct outage_row outage_rows[] = {
    {"479: N(U) tells", 479, true}, {"480: one turn more", 480, true},
    {"one turn", 512, true},        {"990", 990, true},
    {"three turns", 3 * 512, true}, {"eight turns", 8 * 512 + 440, true},
    {"nine", 9 * 512, false},
};

/* From the frame on that is found all are taken, and those before it are not known any more. */
TEST(outages)
{
    for (size_t i = 0; i < COUNT(outage_rows); i++) {
        const struct outage_row *row = &outage_rows[i];
        struct kit kit;
        open_ciphered(&kit);
        const struct worker_stats *s = &kit.worker->stats;
        for (uint32_t count = 0; count < 20; count++)
            send_alone(&kit, count);
        uint32_t at = 20 + row->lost;
        for (; at < 20 + row->lost + 24 && s->ul_npdu_out == 20; at++)
            send_alone(&kit, at);
        if ((s->ul_npdu_out > 20) != row->is_found ||
            s->ul_oc_recovered != (row->is_found && row->lost >= 480))
            fail_msg("%s: %u tried", row->name, at - 20 - row->lost);
        uint64_t before = s->ul_npdu_out;
        for (uint32_t more = 0; more < 600; more++)
            send_alone(&kit, at + more);
        assert_int_equal(s->ul_npdu_out, before + (row->is_found ? 600 : 0));
        kit_drain(&kit.gn);
        kit_close(&kit);
    }
}

/* One frame of a burst is tried, however many are wrong; those whose FCS was wrong on the air are not taken.
 */
TEST(one_guess_in_a_burst)
{
    struct kit kit;
    open_ciphered(&kit);
    for (uint32_t count = 0; count < 32; count++)
        send(&kit, count, true);
    kit_settle(&kit);
    assert_int_equal(kit.worker->stats.ul_oc_tries, 1);
    assert_int_equal(kit.worker->stats.ul_oc_recovered, 0);
    assert_int_equal(kit.worker->stats.gb_drops[DROP_LLC_DECIPHER], 32);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
