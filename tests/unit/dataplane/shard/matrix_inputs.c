/* SPDX-License-Identifier: BSD-3-Clause */
/* Hostile and odd inputs, each about the victim or of addresses that the node does not know. */
#include "tests/unit/dataplane/shard/matrix.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/rng.h"

#include <string.h>

enum { DATA = 400, GTP_OCTETS = 8, CHANGES = 120, CELL = 1, PIECES = 3 };

#define NO_TEID 0x7fffffffu

/* --- G-PDUs --- */

static size_t g_pdu(struct matrix *m, uint8_t *gtp)
{
    return matrix_g_pdu(m, MATRIX_VICTIM, 0, DATA, gtp);
}

static void put_gtp(struct matrix *m, unsigned worker, const uint8_t *gtp, size_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    matrix_put(m, MATRIX_GN, worker, frame, matrix_wrap_gn(m, false, frame, gtp, octets));
}

/* At either worker. */
static void give_unknown_teid(struct matrix *m)
{
    uint8_t gtp[KIT_FRAME_OCTETS];
    size_t octets = g_pdu(m, gtp);
    for (unsigned i = 0; i < MATRIX_WORKERS; i++) {
        bytes_put_u32(gtp + 4, NO_TEID);
        put_gtp(m, i, gtp, octets);
        bytes_put_u32(gtp + 4, teid_make(i, 3, 40, TEID_SLOT_BITS)); /* a slot that no context has had */
        put_gtp(m, i, gtp, octets);
    }
}

static void give_late(struct matrix *m)
{
    matrix_fill(m);
    assert_int_equal(
        matrix_order(m, &(struct msg){.type = MSG_MS_DEL, .slot = matrix_slot(MATRIX_VICTIM, 0)}), 0);
    for (unsigned k = 0; k < MATRIX_CONTEXTS; k++)
        matrix_down(m, MATRIX_VICTIM, k, DATA);
}

static void give_other_source(struct matrix *m)
{
    uint8_t gtp[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS];
    size_t octets;
    m->mobiles[MATRIX_TAKEN_OVER].seq += DATA; /* it may be sent such ones: not the victim */
    octets = matrix_g_pdu(m, MATRIX_FORWARDED, 0, DATA, gtp);
    matrix_put(m, MATRIX_GN, 0, frame, matrix_wrap_gn(m, true, frame, gtp, octets));
    octets = g_pdu(m, gtp);
    matrix_put(m, MATRIX_GN, 1, frame, matrix_wrap_gn(m, true, frame, gtp, octets));
}

/* Whole, in pieces; then the first piece alone until it is too late. */
static void give_fragments(struct matrix *m)
{
    uint8_t gtp[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS], piece[KIT_FRAME_OCTETS];
    size_t octets = g_pdu(m, gtp), count;
    bool is_ipv6 = matrix_has(m, MATRIX_IPV6_TRANSPORT);
    octets = matrix_protect(m, MATRIX_GN, frame, matrix_wrap_gn(m, false, frame, gtp, octets));
    for (unsigned i = 0; i < PIECES + 1; i++) {
        count = (is_ipv6 ? gn_ipv6_fragment : gn_frame_fragment)(piece, frame, octets, 200, i % PIECES);
        if (is_ipv6)
            piece[GN_IPV6_UDP] = frame[GN_IPV6_IP + 6];
        matrix_put_plain(m, MATRIX_GN, 0, piece, count);
    }
    matrix_wait(m, 6 * MOMENT_SECOND);
}

/* A G-PDU of each length below the right one, its header as it was; then with its own length. */
static void give_short(struct matrix *m)
{
    uint8_t gtp[KIT_FRAME_OCTETS];
    size_t octets = g_pdu(m, gtp);
    for (size_t i = 0; i < 80; i++)
        put_gtp(m, i % MATRIX_WORKERS, gtp, i);
    for (size_t i = GTP_OCTETS; i < 80; i++) {
        bytes_put_u16(gtp + 2, (uint16_t)(i - GTP_OCTETS));
        put_gtp(m, 0, gtp, i);
    }
    bytes_put_u16(gtp + 2, (uint16_t)(octets - GTP_OCTETS));
    gtp[GTP_OCTETS] = 0x15;
    put_gtp(m, 0, gtp, octets);
}

