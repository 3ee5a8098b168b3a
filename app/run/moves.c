/* SPDX-License-Identifier: BSD-3-Clause */
/* Cell changes of the scenario: the mobile leaves its cell between two radio blocks, and sends an LLC NULL
 * frame in the new cell (cell update, TS 23.060 clause 6.9.1). With a gap it is in no cell between the two.
 */
#include "app/run/run.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "bss/bvc.h"

#define NULL_FRAME_OCTETS 8

static void update_cell(struct run_mobile *mobile, uint16_t bvci, int64_t now)
{
    uint8_t frame[NULL_FRAME_OCTETS];
    struct llc llc = {.sapi = LLC_SAPI_GMM, .format = LLC_U, .command = LLC_NULL};
    int octets = llc_encode(frame, sizeof(frame), &llc);

    llc_fcs_put(frame + octets, llc_fcs(frame, (size_t)octets));
    bss_ul_put(mobile->bss, bvci, mobile->config->tlli, frame, (size_t)octets + LLC_FCS_OCTETS, now);
}

static void move(struct run *r, const struct scenario_config_move *move, int64_t now)
{
    struct run_mobile *mobile = &r->mobiles[move->mobile];
    uint16_t from = r->scenario.cells[mobile->cell].bvci, to = r->scenario.cells[move->cell].bvci;

    if (move->is_leaving) {
        bss_leave(mobile->bss, mobile->config->tlli, from);
        return;
    }
    if (from == to) {
        bss_return(mobile->bss, mobile->config->tlli, to, now);
        return;
    }
    struct bss *before = mobile->bss;
    mobile->cell = move->cell;
    mobile->bss = gb_far_side_bss(&r->far, &r->node.config, move->cell);
    run_radio_enter(mobile);
    bss_hand_over(before, mobile->config->tlli, from, mobile->bss, to, now);
    update_cell(mobile, to, now);
}

int64_t run_moves_step(void *run, int64_t now)
{
    struct run *r = run;
    const struct scenario_config_move *moves = r->scenario.moves;

    while (r->next_move < r->scenario.move_count && r->begin_ns + moves[r->next_move].at_ns <= now)
        move(r, &moves[r->next_move++], now);
    return r->next_move < r->scenario.move_count ? r->begin_ns + moves[r->next_move].at_ns : MOMENT_NEVER;
}
