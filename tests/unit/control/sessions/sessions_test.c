/* SPDX-License-Identifier: BSD-3-Clause */
/* Slots, NSAPIs and generations of learned and configured sessions. */
#include "tests/unit/control/sessions/session_rig.h"
#include "tests/unit/unit.h"

#include "control/sessions/sessions.h"
#include "dataplane/base/teid.h"

#include <string.h>

#define A "262420000000001"
#define B "262420000000002"

/* --- rows: one session after the other --- */

struct step {
    const char *imsi; /* NULL: the session in place `nsapi` of the list ends */
    uint32_t teid;
    uint8_t nsapi;
    const char *said;
    uint8_t on_air; /* NSAPI of the session that was added; 0: refused */
};

struct sessions_row {
    const char *name;
    struct step steps[13];
};

static const struct sessions_row rows[] = {
    {"one", {{A, 1, 5, "ms+0 pdp+0", 5}, {NULL, 0, 0, "pdp-0 ms-0", 0}}},
    {"NSAPI 0 becomes 5", {{A, 1, 0, "ms+0 pdp+0", 5}, {A, 2, 0, "pdp+1", 6}}},
    {"NSAPI 4 and 16 too", {{A, 1, 4, "ms+0 pdp+0", 5}, {A, 2, 16, "pdp+1", 6}}},
    {"taken NSAPI",
     {{A, 1, 5, "ms+0 pdp+0", 5}, {A, 2, 5, "pdp+1", 6}, {A, 3, 15, "pdp+2", 15}, {A, 4, 15, "pdp+3", 7}}},
    {"NSAPI free again",
     {{A, 1, 5, "ms+0 pdp+0", 5}, {A, 2, 6, "pdp+1", 6}, {NULL, 0, 0, "pdp-0", 0}, {A, 3, 5, "pdp+0", 5}}},
    {"IMSI twice is one mobile",
     {{A, 1, 5, "ms+0 pdp+0", 5}, {B, 2, 5, "ms+1 pdp+1", 5}, {A, 3, 6, "pdp+2", 6}}},
    {"no IMSI is always new", {{"", 1, 5, "ms+0 pdp+0", 5}, {"", 2, 5, "ms+1 pdp+1", 5}}},
    {"too many mobiles",
     LIST({"", 1, 5, "ms+0 pdp+0", 5}, {"", 2, 5, "ms+1 pdp+1", 5}, {"", 3, 5, "ms+2 pdp+2", 5},
          {"", 4, 5, "", 0}, {NULL, 0, 1, "pdp-1 ms-1", 0}, {"", 5, 5, "ms+1 pdp+1", 5})},
    {"too many contexts, a known mobile",
     LIST({A, 1, 5, "ms+0 pdp+0", 5}, {A, 2, 6, "pdp+1", 6}, {A, 3, 7, "pdp+2", 7}, {A, 4, 8, "pdp+3", 8},
          {A, 5, 9, "pdp+4", 9}, {A, 6, 10, "pdp+5", 10}, {A, 7, 11, "", 0}, {NULL, 0, 3, "pdp-3", 0},
          {A, 8, 5, "pdp+3", 8})},
    {"too many contexts, a new mobile goes again",
     LIST({A, 1, 5, "ms+0 pdp+0", 5}, {A, 2, 6, "pdp+1", 6}, {A, 3, 7, "pdp+2", 7}, {A, 4, 8, "pdp+3", 8},
          {A, 5, 9, "pdp+4", 9}, {A, 6, 10, "pdp+5", 10}, {B, 7, 5, "ms+1 ms-1", 0})},
    {"TEID used again by another mobile",
     {{A, 1, 5, "ms+0 pdp+0", 5}, {B, 1, 5, "pdp-0 ms-0 ms+0 pdp+0", 5}}},
    {"TEID used again, mobile has another",
     {{A, 1, 5, "ms+0 pdp+0", 5}, {A, 2, 6, "pdp+1", 6}, {B, 1, 5, "pdp-0 ms+1 pdp+0", 5}}},
    {"last context, then the mobile", LIST({A, 1, 5, "ms+0 pdp+0", 5}, {A, 2, 6, "pdp+1", 6},
                                           {NULL, 0, 1, "pdp-1", 0}, {NULL, 0, 0, "pdp-0 ms-0", 0})},
};

