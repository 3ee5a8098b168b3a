/* SPDX-License-Identifier: BSD-3-Clause */
/* Configured sessions, and what sessions and the control core tell each other. */
#include "control/core/sessions.h"

#include "tests/unit/control/core/session_rig.h"

#define A "262420000000001"

static struct node_config_cell cells[4] = {[3].nse = 7};
static struct bssgp_elements elements[] = {{1, 2, {3}}, {4, 5, {6}}};

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
    sessions_add_configured(&rig.sessions);
    assert_string_equal(session_rig_said(&rig), "ms+0 pdp+0 pdp+1");
    assert_int_equal(rig.last_pdp.pdp.sapi, 5);
    session_rig_close(&rig);

    session_rig_open(&rig);
    rig.config.list = list;
    rig.config.mobile_count = COUNT(list);
    rig.config.contexts = contexts;
    rig.config.cells = cells;
    rig.config.elements = elements;
    list[1].elements = 2;
    sessions_add_configured(&rig.sessions);
    assert_string_equal(session_rig_said(&rig), "ms+0 pdp+0 pdp+1 ms+1 elements pm1 cipher1 pdp+2");
    assert_true(rig.last_elements.tlli == 0xd0000002 && rig.last_elements.nse == 7);
    assert_memory_equal(&rig.last_elements.elements, &elements[1], sizeof(elements[1]));
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

TEST(too_many_configured)
{
    struct session_rig rig;
    struct node_config_mobile list[RIG_MOBILES + 1] = {0};
    struct node_config_context contexts[2 * COUNT(list)];
    session_rig_open(&rig);
    for (uint32_t i = 0; i < COUNT(list); i++) {
        list[i] = (struct node_config_mobile){.tlli = i, .first_context = 2 * i, .context_count = 2};
        contexts[2 * i] = (struct node_config_context){.teid = 2 * i + 1, .nsapi = 5};
        contexts[2 * i + 1] = (struct node_config_context){.teid = 2 * i + 2, .nsapi = 6};
    }
    rig.config.list = list;
    rig.config.mobile_count = COUNT(list);
    rig.config.contexts = contexts;
    sessions_add_configured(&rig.sessions);
    assert_string_equal(session_rig_said(&rig), "ms+0 pdp+0 pdp+1 ms+1 pdp+2 pdp+3 ms+2 pdp+4 pdp+5");
    assert_int_equal(rig.sessions.refused, 2);
    session_rig_close(&rig);
}

/* What the core may ask: TLLIs by slot and by IMSI, of mobiles that are there. */
TEST(for_the_core)
{
    struct session_rig rig;
    struct session params = session_rig_tunnel(1, 5);
    uint32_t tlli = 0;
    session_rig_open(&rig);
    struct core_mobiles m = sessions_for_core(&rig.sessions);
    assert_false(m.tlli_of_slot(m.arg, 0, &tlli));
    assert_true(sessions_add(&rig.sessions, A, &params));
    assert_true(m.tlli_of_slot(m.arg, 0, &tlli));
    assert_int_equal(tlli, 0xc0000001);
    assert_false(m.tlli_of_slot(m.arg, RIG_MOBILES, &tlli));
    tlli = 0;
    assert_true(m.tlli_of_imsi(m.arg, A, &tlli));
    assert_int_equal(tlli, 0xc0000001);
    assert_false(m.tlli_of_imsi(m.arg, "001010000000009", &tlli));
    m.on_tunnel_error(m.arg, params.ggsn_ip, params.ggsn_teid, 0);
    assert_int_equal(rig.sessions.lost, 1);
    assert_false(m.tlli_of_imsi(m.arg, A, &tlli));
    session_rig_said(&rig);
    session_rig_close(&rig);
}

UNIT_MAIN(session_rig_start, NULL)
