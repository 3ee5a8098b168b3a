/* SPDX-License-Identifier: BSD-3-Clause */
/* First frames of phones: what the worker is told, in order. */
#include "tests/unit/control/core/intent_rig.h"
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/core_gb.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_records.h"
#include "control/sessions/sessions_gtpc.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"

#include <string.h>

#define CONFIG  "tests/unit/control/sessions/phones_node.lua"
#define BUFFERS 63
#define TLLI    0x78000001
#define BVCI    1800

struct rig {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct rte_mempool *pool;
    struct core core;
    struct sessions sessions;
    struct ms_params made; /* of the last MSG_MS_ADD */
};

static void drain(struct rig *rig)
{
    struct msg msg;
    while (msg_take(rig->rings.to_worker, &msg))
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
}

static void open(struct rig *rig)
{
    struct msg_rings *rings = &rig->rings;
    *rig = (struct rig){.L = lua_host_new(lua_modules)};
    assert_true(lua_config_load_node(rig->L, CONFIG, &rig->config));
    rig->config.live.is_on = true;
    assert_true(msg_rings_new(&rig->rings, "rig", 64));
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    assert_true(core_init(&rig->core, rig->L, &rig->config, &rings, rig->pool));
    assert_true(sessions_new(&rig->sessions, &rig->core));
    core_start(&rig->core, 0);
    core_tell(&rig->core, llc_cell_open, LUA_ARG(core_gb_llc_place(101, BVCI)));
    drain(rig);
}

static void close(struct rig *rig)
{
    sessions_free(&rig->sessions);
    core_fini(&rig->core);
    drain(rig);
    msg_rings_free(&rig->rings);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
}

/* ATTACH REQUEST with an IMSI. */
static const uint8_t attach[] = {0x08, 0x01, 0x02, 0xe5, 0xe0, 0x71, 0x0a, 0x00, 0x08, 0x29, 0x26, 0x24, 0x00,
                                 0x00, 0x00, 0x00, 0x10, 0x00, 0xf1, 0x10, 0xff, 0xfe, 0x00, 0x19, 0x18, 0xb3,
                                 0x43, 0x2b, 0x25, 0x96, 0x62, 0x00, 0x60, 0x80, 0x9a, 0xc2, 0xc6, 0x62, 0x00,
                                 0x60, 0x80, 0xba, 0xc8, 0xc6, 0x62, 0x00, 0x60, 0x80, 0x00};

/* A worker knows no mobile of the TLLI of an ATTACH REQUEST, or of so many octets of it, with this N(U). */
static void hear_part(struct rig *rig, uint16_t nu, size_t octets)
{
    static const uint8_t cell_id[] = {0x62, 0xf2, 0x24, 0x12, 0x34, 5, 0, 1};
    const struct llc llc = {.format = LLC_UI, .sapi = LLC_SAPI_GMM, .nu = nu, .pm = true};
    const struct bssgp_ul ul = {
        .tlli = TLLI, .cell_id = cell_id, .llc_octets = (uint32_t)(LLC_UI_OCTETS + octets + LLC_FCS_OCTETS)};
    struct msg msg = {
        .type = MSG_UNKNOWN_TLLI, .tlli = TLLI, .heard.bvci = BVCI, .mbuf = rte_pktmbuf_alloc(rig->pool)};
    uint8_t *bytes = rte_pktmbuf_mtod(msg.mbuf, uint8_t *), *at = bytes + ns_unitdata_header_put(bytes, BVCI);
    at += bssgp_ul_unitdata_encode_header(at, 128, &ul);
    uint8_t *pdu = at;
    at += llc_ui_encode(at, LLC_UI_OCTETS, &llc);
    memcpy(at, attach, octets);
    at += octets;
    llc_fcs_put(at, llc_fcs(pdu, (size_t)(at - pdu)));
    at += LLC_FCS_OCTETS;
    rte_pktmbuf_append(msg.mbuf, (uint16_t)(at - bytes));
    assert_true(sessions_phones_admit(&rig->sessions, &msg));
}

static void hear(struct rig *rig, uint16_t nu)
{
    hear_part(rig, nu, sizeof(attach));
}

/* The place of the first order of a type among those of a worker; -1: none. */
static int place_of(const uint16_t *types, int count, uint16_t type)
{
    for (int i = 0; i < count; i++)
        if (types[i] == type)
            return i;
    return -1;
}