static void play(const struct sessions_row *row)
{
    struct session_rig rig;
    uint64_t refused = 0;
    session_rig_open(&rig);
    for (const struct step *step = row->steps; step->said; step++) {
        struct session params = session_rig_tunnel(step->teid, step->nsapi);
        if (!step->imsi)
            sessions_end(&rig.sessions, &rig.sessions.list[step->nsapi]);
        else if (sessions_add(&rig.sessions, step->imsi, &params) != (step->on_air > 0))
            fail_msg("%s: step %d", row->name, (int)(step - row->steps));
        refused += step->imsi && step->on_air == 0;
        const char *said = session_rig_said(&rig);
        if (strcmp(said, step->said) != 0)
            fail_msg("%s: step %d: %s", row->name, (int)(step - row->steps), said);
        if (step->on_air)
            assert_int_equal(rig.sessions.list[rig.sessions.count - 1].nsapi, step->on_air);
    }
    assert_int_equal(rig.sessions.refused, refused);
    session_rig_close(&rig);
}

TEST_EACH(steps, play, rows)

/* --- what a message says --- */

#define RIG_TEST(name) TEST_IN(name, struct session_rig, rig, session_rig_open(rig), session_rig_close(rig))

/* Elements of learned mobiles come once with the mobile; its IMSI is not told where that is switched off. */
RIG_TEST(learned_elements)
{
    struct session first = session_rig_tunnel(1, 5), second = session_rig_tunnel(2, 6);
    struct node_config_cell cells[5] = {[4].nse = 2};
    struct bssgp_elements elements[] = {{1, 2, {3}}};
    rig->config.cells = cells;
    rig->config.elements = elements;
    rig->config.mobiles.elements = 1;
    rig->config.gb.tells_imsi = false;
    assert_true(sessions_add(&rig->sessions, "262420000000001", &first));
    assert_string_equal(session_rig_said(rig), "ms+0 elements pdp+0");
    assert_true(rig->last_elements.tlli == 0xc0000001 && rig->last_elements.nse == 2);
    assert_int_equal(rig->last_ms.ms.imsi_octets, 0);
    assert_int_equal(rig->last_ms.ms.link_octets, ms_link_octets(&(struct ms_link_header){0}, 3));
    assert_true(sessions_add(&rig->sessions, "262420000000001", &second));
    assert_string_equal(session_rig_said(rig), "pdp+1");
}

RIG_TEST(ordered)
{
    static const uint8_t imsi[] = {0x29, 0x26, 0x24, 0, 0, 0, 0, 0x10};
    struct session params = session_rig_tunnel(1, 0);
    assert_true(sessions_add(&rig->sessions, "262420000000001", &params));
    session_rig_said(rig);
    const struct ms_params *ms = &rig->last_ms.ms;
    assert_int_equal(ms->tlli, 0xc0000001);
    assert_int_equal(ms->bvc, 4);
    assert_int_equal(ms->n201_u, 600);
    assert_int_equal(ms->queue_limit_octets, 7000);
    assert_int_equal(ms->imsi_octets, 8);
    assert_memory_equal(ms->imsi, imsi, sizeof(imsi));
    assert_int_equal(ms->link_octets, ms_link_octets(&(struct ms_link_header){.imsi_octets = 8}, 3));
    const struct pdp_params want = {.ms = 0,
                                    .sgsn_ip = 0x0a000001,
                                    .teid = 1,
                                    .ggsn_ip = 0x0a000002,
                                    .ggsn_teid = 1001,
                                    .address = 0x0a0b0001,
                                    .ip_version = 4,
                                    .nsapi = 5,
                                    .sapi = 5,
                                    .qclass = 6,
                                    .pfi = N_PDU_NO_PFI};
    assert_memory_equal(&rig->last_pdp.pdp, &want,
                        offsetof(struct pdp_params, pfi) + 1); /* then comes padding */
    assert_int_equal(rig->sessions.list[0].gtp_nsapi, 0);
    assert_int_equal(rig->last_ms.seq, 1);
    assert_int_equal(rig->last_pdp.seq, 2);
}

