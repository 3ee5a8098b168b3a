/* SPDX-License-Identifier: BSD-3-Clause */
/* What announcements say of the moment: how full the buckets are, how long LLC-PDUs waited. */
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#define MS_NS              INT64_C(1000000)
#define PLAY(config, rows) bss_player_run(config, rows, sizeof(rows) / sizeof(rows)[0])

static const struct radio_config radio = {
    .pdchs = 1,
    .coding = RADIO_CS2, /* 30 octets in 20 ms */
    .down = {.slots = 1, .setup_ns = 200 * MS_NS, .release_ns = 2000 * MS_NS},
    .up = {.slots = 1, .setup_ns = 100 * MS_NS},
};
static const uint16_t nsvcis[] = {101};
static const struct bss_ms_announcement ms[] = {{0xc1, {6000, 8000}, 0}};

#define CELL                                                                                                 \
    .bvci = 1800, .cell_id = {"001", "01", 1, 0, 1}, .bvc = {3000, 8000}, .ms_default = {100, 100},          \
    .announce_every_ns = 1000 * MS_NS, .ms = ms, .ms_count = 1, .radio = &radio

/* Up to the first announcement, with the features of both sides. */
#define BRING_UP(ours, theirs, first)                                                                        \
    {0, NULL, "reset"}, {0, "reset_ack", "unblock alive"}, {0, "alive_ack", ""},                             \
        {0, "unblock_ack", "bvc_reset/0" ours}, {0, "bvc_reset_ack/0" theirs, "bvc_reset/1800"},             \
        {0, "bvc_reset_ack/1800", "bvc_unblock/1800"},                                                       \
    {                                                                                                        \
        0, "bvc_unblock_ack/1800", "flow_control_bvc@1800#1" first                                           \
    }

/* 1500 octets come at 500 ms, have their first block at 700 and arrive at 1720 ms. */
TEST(levels_of_cell_and_mobile)
{
    static const struct bss_cell_config cells[] = {{CELL, .has_level = true}};
    static const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL};
    static const struct bss_play_row rows[] = {
        BRING_UP("&2", "&34", "%0"),
        {100, "flow_control_bvc_ack@1800#1", "flow_control_ms@1800~c1#1%0"},
        {500, "dl_unitdata@1800~c1*1500^65535", "in~c1:1500"},
        {510, "dl_unitdata@1800~c2*74^65535", "in~c2:74"},
        {820, NULL, "deliver@1800~c2:74"},
        {1000, NULL, "flow_control_bvc@1800#2%50"},
        {1100, NULL, "flow_control_ms@1800~c1#2%25"},
        {1780, NULL, "deliver@1800~c1:1500"},
        {2000, NULL, "flow_control_bvc@1800#3%0"},
        {2100, NULL, "flow_control_ms@1800~c1#3%0"},
        {2110, "dl_unitdata@1800~c2*3400^65535", "in~c2:3400"},
        {2120, "dl_unitdata@1800~c2*3400^65535", "in~c2:3400"},
        {2130, "dl_unitdata@1800~c2*3400^65535", "in~c2:3400"},
        {3000, NULL, "flow_control_bvc@1800#4%255"}, /* 340 would not fit */
        {3100, NULL, "flow_control_ms@1800~c1#4%0"},
    };
    PLAY(&config, rows);
}

/* Mean of 200 ms and 10 ms, then of nothing, then of what waited 215 ms. */
TEST(mean_wait)
{
    static const struct bss_cell_config cells[] = {{CELL, .has_measurement = true}};
    static const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL};
    static const struct bss_play_row rows[] = {
        BRING_UP("", "", ""),
        {100, "flow_control_bvc_ack@1800#1", "flow_control_ms@1800~c1#1"},
        {500, "dl_unitdata@1800~c1*29^65535", "in~c1:29"},
        {720, NULL, "deliver@1800~c1:29"},
        {730, "dl_unitdata@1800~c1*29^65535", "in~c1:29"},
        {760, NULL, "deliver@1800~c1:29"},
        {1000, NULL, "flow_control_bvc@1800#2+11"}, /* 10.5 */
        {1100, NULL, "flow_control_ms@1800~c1#2"},
        {1825, "dl_unitdata@1800~c2*29^65535", "in~c2:29"},
        {2000, NULL, "flow_control_bvc@1800#3"},
        {2060, NULL, "deliver@1800~c2:29"},
        {2100, NULL, "flow_control_ms@1800~c1#3"},
        {3000, NULL, "flow_control_bvc@1800#4+22"},
    };
    PLAY(&config, rows);
}

/* Whoever resets names the features; only those of both count. */
TEST(agreed_or_not)
{
    static const struct bss_cell_config cells[] = {{CELL, .has_level = true}}, plain[] = {{CELL}};
    static const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL},
                                   without = {101, nsvcis, 1, plain, 1, NULL};
    static const struct bss_play_row rows[] = {
        BRING_UP("&2", "", ""),
        {100, "bvc_reset/0&2", "bvc_reset_ack/0&2 bvc_reset/1800"},
        {100, "bvc_reset_ack/1800", "bvc_unblock/1800"},
        {100, "bvc_unblock_ack/1800", "flow_control_bvc@1800#2%0"},
        {200, "bvc_reset/0&33", "bvc_reset_ack/0&2 bvc_reset/1800"},
        {200, "bvc_reset_ack/1800", "bvc_unblock/1800"},
        {200, "bvc_unblock_ack/1800", "flow_control_bvc@1800#3"},
    };
    static const struct bss_play_row none[] = {
        BRING_UP("", "&2", ""),
        {100, "bvc_reset/0&2", "bvc_reset_ack/0 bvc_reset/1800"},
        {100, "bvc_reset_ack/1800", "bvc_unblock/1800"},
        {100, "bvc_unblock_ack/1800", "flow_control_bvc@1800#2"},
    };
    PLAY(&config, rows);
    PLAY(&without, none);
}

UNIT_MAIN(NULL, NULL)