/* Types of the orders that wait for a worker, at most `most`. */
static int take_types(struct rig *rig, uint16_t *types, int most)
{
    int count = 0;
    struct msg msg;
    for (; count < most && msg_take(rig->rings.to_worker, &msg); types[count++] = msg.type) {
        if (msg.type == MSG_MS_ADD)
            rig->made = msg.ms;
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
    }
    return count;
}

static int send_some(struct rig *rig, uint16_t *types, int most)
{
    struct core_intent intent = {.msg = {.type = MSG_LLC_UI},
                                 .octets = {(const char *)attach, sizeof(attach)}};
    sessions_phones_send(&rig->sessions, &intent);
    return take_types(rig, types, most);
}

/* The frame that brought the phone does not go to its worker, which gets the N(U) with the mobile. What the
 * worker expects begins again with the answer to XID Reset, which goes before the first frame to the phone,
 * once. A phone that begins with N(U) = 0 is not told to reset. */
static void check_first(struct rig *rig, uint16_t nu)
{
    uint16_t types[16];
    hear(rig, nu);
    int count = take_types(rig, types, 16);
    int made = place_of(types, count, MSG_MS_ADD);
    assert_in_range(made, 0, count);
    assert_int_equal(place_of(types, count, MSG_UPLINK), -1);
    assert_int_equal(rig->made.first_sapi, LLC_SAPI_GMM);
    assert_int_equal(rig->made.first_nu, nu);
    for (unsigned i = 0; i < MS_SAPIS; i++)
        assert_int_equal(rig->made.first_down[i] >= 2 * LLC_ENTITY_WINDOW, nu != 0);
    assert_int_equal(place_of(types, count, MSG_LLC_FRAME), -1);
    count = send_some(rig, types, 16);
    int await = place_of(types, count, MSG_MS_LLC_AWAIT), reset = place_of(types, count, MSG_LLC_FRAME),
        ui = place_of(types, count, MSG_LLC_UI);
    if (nu == 0) {
        assert_int_equal(await, -1);
        assert_int_equal(reset, -1);
    } else {
        assert_in_range(await, 0, count);
        assert_in_range(reset, await + 1, count);
    }
    assert_in_range(ui, reset + 1, count);
    count = send_some(rig, types, 16);
    assert_int_equal(place_of(types, count, MSG_LLC_FRAME), -1);
    assert_in_range(place_of(types, count, MSG_LLC_UI), 0, count);
}

TEST_IN(begins, struct rig, rig, open(rig), close(rig))
{
    check_first(rig, 0);
}

TEST_IN(has_begun, struct rig, rig, open(rig), close(rig))
{
    check_first(rig, 7);
}

/* A cut ATTACH REQUEST with this N(U), which is refused at once: whether the phone is told to reset. Then
 * V(U) is another one each time. The worker's answer to its end: one frame was received, two were sent. */
static bool is_reset_refused(struct rig *rig, uint16_t nu, bool is_kept)
{
    uint16_t types[16], before = rig->made.first_down[0];
    struct msg answer = {.type = MSG_ANSWER, .answer = {.type = MSG_MS_DEL}};
    hear_part(rig, nu, 4);
    int count = take_types(rig, types, 16);
    bool is_reset = place_of(types, count, MSG_LLC_FRAME) >= 0;
    assert_in_range(place_of(types, count, MSG_LLC_UI), 1, count);
    assert_in_range(place_of(types, count, MSG_MS_DEL), 1, count);
    assert_true(!is_reset || rig->made.first_down[0] != before);
    answer.answer.gone =
        (struct msg_gone){.tlli = TLLI, .is_kept = is_kept, .numbers = {.down = {2}, .up = {1}}};
    assert_true(msg_put(rig->rings.to_control, &answer));
    core_step(&rig->core, rig->core.now);
    return is_reset;
}

/* A refused phone still works, and so does the node. One that the node had told to reset, and that has
 * not answered, is told again, as is one that does not go on. */
TEST_IN(asks_again, struct rig, rig, open(rig), close(rig))
{
    sessions_core_join(&rig->sessions);
    assert_false(is_reset_refused(rig, 0, true));
    assert_int_equal(rig->made.first_down[0], 0);
    assert_false(is_reset_refused(rig, 1, false));
    assert_int_equal(rig->made.first_down[0], 2);
    assert_true(is_reset_refused(rig, 1, true));
    assert_true(is_reset_refused(rig, 400, false));
    assert_int_equal(rig->sessions.gone.resumed, 1);
}