/* Each new mobile has the next TLLI and the next home, also when slots are used again; no IMSI, no octets. */
RIG_TEST(homes)
{
    static const uint16_t cells[] = {4, 9, 4, 9};
    for (uint32_t i = 0; i < COUNT(cells); i++) {
        struct session params = session_rig_tunnel(i, 5);
        assert_true(sessions_add(&rig->sessions, "", &params));
        session_rig_said(rig);
        assert_int_equal(rig->last_ms.ms.tlli, 0xc0000001 + i);
        assert_int_equal(rig->last_ms.ms.bvc, cells[i]);
        assert_int_equal(rig->last_ms.ms.imsi_octets, 0);
        if (i == 1)
            sessions_end(&rig->sessions, &rig->sessions.list[i]);
    }
}

/* The same tunnel of the same mobile again (a repeated exchange): nothing is torn down. */
RIG_TEST(repeated)
{
    struct session params = session_rig_tunnel(1, 5);
    assert_true(sessions_add(&rig->sessions, A, &params));
    session_rig_said(rig);
    assert_true(sessions_add(&rig->sessions, A, &params));
    assert_string_equal(session_rig_said(rig), "");
    assert_int_equal(rig->sessions.count, 1);
    assert_int_equal(rig->sessions.refused, 0);
    params.ggsn_teid++;
    assert_true(sessions_add(&rig->sessions, A, &params));
    assert_string_equal(session_rig_said(rig), "pdp-0 ms-0 ms+0 pdp+0");
}

/* A slot's generations are told apart, also long after. */
RIG_TEST(generations)
{
    for (uint32_t i = 0; i < 5; i++) {
        struct session params = session_rig_tunnel(10 + i, 5);
        assert_true(sessions_add(&rig->sessions, A, &params));
        if (i < 4)
            sessions_end(&rig->sessions, &rig->sessions.list[i]);
    }
    for (uint32_t generation = 1; generation <= 5; generation++)
        assert_int_equal(sessions_of(&rig->sessions, 0, 0, generation)->teid, 9 + generation);
    assert_null(sessions_of(&rig->sessions, 0, 0, 0));
    assert_null(sessions_of(&rig->sessions, 0, 0, 6));
    assert_null(sessions_of(&rig->sessions, 0, 1, 1));
    assert_null(sessions_of(&rig->sessions, 0, RIG_CONTEXTS, 1));
    assert_null(sessions_of(&rig->sessions, 0, UINT32_MAX, 0));
    session_rig_said(rig);
}

/* The list grows past its first room without losing what it holds. */
RIG_TEST(many)
{
    for (uint32_t i = 0; i < 200; i++) {
        struct session params = session_rig_tunnel(i, 5);
        assert_true(sessions_add(&rig->sessions, A, &params));
        sessions_end(&rig->sessions, &rig->sessions.list[i]);
        session_rig_said(rig);
    }
    assert_int_equal(sessions_of(&rig->sessions, 0, 0, 1)->teid, 0);
    assert_int_equal(sessions_of(&rig->sessions, 0, 0, 200)->teid, 199);
}

/* A GGSN that has no such context ends every session with that end, active ones only, and no other. */
RIG_TEST(lost)
{
    struct session first = session_rig_tunnel(1, 5), second = session_rig_tunnel(2, 5);
    assert_true(sessions_add(&rig->sessions, A, &first));
    assert_true(sessions_add(&rig->sessions, B, &second));
    session_rig_said(rig);
    sessions_lose(&rig->sessions, first.ggsn_ip, first.teid, 0);
    sessions_lose(&rig->sessions, first.ggsn_ip + 1, first.ggsn_teid, 0);
    assert_string_equal(session_rig_said(rig), "");
    sessions_lose(&rig->sessions, first.ggsn_ip, first.ggsn_teid, 0);
    sessions_lose(&rig->sessions, first.ggsn_ip, first.ggsn_teid, 0);
    assert_string_equal(session_rig_said(rig), "pdp-0 ms-0");
    assert_int_equal(rig->sessions.lost, 1);
    assert_false(rig->sessions.list[0].is_active);
    assert_true(rig->sessions.list[1].is_active);
}