/* Octets of the frame, and of the G-PDU in it, become others. The victim's second TEID is never one of the
 * bystander's. */
static void give_changed(struct matrix *m)
{
    uint8_t gtp[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS];
    struct rng rng;
    rng_init(&rng, 81, m->features);
    for (unsigned i = 0; i < CHANGES; i++) {
        size_t octets = g_pdu(m, gtp), at = rng_u64(&rng) % 80;
        bool is_inside = rng_u64(&rng) % 2;
        if (is_inside && !(at >= 4 && at < 8))
            gtp[at] = (uint8_t)rng_u64(&rng);
        octets = matrix_wrap_gn(m, false, frame, gtp, octets);
        if (!is_inside && at < GN_FRAME_GTP)
            frame[at] = (uint8_t)rng_u64(&rng);
        matrix_put_plain(m, MATRIX_GN, i % MATRIX_WORKERS, frame,
                         matrix_protect(m, MATRIX_GN, frame, octets));
    }
}

/* A type that asks for comprehension. */
static void give_extension(struct matrix *m)
{
    uint8_t gtp[KIT_FRAME_OCTETS], longer[KIT_FRAME_OCTETS];
    size_t octets = g_pdu(m, gtp);
    memcpy(longer, gtp, GTP_OCTETS);
    memcpy(longer + GTP_OCTETS, "\0\0\0\xc1\1\0\0\0", 8);
    memcpy(longer + GTP_OCTETS + 8, gtp + GTP_OCTETS, octets - GTP_OCTETS);
    longer[0] |= 4;
    bytes_put_u16(longer + 2, (uint16_t)octets);
    put_gtp(m, 0, longer, octets + 8);
}

static void put_message(struct matrix *m, uint8_t type, uint32_t teid, const void *rest, size_t octets)
{
    uint8_t gtp[64] = {0x32, type};
    bytes_put_u16(gtp + 2, (uint16_t)(4 + octets));
    bytes_put_u32(gtp + 4, teid);
    memcpy(gtp + 12, rest, octets);
    for (unsigned i = 0; i < MATRIX_WORKERS; i++)
        put_gtp(m, i, gtp, 12 + octets);
}

static void put_error(struct matrix *m, uint32_t teid)
{
    uint8_t ies[24] = {16, 0, 0, 0, 0, 133, 0, 4, 192, 0, 2, 2};
    bool is_ipv6 = matrix_has(m, MATRIX_IPV6_TRANSPORT);
    bytes_put_u32(ies + 1, teid);
    if (is_ipv6) {
        ies[7] = 16;
        memcpy(ies + 8, gn_ipv6_addresses[1], 16);
    }
    put_message(m, 26, 0, ies, is_ipv6 ? 24 : 12);
}

static void give_error_indication(struct matrix *m)
{
    put_error(m, KIT_GGSN_TEID + matrix_pdp_slot(MATRIX_VICTIM, 0, 0));
    put_error(m, NO_TEID);
    assert_true(CLUSTER_SUM(&m->c, gn_tunnel_errors) > 0);
}

static void give_end_marker(struct matrix *m)
{
    put_message(m, 254, m->mobiles[MATRIX_VICTIM].teids[0], "", 0);
    put_message(m, 1, 0, "", 0);
    put_message(m, 2, 0, "\x0e\0", 2);
}

/* --- Gb --- */

static void put_ns(struct matrix *m, const uint8_t *ns, size_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    matrix_put(m, MATRIX_GB, m->mobiles[MATRIX_VICTIM].server, frame, matrix_wrap_gb(m, frame, ns, octets));
}

static void put_up(struct matrix *m, struct gb_frame_uplink in)
{
    uint8_t ns[KIT_FRAME_OCTETS];
    size_t octets = matrix_uplink(m, MATRIX_VICTIM, &in, ns);
    put_ns(m, ns, octets);
}