/* What a phone sends beside messages may leave more in its LLC than numbers, but for its answer to Reset. */
TEST_IN(more_than_numbers, struct rig, rig, open(rig), close(rig))
{
    static const struct {
        uint8_t octets[2];
        bool is_more;
    } rows[] = {{{0x01, 0xe0}, false}, {{0x41, 0xfb}, false}, {{0x01, 0xfb}, true}};
    hear(rig, 0);
    drain(rig);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct msg punt = {.type = MSG_PUNT_LLC, .mbuf = rte_pktmbuf_alloc(rig->pool)};
        memcpy(rte_pktmbuf_append(punt.mbuf, 2), rows[i].octets, 2);
        assert_false(sessions_phones_punt(&rig->sessions, &punt));
        rte_pktmbuf_free(punt.mbuf);
        assert_int_equal(rig->sessions.mobiles[0].has_more_llc, rows[i].is_more);
    }
}

/* A phone with these numbers has gone, and its worker says that its LLC has no other state. */
static void note_gone(struct rig *rig, uint16_t up)
{
    const struct msg_gone told = {.tlli = TLLI, .is_kept = true, .numbers = {.down = {2}, .up = {up}}};
    gone_note(&rig->sessions.gone, &told);
}

/* Only the numbers of a phone that owes no Reset, and has no more in its LLC, are kept at its end. */
TEST_IN(kept_at_its_end, struct rig, rig, open(rig), close(rig))
{
    static const struct {
        uint16_t nu;
        uint8_t command; /* of the phone */
        bool is_kept;
    } rows[] = {{0, 0xe0, true}, {7, 0xe0, false}, {0, 0xfb, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint16_t down[MS_SAPIS];
        const struct gone_frame next = {TLLI, LLC_SAPI_GMM, 1};
        struct msg punt = {.type = MSG_PUNT_LLC, .mbuf = rte_pktmbuf_alloc(rig->pool)};
        const uint8_t octets[] = {0x01, rows[i].command};
        hear(rig, rows[i].nu);
        memcpy(rte_pktmbuf_append(punt.mbuf, sizeof(octets)), octets, sizeof(octets));
        assert_false(sessions_phones_punt(&rig->sessions, &punt));
        rte_pktmbuf_free(punt.mbuf);
        sessions_phones_drop(&rig->sessions, 0);
        drain(rig);
        note_gone(rig, 1);
        if (gone_resume(&rig->sessions.gone, &next, down, 0) != rows[i].is_kept)
            fail_msg("row %zu: not %d", i, rows[i].is_kept);
    }
}

/* A phone keeps its numbers, or is told to reset. What is expected of it begins again then, if its N(U) is
 * far from 0. */
TEST_IN(goes_on_far, struct rig, rig, open(rig), close(rig))
{
    static const struct {
        uint16_t up, nu; /* the N(U) that is next, and that comes */
        bool goes_on, begins_again;
    } rows[] = {{300, 300, true, false}, {100, 300, false, true}, {100, 7, false, false}};
    sessions_core_join(&rig->sessions);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint16_t types[16];
        gone_add(&rig->sessions.gone, TLLI, 0);
        note_gone(rig, rows[i].up);
        hear(rig, rows[i].nu);
        int count = take_types(rig, types, 16);
        assert_int_equal(rig->made.first_down[0] == 2, rows[i].goes_on);
        assert_in_range(place_of(types, count, MSG_LLC_UI), 0, count);
        assert_int_equal(place_of(types, count, MSG_LLC_FRAME) < 0, rows[i].goes_on);
        assert_int_equal(place_of(types, count, MSG_MS_LLC_RESET) >= 0, rows[i].begins_again);
        sessions_phones_drop(&rig->sessions, 0);
        drain(rig);
    }
}

/* A context that is up may have compression proposed before the phone's first message is answered: Reset,
 * which ends what was agreed on, goes before that, too. */
TEST_IN(context_first, struct rig, rig, open(rig), close(rig))
{
    uint16_t types[16];
    const struct session session = {.mobile = 0, .nsapi = 5, .sapi = 3, .ip_version = 4};
    hear(rig, 7);
    take_types(rig, types, 16);
    sessions_tell_llc(&rig->sessions, &session, false);
    int count = take_types(rig, types, 16), await = place_of(types, count, MSG_MS_LLC_AWAIT);
    assert_in_range(await, 0, count);
    assert_int_equal(place_of(types, count, MSG_LLC_FRAME), await + 1);
    count = send_some(rig, types, 16);
    assert_int_equal(place_of(types, count, MSG_LLC_FRAME), -1);
}

