/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet flows: which there are, and what their buckets limit (TS 48.018 clauses 8a, 8.2.3.2). */
#include "tests/unit/dataplane/context/play.h"

static const struct play_row known[] = {
    {"those that were made, and the predefined ones once they are listed",
     LIST({0, FLOW_PFC | REFUSED, 0, 8, 100, 100}, {0, PFC_ADD, 0, 8}, {0, FLOW_PFC, 0, 8, 100, 100},
          {0, FLOW_PFC, 0, 0, 200, 200}, {0, FLOW_PFC, 0, 3, 300, 300}, {0, IS_PFC, 0, 0, 100, 100, 8},
          {0, IS_PFC, 0, 0, 200, 200, 0}, {0, IS_PFC, 0, 0, 300, 300, 3}, {0, NO_PFC, 1, 0})},
    {"not those that are reserved",
     LIST({0, PFC_ADD | REFUSED, 0, 4}, {0, PFC_ADD | REFUSED, 0, 7}, {0, PFC_ADD | REFUSED, 0, 128},
          {0, PFC_ADD | REFUSED, 0, N_PDU_NO_PFI}, {0, FLOW_PFC | REFUSED, 0, 4, 100, 100},
          {0, FLOW_PFC | REFUSED, 0, N_PDU_NO_PFI, 100, 100}, {0, PFC_ADD, 0, 3}, {0, PFC_ADD, 0, 127},
          {0, PFC_ADD | REFUSED, 0, 127}, {0, PFC_DEL, 0, 127}, {0, PFC_DEL | REFUSED, 0, 127},
          {0, PFC_ADD, 0, 127})},
    {"as many as there is room for, of all mobiles",
     LIST({0, PFC_ADD, 0, 8}, {0, PFC_ADD, 0, 9}, {0, PFC_ADD, 1, 8}, {0, PFC_ADD, 1, 9}, {0, PFC_ADD, 2, 8},
          {0, PFC_ADD, 2, 9}, {0, PFC_ADD | REFUSED, 2, 10}, {0, FLOW_PFC | REFUSED, 2, 1, 10, 10},
          {0, MS_DEL, 0}, {0, PFC_ADD, 2, 10}, {0, FLOW_PFC, 2, 1, 10, 10})},
};

static const struct play_row limits[] = {
    {"entries that are not listed keep their values",
     LIST({0, FLOW_PFC, 0, 1, 100, 100}, {0, FLOW_PFC, 0, 2, 200, 200}, {0, FLOW_PFC, 0, 1, 150, 100},
          {0, IS_PFC, 0, 0, 150, 100, 1}, {0, IS_PFC, 0, 0, 200, 200, 2})},
    {"the mobile's bucket limits their sum",
     LIST({0, FLOW_PFC, 0, 1, 5000, 8000}, {0, FLOW_PFC, 0, 2, 5000, 8000}, {0, PUT, 0, 600, 2},
          {0, PUT, 0, 600, 3}, {0, SENDS, 0, 1}, {0, IS_MS, 0, 600, 1000, 800}, {2000, SENDS, 0, 1},
          {2000, IS_MS, 0, 1000, 1000, 800})},
    {"a closed one stops its own alone",
     LIST({0, FLOW_PFC, 0, 1, 300, 0}, {0, PUT, 0, 200, 2}, {0, SENDS, 0, 1}, {0, IS_PFC, 0, 200, 300, 0, 1},
          {0, PUT, 0, 200, 2}, {0, PUT, 0, 300}, {0, SENDS, 0, 1}, {0, IS_PFC, 0, 200, 300, 0, 1},
          {0, IS_MS, 0, 500, 1000, 800}, {5000, FLOW_PFC, 0, 1, 400, 0}, {5000, SENDS, 0, 1},
          {5000, IS_PFC, 0, 400, 400, 0, 1})},
    {"what names none, or one that is not known, belongs to none",
     LIST({0, FLOW_PFC, 0, 1, 300, 0}, {0, PUT, 0, 400}, {0, PUT, 0, 400, 10}, {0, SENDS, 0, 2},
          {0, IS_PFC, 0, 0, 300, 0, 1})},
    {"it wakes by itself", LIST({0, FLOW_PFC, 0, 1, 300, 800}, {0, PUT, 0, 300, 2}, {0, PUT, 0, 300, 2},
                                {0, SENDS, 0, 1}, {0, WAKES, 0, UINT64_C(3000000000)}, {3000, SENDS, 0, 1})},
    {"deleted: its bucket is gone, what waits goes on",
     LIST({0, PFC_ADD, 0, 8}, {0, FLOW_PFC, 0, 8, 300, 0}, {0, PUT, 0, 300, 9}, {0, PUT, 0, 300, 9},
          {0, SENDS, 0, 1}, {0, PFC_DEL, 0, 8}, {0, NO_PFC, 0, 8}, {0, WAITS, 0, 1}, {0, SENDS, 0, 1},
          {0, IS_MS, 0, 600, 1000, 800})},
};

TEST(which)
{
    play(known, COUNT(known));
}

TEST(limit)
{
    play(limits, COUNT(limits));
}

/* The packet flow of a PDP context. */
TEST(of_context)
{
    static const struct {
        uint8_t pfi;
        int want;
    } rows[] = {{0, 0}, {3, 0}, {4, -1}, {7, -1}, {8, 0}, {127, 0}, {128, -1}, {254, -1}, {N_PDU_NO_PFI, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        struct ms_params ms = rig_ms(0, 1);
        struct pdp_params pdp = rig_pdp(0, 5);
        rig_open(&rig);
        assert_int_equal(context_ms_add(&rig.c, 0, &ms, rig.now), 0);
        assert_int_equal(context_pdp_add(&rig.c, 0, &pdp), 0);
        assert_int_equal(context_pdp_pfi(&rig.c, 0, rows[i].pfi), rows[i].want);
        assert_int_equal(rig.c.pdps[0].params.pfi, rows[i].want == 0 ? rows[i].pfi : N_PDU_NO_PFI);
        assert_int_equal(context_pdp_pfi(&rig.c, 1, rows[i].pfi), -1);
        pdp = rig_pdp(0, 6);
        pdp.pfi = rows[i].pfi;
        assert_int_equal(context_pdp_add(&rig.c, 1, &pdp), rows[i].want);
        rig_close(&rig);
    }
}

UNIT_MAIN(NULL, NULL)