static void give_short_ns(struct matrix *m)
{
    uint8_t ns[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {.octets = 30};
    size_t octets = matrix_uplink(m, MATRIX_VICTIM, &in, ns);
    for (size_t i = 1; i < octets; i++)
        put_ns(m, ns, i);
}

static void give_changed_ns(struct matrix *m)
{
    struct rng rng;
    rng_init(&rng, 82, m->features);
    for (unsigned i = 0; i < CHANGES; i++) {
        uint8_t ns[KIT_FRAME_OCTETS];
        struct gb_frame_uplink in = {.octets = 60};
        size_t octets = matrix_uplink(m, MATRIX_VICTIM, &in, ns), at = rng_u64(&rng) % octets;
        if (at < 5 || at > 8) /* its TLLI stays */
            ns[at] = (uint8_t)rng_u64(&rng);
        put_ns(m, ns, octets);
    }
}

static void give_bad_llc(struct matrix *m)
{
    put_up(m, (struct gb_frame_uplink){.octets = 40, .has_bad_fcs = true});
    put_up(m, (struct gb_frame_uplink){.octets = 40, .sapi = 15});
    put_up(m, (struct gb_frame_uplink){.octets = 40, .control = 0x13});
}

static void give_unknown_tlli(struct matrix *m)
{
    put_up(m, (struct gb_frame_uplink){.octets = 40, .tlli = 0xdeadbeef});
    put_up(m, (struct gb_frame_uplink){.octets = 40, .bvci = 99});
}

static void give_bad_sndcp(struct matrix *m)
{
    put_up(m, (struct gb_frame_uplink){.octets = 40, .is_empty = true});
    put_up(m, (struct gb_frame_uplink){.octets = 40, .nsapi = 15});
    put_up(m, (struct gb_frame_uplink){.octets = 40, .compression = 0x77});
    put_up(m, (struct gb_frame_uplink){.octets = 40, .compression = 0x11});
    put_up(m, (struct gb_frame_uplink){.octets = 40, .more = true, .number = 9});
    put_up(m, (struct gb_frame_uplink){.octets = 40, .segment = 2, .number = 9});
    matrix_wait(m, 11 * MOMENT_SECOND);
}

/* --- what control orders --- */

static void post(struct matrix *m, const struct msg *msg)
{
    (void)cluster_post(&m->c, 0, msg);
}

/* N-PDUs wait, ACKs are held; in one step the mobile goes, and another has all its slots. */
static void give_reload(struct matrix *m)
{
    matrix_fill(m);
    post(m, &(struct msg){.type = MSG_MS_DEL, .slot = matrix_slot(MATRIX_VICTIM, 0)});
    uint32_t tlli = m->mobiles[MATRIX_VICTIM].tlli;
    matrix_add(m, MATRIX_VICTIM);
    assert_int_equal(m->mobiles[MATRIX_VICTIM].tlli, tlli);
    for (unsigned k = 0; k < MATRIX_CONTEXTS; k++)
        matrix_down(m, MATRIX_VICTIM, k, DATA);
    matrix_flow(m, 1000000, 1000000);
    matrix_wait(m, MOMENT_SECOND);
}

/* The bystander gets the victim's slots of contexts in the step in which the victim's end. */
static void give_slots(struct matrix *m)
{
    matrix_fill(m);
    for (unsigned k = 0; k < MATRIX_CONTEXTS; k++) {
        uint32_t slot = matrix_pdp_slot(MATRIX_VICTIM, k, 0);
        struct msg add = kit_pdp(slot, matrix_slot(MATRIX_BYSTANDER, 0), (uint8_t)(KIT_NSAPI + 4 + k),
                                 teid_make(0, 9, slot, TEID_SLOT_BITS));
        post(m, &(struct msg){.type = MSG_PDP_DEL, .slot = slot});
        post(m, &add);
    }
    matrix_settle(m);
    for (unsigned k = 0; k < MATRIX_CONTEXTS; k++) /* the GGSN says so late that the victim's ended */
        put_error(m, KIT_GGSN_TEID + matrix_pdp_slot(MATRIX_VICTIM, k, 0));
    assert_int_equal(CLUSTER_SUM(&m->c, gn_tunnel_errors), 0);
}

static void go(struct matrix *m, unsigned worker, unsigned steps)
{
    struct msg move = matrix_move(m, MATRIX_VICTIM, worker, CELL);
    post(m, &move);
    for (unsigned i = 0; i < steps; i++) {
        uint8_t gtp[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS];
        size_t octets = matrix_g_pdu(m, MATRIX_VICTIM, i % MATRIX_CONTEXTS, 100, gtp);
        octets = matrix_protect(m, MATRIX_GN, frame, matrix_wrap_gn(m, false, frame, gtp, octets));
        cluster_put_gn(&m->c, 0, frame, octets);
        cluster_step(&m->c, i % MATRIX_WORKERS);
    }
    matrix_settle(m);
    assert_int_equal(cluster_stats(&m->c, 1 - worker)->ul_held, 0); /* of the worker that it left */
    m->mobiles[MATRIX_VICTIM].server = worker;
}

/* There and back, N-PDUs waiting, others coming in each stage. */
static void give_move(struct matrix *m)
{
    matrix_fill(m);
    go(m, 1, 6);
    matrix_up(m, MATRIX_VICTIM, 20);
    go(m, 0, 5);
    go(m, 1, 0);
    matrix_down(m, MATRIX_VICTIM, 0, DATA);
    matrix_flow(m, 1000000, 1000000);
    matrix_wait(m, MOMENT_SECOND);
    assert_true(CLUSTER_SUM(&m->c, npdu_xworker_in) > 0);
}

/* The mobile stays, or has come; what waits beside its queue joins that. */
static void give_end_of_hold(struct matrix *m)
{
    matrix_fill(m);
    assert_int_equal(
        matrix_order(m, &(struct msg){.type = MSG_MS_HOLD, .slot = matrix_slot(MATRIX_VICTIM, 0)}), 0);
    matrix_down(m, MATRIX_VICTIM, 0, DATA);
    matrix_flow(m, 1000000, 1000000);
    matrix_wait(m, MOMENT_SECOND);
}

/* It ends where it is away; what comes late finds nothing. */
static void give_move_and_reload(struct matrix *m)
{
    matrix_fill(m);
    go(m, 1, 6);
    assert_int_equal(
        matrix_order(m, &(struct msg){.type = MSG_MS_DEL, .slot = matrix_slot(MATRIX_VICTIM, 0)}), 0);
    for (unsigned k = 0; k < MATRIX_CONTEXTS; k++)
        matrix_down(m, MATRIX_VICTIM, k, DATA);
}

/* No worker can take it: it stays between them, and ends there. */
static void give_move_nowhere(struct matrix *m)
{
    struct msg move = matrix_move(m, MATRIX_VICTIM, 1, CLUSTER_CELLS);
    matrix_fill(m);
    assert_int_equal(matrix_order(m, &move), -1);
    matrix_down(m, MATRIX_VICTIM, 0, DATA);
    assert_int_equal(
        matrix_order(m, &(struct msg){.type = MSG_MS_DEL, .slot = matrix_slot(MATRIX_VICTIM, 0)}), 0);
}

/* Control begins again: it orders what is there, resets the victim's cell and tells its flow control. */
static void give_restart(struct matrix *m)
{
    matrix_fill(m);
    for (unsigned i = 0; i < MATRIX_WORKERS; i++) {
        const struct msg orders[] = {
            {.type = MSG_NSE_ADD, .nsei = 101 + i},
            kit_nsvc(0),
            {.type = MSG_BVC_ADD, .slot = CELL, .bvc = {.bvci = 2 + CELL}},
            {.type = MSG_BVC_RESET, .slot = CELL},
            {.type = MSG_BVC_STATE, .slot = CELL, .is_unblocked = true},
        };
        for (unsigned k = 0; k < COUNT(orders); k++)
            assert_int_equal(cluster_order(&m->c, i, &orders[k]), k < 3 ? -1 : 0);
    }
    matrix_flow(m, 1000000, 1000000);
    matrix_down(m, MATRIX_VICTIM, 0, DATA);
}

/* What a BSS says of a mobile, between its N-PDUs. */
static void give_acts(struct matrix *m)
{
    static const struct gb_discard discard = {.octets = 500, .bvc = GB_BVC_NONE};
    uint32_t tlli = m->mobiles[MATRIX_VICTIM].tlli;
    const struct msg orders[] = {
        {.type = MSG_MS_SUSPEND, .tlli = tlli, .is_suspended = true},
        {.type = MSG_MS_DISCARDED, .tlli = tlli, .discard = discard},
        {.type = MSG_MS_LOST, .tlli = tlli, .is_lost = true},
        {.type = MSG_MS_SUSPEND, .tlli = tlli},
        {.type = MSG_MS_CELL, .tlli = tlli, .cell = {.bvc = 2}},
        {.type = MSG_MS_CELL, .tlli = tlli, .cell = {.bvc = CELL}},
        {.type = MSG_MS_LOST, .tlli = tlli},
    };
    matrix_fill(m);
    for (unsigned i = 0; i < COUNT(orders); i++) {
        (void)matrix_order(m, &orders[i]);
        matrix_down(m, MATRIX_VICTIM, i % MATRIX_CONTEXTS, DATA);
    }
}

/* --- ESP --- */

static void give_plain(struct matrix *m)
{
    uint8_t gtp[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS], ns[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {.octets = 40};
    size_t octets = g_pdu(m, gtp);
    matrix_put_plain(m, MATRIX_GN, 0, frame, matrix_wrap_gn(m, false, frame, gtp, octets));
    octets = matrix_uplink(m, MATRIX_VICTIM, &in, ns);
    matrix_put_plain(m, MATRIX_GB, 0, frame, matrix_wrap_gb(m, frame, ns, octets));
}

/* Twice the same, then with another octet. */
static void put_again(struct matrix *m, enum matrix_port port, uint8_t *frame, size_t octets)
{
    octets = matrix_protect(m, port, frame, octets);
    for (unsigned i = 0; i < 2; i++)
        matrix_put_plain(m, port, 0, frame, octets);
    frame[octets - 1] ^= 1;
    matrix_put_plain(m, port, 0, frame, octets);
}

static void give_again(struct matrix *m)
{
    uint8_t gtp[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS], ns[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {.octets = 40};
    size_t octets = g_pdu(m, gtp);
    put_again(m, MATRIX_GN, frame, matrix_wrap_gn(m, false, frame, gtp, octets));
    octets = matrix_uplink(m, MATRIX_VICTIM, &in, ns);
    put_again(m, MATRIX_GB, frame, matrix_wrap_gb(m, frame, ns, octets));
}

const struct matrix_input matrix_inputs[] = {
    {"unknown TEID", give_unknown_teid, DROP_UNKNOWN_TEID},
    {"late G-PDU of a mobile that was removed", give_late, DROP_STALE_TEID},
    {"G-PDU of another source", give_other_source, DROP_OTHER_GGSN},
    {"IP fragments", give_fragments, DROP_FRAGMENT_LOST},
    {"G-PDUs of each length", give_short, DROP_GTPU_MALFORMED},
    {"G-PDUs with other octets", give_changed, DROP_NONE},
    {"extension header", give_extension, DROP_GTPU_UNSUPPORTED},
    {"Error Indication", give_error_indication, DROP_GTPU_ERROR_INDICATION},
    {"End Marker and Echo", give_end_marker, DROP_GTPU_END_MARKER},
    {"NS PDUs of each length", give_short_ns, DROP_NS_MALFORMED},
    {"NS PDUs with other octets", give_changed_ns, DROP_NONE},
    {"LLC: FCS, SAPI, format", give_bad_llc, DROP_LLC_FCS},
    {"TLLI and cell that are not known", give_unknown_tlli, DROP_NONE},
    {"SNDCP: NSAPI, entity, segments", give_bad_sndcp, DROP_SNDCP_INCOMPLETE},
    {"reload that removes", give_reload, DROP_CONTEXT_DELETED},
    {"slots that change hands", give_slots, DROP_CONTEXT_DELETED},
    {"moves between workers", give_move, DROP_NONE},
    {"removed while away", give_move_and_reload, DROP_STALE_TEID},
    {"move that fails, then removed", give_move_nowhere, DROP_CONTEXT_DELETED},
    {"end of a hold", give_end_of_hold, DROP_NONE},
    {"restart of control", give_restart, DROP_NONE},
    {"suspended, lost, discarded, other cells", give_acts, DROP_NONE},
    {"plain packets", give_plain, DROP_ESP_MISSING, true},
    {"packets that come again", give_again, DROP_ESP_REPLAY, true},
};
const unsigned matrix_input_count = COUNT(matrix_inputs);