/* Who has attached is not suspended any more. Its BSS has a bucket of a TLLI that it keeps, and none of a new
 * one, by which control calls it from then on. */
TEST_IN(called_anew, struct rig, rig, open(rig), close(rig))
{
    uint16_t types[16];
    struct core_intent known = {.imsi = "262420000000001"},
                       named = {.msg = {.type = MSG_MS_TLLI, .assigned.tlli = TLLI + 1}};
    hear(rig, 0);
    take_types(rig, types, 16);
    sessions_phones_imsi(&rig->sessions, &known);
    int count = take_types(rig, types, 16);
    assert_in_range(place_of(types, count, MSG_MS_SUSPEND), 0, count);
    assert_int_equal(place_of(types, count, MSG_MS_DEFAULTS), -1);
    sessions_phones_tlli(&rig->sessions, &named);
    count = take_types(rig, types, 16);
    int renamed = place_of(types, count, MSG_MS_TLLI), defaults = place_of(types, count, MSG_MS_DEFAULTS);
    assert_in_range(renamed, 0, count);
    assert_in_range(defaults, renamed + 1, count);
    assert_in_range(place_of(types, count, MSG_MS_SUSPEND), defaults + 1, count);
    assert_int_equal(mobility_tlli(&rig->core.mobility, 0), TLLI + 1);
    sessions_phones_tlli(&rig->sessions, &named); /* it has it */
    count = take_types(rig, types, 16);
    assert_int_equal(place_of(types, count, MSG_MS_DEFAULTS), -1);
}

/* The offer that the Gb control plane keeps over a restart, for the mobile of slot 0. */
static bool has_offer(const struct rig *rig)
{
    const struct lua_record *record;
    TAILQ_FOREACH(record, &rig->core.restart.records.list, all)
    if (strcmp(record->key, "offer/0") == 0)
        return true;
    return false;
}

/* BSSs name a phone by the TLLI of ACCEPT, too, until it has that alone, or it is withdrawn. */
TEST_IN(offered, struct rig, rig, open(rig), close(rig))
{
    struct core_intent known = {.imsi = "262420000000001"};
    hear(rig, 0);
    drain(rig);
    for (unsigned i = 0; i < 2; i++) {
        struct core_intent offer = {
            .msg = {.type = MSG_MS_TLLI, .assigned = {.tlli = TLLI + 1 + i, .keeps_old = true}}};
        struct core_intent end = {.msg = {.type = MSG_MS_TLLI, .assigned.tlli = TLLI + 1}};
        sessions_phones_tlli(&rig->sessions, &offer);
        assert_true(has_offer(rig));
        sessions_phones_imsi(&rig->sessions, &known); /* its own TLLI: the offer stays */
        assert_true(has_offer(rig));
        sessions_phones_tlli(&rig->sessions, &end);
        assert_false(has_offer(rig));
        assert_int_equal(mobility_tlli(&rig->core.mobility, 0), TLLI + 1);
        drain(rig);
    }
}

/* --- contexts --- */

#define SM_REJECT 0x43 /* ACTIVATE PDP CONTEXT REJECT (TS 24.008 table 10.4a) */

/* A message of the phone in slot 0, of GMM or SM. */
static void speak(struct rig *rig, const uint8_t *octets, uint16_t count)
{
    static const uint8_t head[LLC_UI_OCTETS] = {LLC_SAPI_GMM, 0xc0};
    struct msg msg = {.type = MSG_PUNT_LLC,
                      .mbuf = rte_pktmbuf_alloc(rig->pool),
                      .llc = {.from.bvci = BVCI, .tlli = TLLI, .sapi = LLC_SAPI_GMM}};
    memcpy(rte_pktmbuf_append(msg.mbuf, sizeof(head)), head, sizeof(head));
    memcpy(rte_pktmbuf_append(msg.mbuf, count), octets, count);
    assert_true(sessions_phones_punt(&rig->sessions, &msg));
}

/* The cause of the rejects that the phone is sent; -1: none, or another message. */
static int reject_of(struct rig *rig)
{
    struct msg msg;
    int cause = -1;
    while (msg_take(rig->rings.to_worker, &msg)) {
        const uint8_t *octets = msg_has_mbuf(msg.type) ? rte_pktmbuf_mtod(msg.mbuf, uint8_t *) : NULL;
        if (msg.type == MSG_LLC_UI)
            cause = octets[1] == SM_REJECT ? octets[2] : -1;
        if (octets)
            rte_pktmbuf_free(msg.mbuf);
    }
    return cause;
}

