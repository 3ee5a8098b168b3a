/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/llc.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/llc_xid.h"
#include "tests/unit/unit.h"

#define IOV_UI 0x12345678U

/* An XID command of the SGSN with Reset and IOV-UI; returns its octets. */
static size_t command(uint8_t out[64], uint8_t sapi)
{
    const struct llc llc = {
        .format = LLC_U, .command = LLC_XID, .sapi = sapi, .pf = true, .cr = true, .pm = true};
    struct llc_xid xid = {.has = 1U << LLC_XID_RESET | 1U << LLC_XID_IOV_UI};
    xid.value[LLC_XID_IOV_UI] = IOV_UI;
    size_t octets = (size_t)llc_encode(out, 64, &llc);
    octets += (size_t)llc_xid_encode(out + octets, 64 - octets, &xid);
    llc_fcs_put(out + octets, llc_fcs(out, octets));
    return octets + LLC_FCS_OCTETS;
}

/* One with IOV-UI alone resets nothing. */
TEST(no_reset_beside)
{
    struct ms_stack stack = {.sapi = 3};
    const struct llc llc = {
        .format = LLC_U, .command = LLC_XID, .sapi = LLC_SAPI_GMM, .pf = true, .cr = true, .pm = true};
    struct llc_xid xid = {.has = 1U << LLC_XID_IOV_UI};
    uint8_t frame[64];
    xid.value[LLC_XID_IOV_UI] = IOV_UI;
    size_t octets = (size_t)llc_encode(frame, 64, &llc);
    octets += (size_t)llc_xid_encode(frame + octets, 64 - octets, &xid);
    llc_fcs_put(frame + octets, llc_fcs(frame, octets));
    assert_true(llc_entity_accept(&stack.llc, 64));
    assert_false(emulate_llc_obey_beside(&stack, frame, octets + LLC_FCS_OCTETS, 0));
    assert_false(llc_entity_accept(&stack.llc, 64));
    assert_int_equal(stack.key.iov_ui, IOV_UI);
}

/* A command on SAPI 1 holds for all SAPIs of a mobile. */
TEST(reset_beside)
{
    static const struct {
        uint8_t sapi;
        bool is_obeyed;
    } rows[] = {{LLC_SAPI_GMM, true}, {3, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ms_stack stack = {.sapi = 3}, answering = {.sapi = rows[i].sapi};
        uint8_t frame[64], answer[EMULATE_LLC_ANSWER_OCTETS];
        size_t octets = command(frame, rows[i].sapi), answer_octets = 0;
        assert_true(llc_entity_accept(&stack.llc, 64));
        assert_int_equal(emulate_llc_obey_beside(&stack, frame, octets, 0), rows[i].is_obeyed);
        assert_int_equal(llc_entity_accept(&stack.llc, 64), rows[i].is_obeyed);
        assert_int_equal(stack.key.iov_ui, rows[i].is_obeyed ? IOV_UI : 0);
        assert_true(emulate_llc_take(&answering, frame, octets, answer, &answer_octets, 0));
        assert_int_equal(answering.key.iov_ui, IOV_UI);
        assert_true(answer_octets > 0);
        frame[octets - 1] ^= 1;
        stack.key.iov_ui = 0;
        assert_false(emulate_llc_obey_beside(&stack, frame, octets, 0));
        assert_int_equal(stack.key.iov_ui, 0);
        assert_false(emulate_llc_take(&answering, frame, octets, answer, &answer_octets, 0));
    }
}

UNIT_MAIN(NULL, NULL)
