/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet flows: accepted where the cell has a bucket for them, announced if both sides have their flow
 * control. */
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#define PLAY(config, rows) bss_player_run(config, rows, sizeof(rows) / sizeof(rows)[0])

static const uint16_t nsvcis[] = {101};

#define CELL(number)                                                                                         \
    .bvci = number, .cell_id = {"001", "01", 1, 0, 1}, .bvc = {3000, 8000}, .ms_default = {100, 100}

/* Up to the first announcement of cell 1800, with the features of both sides. */
#define BRING_UP(ours, theirs)                                                                               \
    {0, NULL, "reset"}, {0, "reset_ack", "unblock alive"}, {0, "alive_ack", ""},                             \
        {0, "unblock_ack", "bvc_reset/0" ours}, {0, "bvc_reset_ack/0" theirs, "bvc_reset/1800"},             \
        {0, "bvc_reset_ack/1800", "bvc_unblock/1800"},                                                       \
        {0, "bvc_unblock_ack/1800", "flow_control_bvc@1800#1"},                                              \
    {                                                                                                        \
        0, "flow_control_bvc_ack@1800#1", ""                                                                 \
    }

static const struct bss_cell_config cells[] = {{CELL(1800), .pfc = {4000, 16000}}};
static const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL};

/* Each creation is answered and announced, a repeated one again; the acknowledgement is expected, others are
 * not. */
TEST(created_announced_deleted)
{
    static const struct bss_play_row rows[] = {
        BRING_UP("&33", "&33"),
        {100, "create_bss_pfc@1800~c1$8",
         "create_bss_pfc_ack@1800~c1$8 flow_control_pfc@1800~c1#1$8:4000:16000"},
        {110, "flow_control_pfc_ack@1800~c1#1", ""},
        {200, "create_bss_pfc@1800~c2$9",
         "create_bss_pfc_ack@1800~c2$9 flow_control_pfc@1800~c2#2$9:4000:16000"},
        {300, "create_bss_pfc@1800~c1$8",
         "create_bss_pfc_ack@1800~c1$8 flow_control_pfc@1800~c1#3$8:4000:16000"},
        {400, "delete_bss_pfc@1800~c1$8", "delete_bss_pfc_ack@1800~c1$8"},
    };
    PLAY(&config, rows);
}

/* Between BVC-RESET and BVC-UNBLOCK; a blocked cell answers with STATUS. */
TEST(before_unblocked)
{
    static const struct bss_play_row rows[] = {
        {0, NULL, "reset"},
        {0, "reset_ack", "unblock alive"},
        {0, "alive_ack", ""},
        {0, "unblock_ack", "bvc_reset/0&33"},
        {0, "bvc_reset_ack/0&33", "bvc_reset/1800"},
        {0, "bvc_reset_ack/1800", "bvc_unblock/1800"},
        {0, "create_bss_pfc@1800~c1$8",
         "create_bss_pfc_ack@1800~c1$8 flow_control_pfc@1800~c1#1$8:4000:16000"},
        {0, "bvc_unblock_ack/1800", "flow_control_bvc@1800#1"},
        {0, "flow_control_bvc_ack@1800#1", ""},
        {100, "hold 1800", "bvc_block/1800"},
        {100, "create_bss_pfc@1800~c1$8", "status/1800!9"},
    };
    PLAY(&config, rows);
}

/* The other side has packet flows without their flow control. */
TEST(not_announced)
{
    static const struct bss_play_row rows[] = {
        BRING_UP("&33", "&1"),
        {100, "create_bss_pfc@1800~c1$8", "create_bss_pfc_ack@1800~c1$8"},
    };
    PLAY(&config, rows);
}

/* A cell without a bucket for packet flows refuses, and names no features. */
TEST(refused)
{
    static const struct bss_cell_config plain[] = {{CELL(1800)}};
    static const struct bss_config without = {101, nsvcis, 1, plain, 1, NULL};
    static const struct bss_play_row rows[] = {
        BRING_UP("", "&33"),
        {100, "create_bss_pfc@1800~c1$8", "create_bss_pfc_nack@1800~c1$8"},
    };
    PLAY(&without, rows);
}

UNIT_MAIN(NULL, NULL)