/* A phone that has attached and asked for a context on NSAPI 5, whose GGSN is asked. */
static void open_wanting(struct rig *rig)
{
    static const uint8_t complete[] = {0x08, 0x03},
                         request[] = {0x0a, 0x41, 5, 3, 3, 0x0b, 0x92, 0x1f, 2, 1, 0x21, 0x28, 2, 1, 'a'};
    open(rig);
    sessions_core_join(&rig->sessions);
    hear(rig, 0);
    speak(rig, complete, sizeof(complete));
    speak(rig, request, sizeof(request));
    assert_int_equal(reject_of(rig), -1);
    assert_int_equal(rig->sessions.context_count, 1);
    assert_int_equal(rig->core.refused, 0);
}

/* A number that no context has (TS 24.008 clause 10.5.6.2) is refused before a place is taken for it. */
TEST(a_wrong_nsapi_takes_no_place)
{
    struct rig rig;
    open_wanting(&rig);
    for (unsigned nsapi = 0; nsapi < 18; nsapi = nsapi == 4 ? 16 : nsapi + 1) {
        char text[300];
        const struct sessions_mobile before = rig.sessions.mobiles[0];
        snprintf(text, sizeof(text),
                 "{ op = 'phone_pdp_add', mobile = 0, nsapi = %u, sapi = 3, ours = '10.99.0.1', "
                 "pdp_type = 'ipv4', wanted = { is_once = true, nsapi = %u } }",
                 nsapi, nsapi);
        intent_rig_emit(&rig.core, text);
        assert_memory_equal(&before, &rig.sessions.mobiles[0], sizeof(before));
        assert_int_equal(rig.sessions.context_count, 1);
    }
    close(&rig);
}

/* The id of the first context that a GGSN was asked for, in slot 0. */
#define FIRST_ID "16777216"

/* An order about a phone's context that cannot be carried out is answered, and so is the phone. */
TEST(refused_orders_are_answered)
{
    static const struct {
        const char *intents;
        int cause; /* of SM: network failure, insufficient resources, activation rejected by GGSN */
        uint32_t contexts;
    } cases[] = {
        {"{ op = 'phone_pdp_add', mobile = 0, nsapi = 5 }", 26, 1},
        {"{ op = 'phone_pdp_class', mobile = 0, nsapi = 5 }", 38, 0},
        {"{ op = 'phone_pdp_del', mobile = 0, nsapi = 5 }, { op = 'phone_pdp_class', mobile = 0, nsapi = 5, "
         "class = 'thp1' }",
         30, 0},
        {"{ op = 'up', id = " FIRST_ID ", ggsn = '10.99.0.3', ggsn_teid = 7, class = 'thp1', apn = 'a\\0b' }",
         38, 0},
        {"{ op = 'up', id = 7, ggsn = '10.99.0.3', ggsn_teid = 7, class = 'thp9' }", -1,
         1},                                            /* of no context */
        {"{ op = 'phone_pdp_add', nsapi = 5 }", -1, 1}, /* without a phone to answer */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rig rig;
        open_wanting(&rig);
        intent_rig_emit(&rig.core, cases[i].intents);
        assert_int_equal(reject_of(&rig), cases[i].cause);
        assert_int_equal(rig.sessions.context_count, cases[i].contexts);
        close(&rig);
    }
}

/* Carries out intents; counts the orders of two types, of which the last one of the first stays. */
static unsigned emit(struct rig *rig, const char *intents, uint16_t type, uint16_t other, struct msg *last)
{
    struct msg msg;
    unsigned count = 0;
    intent_rig_emit(&rig->core, intents);
    while (msg_take(rig->rings.to_worker, &msg)) {
        if (msg.type == type)
            *last = msg;
        count += msg.type == type || msg.type == other;
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
    }
    return count;
}

/* What its GGSN gives goes to the worker, and to the phone. */
TEST_IN(up, struct rig, rig, open_wanting(rig), close(rig))
{
    struct msg msg = {0};
    unsigned count = emit(rig,
                          "{ op = 'up', id = " FIRST_ID ", ggsn = '10.99.0.3', ggsn_teid = 7, "
                          "ipv4 = '10.1.0.1', class = 'thp1' }",
                          MSG_PDP_ADD, MSG_LLC_UI, &msg);
    assert_int_equal(count, 2);
    assert_true(msg.pdp.ip_version == 4 && msg.pdp.address == 0x0a010001 && msg.pdp.sapi == 3);
    assert_true(msg.pdp.ggsn_teid == 7 && msg.pdp.pfi == N_PDU_NO_PFI && msg.pdp.nsapi == 5);
    assert_int_equal(rig->sessions.refused, 0);
}