/* --- TEIDs that are given out --- */

static uint32_t given(struct session_rig *rig, uint32_t sgsn_ip)
{
    struct session params = session_rig_tunnel(0, 5);
    params.is_teid_given = true;
    params.sgsn_ip = sgsn_ip;
    assert_true(sessions_add(&rig->sessions, A, &params));
    session_rig_said(rig);
    assert_int_equal(rig->last_pdp.pdp.teid, rig->sessions.list[rig->sessions.count - 1].teid);
    return rig->last_pdp.pdp.teid;
}

static void end_last(struct session_rig *rig)
{
    sessions_end(&rig->sessions, &rig->sessions.list[rig->sessions.count - 1]);
    session_rig_said(rig);
}

/* A TEID says the slot, and another generation each time; never 0. */
RIG_TEST(teids)
{
    for (unsigned i = 0; i < 2 * teid_generations(TEID_SLOT_BITS) + 3; i++) {
        assert_int_equal(given(rig, 1),
                         teid_make(0, i % teid_generations(TEID_SLOT_BITS) + 1, 0, TEID_SLOT_BITS));
        end_last(rig);
    }
    for (uint32_t slot = 0; slot < 3; slot++)
        assert_int_equal(teid_slot(given(rig, 1), TEID_SLOT_BITS), slot);
}

/* One that somebody else chose and has is not given out, and not chosen by somebody else when it was. */
RIG_TEST(lookalikes)
{
    struct session first = session_rig_tunnel(teid_make(0, 1, 1, TEID_SLOT_BITS), 5);
    struct session second = session_rig_tunnel(teid_make(0, 2, 1, TEID_SLOT_BITS), 6);
    second.sgsn_ip = first.sgsn_ip + 1;
    assert_true(sessions_add(&rig->sessions, A, &first));
    assert_int_equal(given(rig, first.sgsn_ip), teid_make(0, 2, 1, TEID_SLOT_BITS));
    end_last(rig);
    assert_int_equal(given(rig, first.sgsn_ip + 1), teid_make(0, 2, 1, TEID_SLOT_BITS));
    assert_true(sessions_add(&rig->sessions, B, &second));
    session_rig_said(rig);
    assert_int_equal(rig->sessions.lookalikes, 2);
    sessions_end(&rig->sessions, &rig->sessions.list[0]);
    end_last(rig);
    assert_int_equal(rig->sessions.lookalikes, 0);
}

/* A limit that falls lets those stay that are there, and takes no new ones until there are fewer. */
TEST(limited)
{
    static const struct {
        uint32_t mobiles, contexts;
        bool is_added, is_known;
    } cases[] = {
        {RIG_MOBILES, RIG_CONTEXTS, true, false},
        {3, 4, true, false},
        {3, 3, false, false},
        {2, 6, false, false},
        {1, 1, false, false},
        {1, 6, true, true},
        {1, 3, false, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct session_rig rig;
        struct session params[] = {session_rig_tunnel(1, 5), session_rig_tunnel(2, 5),
                                   session_rig_tunnel(3, 6), session_rig_tunnel(4, 7)};
        session_rig_open(&rig);
        assert_true(sessions_add(&rig.sessions, A, &params[0]));
        assert_true(sessions_add(&rig.sessions, B, &params[1]));
        assert_true(sessions_add(&rig.sessions, B, &params[2]));
        sessions_limit(&rig.sessions, cases[i].mobiles, cases[i].contexts);
        assert_int_equal(sessions_add(&rig.sessions, cases[i].is_known ? A : "262420000000003", &params[3]),
                         cases[i].is_added);
        assert_int_equal(rig.sessions.refused, !cases[i].is_added);
        sessions_end(&rig.sessions, &rig.sessions.list[1]);
        sessions_end(&rig.sessions, &rig.sessions.list[2]);
        sessions_limit(&rig.sessions, 2, 2);
        if (!cases[i].is_added)
            assert_true(sessions_add(&rig.sessions, B, &params[3]));
        session_rig_close(&rig);
    }
}

RIG_TEST(learned_unprotected)
{
    rig->config.mobiles.unprotected = 3;
    struct session params = session_rig_tunnel(1, 5);
    assert_true(sessions_add(&rig->sessions, A, &params));
    assert_string_equal(session_rig_said(rig), "ms+0 pm0 pdp+0");
    assert_int_equal(rig->last_pm.unprotected_sapis, 3);
}

/* --- configured ones --- */

/* A TEID that is stated behind one that was given out, and is the same. */
RIG_TEST(stated_too_late)
{
    struct node_config_mobile list[] = {{.imsi = A, .tlli = 1, .context_count = 2}};
    struct node_config_context contexts[] = {{.nsapi = 5},
                                             {.teid = teid_make(0, 1, 0, TEID_SLOT_BITS), .nsapi = 6}};
    rig->config.list = list;
    rig->config.mobile_count = COUNT(list);
    rig->config.contexts = contexts;
    sessions_listed_add_all(&rig->sessions);
    assert_string_equal(session_rig_said(rig), "ms+0 pdp+0");
    assert_int_equal(rig->last_pdp.pdp.teid, teid_make(0, 1, 0, TEID_SLOT_BITS));
    assert_int_equal(rig->sessions.refused, 1);
}

/* --- Configured sessions, and what sessions and the control core tell each other --- */

static struct node_config_cell core_cells[4] = {[3].nse = 7};
static struct bssgp_elements core_elements[] = {{1, 2, {3}}, {4, 5, {6}}};

TEST(configured)
{
    struct session_rig rig;
    struct node_config_mobile list[] = {
        {.imsi = A, .tlli = 0xd0000001, .cell = 2, .first_context = 0, .context_count = 2},
        ROW(.imsi = "", .tlli = 0xd0000002, .cell = 3, .first_context = 2, .context_count = 1,
            .unprotected = 6, .ciphering = {.algorithm = 3, .kc_octets = 8, .kc = {1}, .iov_ui = 7}),
    };
    struct node_config_context contexts[] = {
        ROW(.teid = 1, .ggsn_teid = 2, .sgsn_address = 3, .ggsn_address = 4, .address = 5, .nsapi = 7,
            .qclass = 1, .pfi = N_PDU_NO_PFI),
        {.teid = 9, .nsapi = 8, .pfi = N_PDU_NO_PFI},
        {.teid = 10, .nsapi = 5, .sapi = 11, .pfi = 9},
    };
    session_rig_open(&rig);
    rig.config.list = list;
    rig.config.mobile_count = 1;
    rig.config.contexts = contexts;
    sessions_listed_add_all(&rig.sessions);
    assert_string_equal(session_rig_said(&rig), "ms+0 pdp+0 pdp+1");
    assert_int_equal(rig.last_pdp.pdp.sapi, 5);
    session_rig_close(&rig);

    session_rig_open(&rig);
    rig.config.list = list;
    rig.config.mobile_count = COUNT(list);
    rig.config.contexts = contexts;
    rig.config.cells = core_cells;
    rig.config.elements = core_elements;
    list[1].elements = 2;
    sessions_listed_add_all(&rig.sessions);
    assert_string_equal(session_rig_said(&rig), "ms+0 pdp+0 pdp+1 ms+1 elements pm1 cipher1 pdp+2");
    assert_true(rig.last_elements.tlli == 0xd0000002 && rig.last_elements.nse == 7);
    assert_memory_equal(&rig.last_elements.elements, &core_elements[1], sizeof(core_elements[1]));
    assert_int_equal(rig.last_pdp.pdp.sapi, 11);
    assert_int_equal(rig.last_pm.unprotected_sapis, 6);
    assert_memory_equal(&rig.last_cipher.cipher, &list[1].ciphering, sizeof(list[1].ciphering));
    assert_int_equal(rig.sessions.refused, 0);
    const struct session *s = sessions_of(&rig.sessions, 0, 0, 1);
    assert_true(s->teid == 1 && s->ggsn_teid == 2 && s->sgsn_ip == 3 && s->ggsn_ip == 4 && s->address == 5);
    assert_true(s->nsapi == 7 && s->gtp_nsapi == 7 && s->qclass == 1 && s->mobile == 0);
    assert_int_equal(rig.last_ms.ms.tlli, 0xd0000002);
    assert_int_equal(rig.last_ms.ms.bvc, 3);
    assert_int_equal(rig.last_ms.ms.link_octets,
                     ms_link_octets(&(struct ms_link_header){.has_pfi = true}, 3));
    assert_int_equal(rig.last_pdp.pdp.pfi, N_PDU_NO_PFI); /* until the BSS has that packet flow */
    assert_int_equal(rig.sessions.list[2].pfi, 9);
    session_rig_close(&rig);
}

RIG_TEST(too_many_configured)
{
    struct node_config_mobile list[RIG_MOBILES + 1] = {0};
    struct node_config_context contexts[2 * COUNT(list)];
    for (uint32_t i = 0; i < COUNT(list); i++) {
        list[i] = (struct node_config_mobile){.tlli = i, .first_context = 2 * i, .context_count = 2};
        contexts[2 * i] = (struct node_config_context){.teid = 2 * i + 1, .nsapi = 5};
        contexts[2 * i + 1] = (struct node_config_context){.teid = 2 * i + 2, .nsapi = 6};
    }
    rig->config.list = list;
    rig->config.mobile_count = COUNT(list);
    rig->config.contexts = contexts;
    sessions_listed_add_all(&rig->sessions);
    assert_string_equal(session_rig_said(rig), "ms+0 pdp+0 pdp+1 ms+1 pdp+2 pdp+3 ms+2 pdp+4 pdp+5");
    assert_int_equal(rig->sessions.refused, 2);
}

/* What the core may ask: TLLIs by slot and by IMSI, of mobiles that are there. */
RIG_TEST(for_the_core)
{
    struct session params = session_rig_tunnel(1, 5);
    const struct mobility *m = &rig->core.mobility;
    sessions_core_join(&rig->sessions);
    const struct core_sessions *s = &rig->core.sessions;
    assert_false(mobility_is_there(m, 0));
    assert_true(sessions_add(&rig->sessions, A, &params));
    assert_true(mobility_is_there(m, 0));
    assert_int_equal(mobility_tlli(m, 0), 0xc0000001);
    assert_false(mobility_is_there(m, RIG_MOBILES));
    const struct msg error = {.type = MSG_TUNNEL_ERROR,
                              .tunnel_error = {.ggsn_ip = params.ggsn_ip, .teid = params.ggsn_teid}};
    assert_true(s->take(s->arg, &error));
    assert_int_equal(rig->sessions.lost, 1);
    assert_false(mobility_is_there(m, 0));
    session_rig_said(rig);
}

/* --- The places of sessions in a live node, and the index by the GGSN's end --- */

/* In a live node a PDP slot's next session has the place of the one that ended; the GGSN's end finds the new
 * one, and the old one no more. */
RIG_TEST(places_are_used_again)
{
    rig->config.live.is_on = true;
    for (uint32_t i = 0; i < 200; i++) {
        struct session params = session_rig_tunnel(i, 5), other = session_rig_tunnel(1000 + i, 6);
        assert_true(sessions_add(&rig->sessions, A, &params));
        assert_true(sessions_add(&rig->sessions, A, &other));
        sessions_lose(&rig->sessions, params.ggsn_ip, params.ggsn_teid - 1, 0);
        assert_int_equal(rig->sessions.lost, 2 * i);
        sessions_lose(&rig->sessions, params.ggsn_ip, params.ggsn_teid, 0);
        assert_true(rig->sessions.list[1].is_active);
        sessions_lose(&rig->sessions, params.ggsn_ip, other.ggsn_teid, 0);
        assert_int_equal(rig->sessions.lost, 2 * i + 2);
        session_rig_said(rig);
    }
    assert_int_equal(rig->sessions.count, 2);
}

UNIT_MAIN(session_rig_start, NULL)