/* One that its BSS suspends just after its message is told of it later. */
TEST_IN(suspended, struct rig, rig, open_wanting(rig), close(rig))
{
    char text[200];
    struct msg msg = {0};
    snprintf(text, sizeof(text),
             "{ op = 'ms_suspend', nsei = 101, tlli = %u, suspended = true }, "
             "{ op = 'phone_pdp_class', mobile = 0, nsapi = 5 }",
             mobility_tlli(&rig->core.mobility, 0));
    assert_int_equal(emit(rig, text, MSG_MS_WANTED, MSG_LLC_UI, &msg), 1);
    assert_int_equal(msg.type, MSG_MS_WANTED);
}

#define WANTED                                                                                               \
    "wanted = { is_once = true, imsi = '262420000000001', nsapi = 6, apn = 'a', ours = '10.99.0.1', "        \
    "ggsn = '10.99.0.3', pdp_type = 'ipv4', class = 'thp1' }"
#define ADD "{ op = 'phone_pdp_add', nsapi = 6, sapi = 5, " WANTED ", "

/* What a phone's context is like goes to its place here; one that cannot begin takes none. */
TEST(wanted)
{
    static const struct {
        const char *intents;
        uint32_t contexts;
        uint8_t version, pfi;
        bool is_any_payload;
    } cases[] = {
        {ADD "mobile = 0, ours = '10.99.0.1', pdp_type = 'ipv4' }", 2, 4, N_PDU_NO_PFI, false},
        {ADD "mobile = 0, ours = '10.99.0.1', pdp_type = 'ipv6', pfi = 9 }", 2, 6, 9, false},
        {ADD "mobile = 0, ours = '10.99.0.1', pdp_type = 'ipv4v6', any_payload = true }", 2, 0, N_PDU_NO_PFI,
         true},
        {ADD "mobile = 0, ours = '10.99.0.1', pdp_type = 'non_ip' }", 2, PDP_ANY_PAYLOAD, N_PDU_NO_PFI,
         false},
        {ADD "mobile = 0, ours = '10.99.0.1', pdp_type = 'ipv4', linked = 7 }", 1, 0, 0,
         false}, /* no such context */
        {ADD "mobile = 0, ours = '240.0.0.1', pdp_type = 'ipv4' }", 1, 0, 0, false},
        {ADD "mobile = 1, ours = '10.99.0.1', pdp_type = 'ipv4' }", 1, 0, 0, false}, /* no such phone */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rig rig;
        open_wanting(&rig);
        intent_rig_emit(&rig.core, cases[i].intents);
        drain(&rig);
        assert_int_equal(rig.sessions.context_count, cases[i].contexts);
        const struct session *params = &rig.sessions.wanted[1].params;
        assert_int_equal(rig.sessions.wanted[1].is_once, cases[i].contexts == 2);
        if (cases[i].contexts == 2) {
            assert_true(params->nsapi == 6 && params->gtp_nsapi == 6 && params->sapi == 5);
            assert_int_equal(params->ip_version, cases[i].version);
            assert_int_equal(params->pfi, cases[i].pfi);
            assert_int_equal(params->is_any_payload, cases[i].is_any_payload);
        }
        close(&rig);
    }
}

/* The latest of two contexts on an NSAPI is the one that is meant by it. */
TEST_IN(latest, struct rig, rig, open_wanting(rig), close(rig))
{
    intent_rig_emit(&rig->core, ADD "mobile = 0, ours = '10.99.0.1', pdp_type = 'ipv4' }, " ADD
                                    "mobile = 0, ours = '10.99.0.1', pdp_type = 'ipv4' }");
    assert_int_equal(rig->sessions.context_count, 3);
    intent_rig_emit(&rig->core,
                    "{ op = 'ended', id = 33554433, cause = 0 }"); /* the first of them, in slot 1 */
    assert_int_equal(rig->sessions.context_count, 2);
    intent_rig_emit(&rig->core, "{ op = 'phone_pdp_del', mobile = 0, nsapi = 6 }");
    assert_int_equal(rig->sessions.context_count, 1);
    drain(rig);
}

static int start(void **state)
{
    llc_fcs_init();
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
