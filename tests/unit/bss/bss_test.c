/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#include "bss/bss.h"

#define SECOND_NS          INT64_C(1000000000)
#define PLAY(config, rows) bss_player_run(config, rows, COUNT(rows))

static const uint16_t nsvcis[] = {101, 102};
static const struct bss_cell_config one_cell[] = {ROW(.bvci = 1800, .cell_id = {"262", "42", 0x1234, 5, 1},
                                                      .bvc = {50000, 160000}, .ms_default = {25000, 80000})};
static const struct bss_config one = {101, nsvcis, 1, one_cell, 1, NULL};
static const struct bss_config two_nsvcs = {101, nsvcis, 2, one_cell, 1, NULL};

TEST(bring_up)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,       {1, "dl_unitdata@1800~c1", "deliver@1800~c1:3"},
        {2, "alive", "alive_ack"}, {3, "uplink 1800", "ul_unitdata@1800~c1"},
        {30000, NULL, "alive"},    {30000, "alive_ack", ""},
        {60000, NULL, "alive"},
    };
    PLAY(&one, rows);
}

TEST(lost_ns_answers)
{
    static const struct bss_play_row rows[] = {
        {0, NULL, "reset"},
        {3000, NULL, "reset"},
        {6000, NULL, "reset"},
        {9000, NULL, "reset"},
        {12000, NULL, "reset"},
        {12000, "reset_ack#102", ""}, /* another NSEI is no answer */
        {12500, "alive", ""},
        {12500, "dl_unitdata@1800~c1", ""},
        {13000, "reset_ack", "unblock alive"},
        {13000, "alive_ack", ""},
        {16000, NULL, "unblock"},
        {19000, NULL, "unblock"},
        {22000, NULL, "unblock"},
        {25000, NULL, "reset"},
        {25100, "reset_ack", "unblock alive"},
        {25100, "dl_unitdata@1800~c1", "ns_status!3"},
        {25100, "unblock_ack", "bvc_reset/0"},
    };
    PLAY(&one, rows);
}

TEST(lost_bvc_answers)
{
    static const struct bss_timers timers = {.reset_ns = 3 * SECOND_NS,
                                             .unblock_ns = 3 * SECOND_NS,
                                             .test_ns = 3600 * SECOND_NS,
                                             .alive_ns = 3600 * SECOND_NS,
                                             .t1_ns = 2 * SECOND_NS,
                                             .t2_ns = 5 * SECOND_NS,
                                             .flow_control_ns = SECOND_NS,
                                             .unblock_retries = 3,
                                             .alive_retries = 10,
                                             .t1_retries = 2,
                                             .t2_retries = 2,
                                             .flow_control_retries = 3};
    static const struct bss_config config = {101, nsvcis, 1, one_cell, 1, &timers};
    static const struct bss_play_row rows[] = {
        {0, NULL, "reset"},
        {0, "reset_ack", "unblock alive"},
        {0, "unblock_ack", "bvc_reset/0"},
        {5000, NULL, "bvc_reset/0"},
        {10000, NULL, "bvc_reset/0"},
        {11000, "bvc_reset_ack/0", "bvc_reset/1800"},
        {16000, NULL, "bvc_reset/1800"},
        {16000, "bvc_reset_ack/1800", "bvc_unblock/1800"},
        {18000, NULL, "bvc_unblock/1800"},
        {20000, NULL, "bvc_unblock/1800"},
        {20500, "dl_unitdata@1800~c1", "status/1800!9"},
        {21000, "bvc_unblock_ack/1800", "flow_control_bvc@1800#1"},
        {22000, NULL, "flow_control_bvc@1800#2"},
        {22100, "flow_control_bvc_ack@1800#1", ""}, /* an older Tag */
        {23000, NULL, "flow_control_bvc@1800#3"},
        {24000, NULL, "flow_control_bvc@1800#4"},
        {25000, NULL, ""},
        {26000, "status/1800!9", "bvc_unblock/1800"},
        {28000, NULL, "bvc_unblock/1800"},
        {30000, NULL, "bvc_unblock/1800"},
        {32000, NULL, ""}, /* given up, the cell stays blocked */
        {40000, "dl_unitdata@1800~c1", "status/1800!9"},
        {41000, "bvc_reset/0", "bvc_reset_ack/0 bvc_reset/1800"},
        {46000, NULL, "bvc_reset/1800"},
        {51000, NULL, "bvc_reset/1800"},
        {56000, NULL, ""}, /* given up, the cell is gone */
        {57000, "status/1800!5", "bvc_reset/1800"},
    };
    PLAY(&config, rows);
}

TEST(lost_alives)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {30000, NULL, "alive"},
        {33000, NULL, "alive"},
        {36000, NULL, "alive"},
        {39000, NULL, "alive"},
        {42000, NULL, "alive"},
        {45000, NULL, "alive"},
        {48000, NULL, "alive"},
        {51000, NULL, "alive"},
        {54000, NULL, "alive"},
        {57000, NULL, "alive"},
        {60000, NULL, "alive"},
        {63000, NULL, "reset"},
        {64000, "uplink 1800", ""},
        {66000, NULL, "reset"},
        {66000, "reset_ack", "unblock alive"},
        {66000, "unblock_ack", "bvc_reset/0"},
        {66000, "bvc_reset_ack/0", "bvc_reset/1800"},
    };
    PLAY(&one, rows);
}

TEST(restarts_by_the_sgsn)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {1000, "bvc_reset/1800", "bvc_reset_ack/1800 bvc_unblock/1800"},
        {1000, "bvc_unblock_ack/1800", "flow_control_bvc@1800#2"},
        {1000, "flow_control_bvc_ack@1800#2", ""},
        {2000, "bvc_reset/0", "bvc_reset_ack/0 bvc_reset/1800"},
        {2000, "bvc_reset_ack/1800", "bvc_unblock/1800"},
        {2000, "bvc_unblock_ack/1800", "flow_control_bvc@1800#3"},
        {2000, "flow_control_bvc_ack@1800#3", ""},
        {3000, "status/1800!5", "bvc_reset/1800"},
        {3000, "bvc_reset_ack/1800", "bvc_unblock/1800"},
        {3000, "bvc_unblock_ack/1800", "flow_control_bvc@1800#4"},
        {3000, "flow_control_bvc_ack@1800#4", ""},
        {4000, "reset", "reset_ack unblock alive"},
        {4000, "dl_unitdata@1800~c1", "ns_status!3"},
        {4000, "unblock_ack", "bvc_reset/0"},
        {4000, "bvc_reset_ack/0", "bvc_reset/1800"},
        {5000, "ns_status!4", "reset"},
        {5000, "ns_status!4", ""},
        {5000, "reset_ack", "unblock alive"},
        {5000, "alive_ack", ""},
        {5000, "unblock", "unblock_ack bvc_reset/0"},
        {6000, "block", "block_ack"},
        {6000, "dl_unitdata@1800~c1", "ns_status!3"},
        {6000, "unblock", "unblock_ack bvc_reset/0"},
        {7000, "bvc_reset/0", "bvc_reset_ack/0 bvc_reset/1800"},
    };
    PLAY(&one, rows);
}

TEST(a_blocked_cell)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {1000, "hold 1800", "bvc_block/1800"},
        {1000, "dl_unitdata@1800~c1", "status/1800!9"},
        {1000, "uplink 1800", ""},
        {1500, "bvc_block_ack/1800", ""},
        {2000, "bvc_reset/1800", "bvc_reset_ack/1800 bvc_block/1800"},
        {2000, "bvc_block_ack/1800", ""},
        {3000, "bvc_reset/0", "bvc_reset_ack/0 bvc_reset/1800"},
        {3000, "bvc_reset_ack/1800", "bvc_block/1800"},
        {3000, "bvc_block_ack/1800", ""},
        {4000, "release 1800", "bvc_unblock/1800"},
        {4000, "bvc_unblock_ack/1800", "flow_control_bvc@1800#2"},
        {4000, "dl_unitdata@1800~c1", "deliver@1800~c1:3"},
        {5000, NULL, "flow_control_bvc@1800#3"},
        {5000, "hold 1800", "bvc_block/1800"}, /* and its announcements stop */
        {30000, NULL, "alive"},
        {30000, "alive_ack", ""},
        {35000, NULL, "bvc_block/1800"},
    };
    PLAY(&one, rows);
}

TEST(what_is_refused)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {1, "dl_unitdata@1801~c1", "status/1801!5"},
        {1, "dl_unitdata~c1", "status!38"},
        {1, "bvc_block/1800!1", "status!39"}, /* only a BSS sends it */
        {1, "bvc_reset/1801", "status/1801!5"},
        {1, "status/1801!5", ""},
        {1, "status!39", ""},
        {1, "flush_ll/1800~c1", "flush_ll_ack~c1=0:0"},
        {1, "flush_ll/1801~c1", "status/1801!5"},
        {1, "flow_control_ms_ack@1800~c1#1", ""},
        {1, "alive_ack", ""},
    };
    PLAY(&one, rows);
}

TEST(periodic_announcements)
{
    static const struct bss_ms_announcement ms[] = {
        {0xc1, {10000, 40000}, 1500000000}, {0xc2, {10000, 0}, 0}, {0xc1, {10000, 20000}, 4200000000}};
    static const struct bss_cell_config cells[] = {ROW(.bvci = 1800, .cell_id = {"001", "01", 1, 0, 1},
                                                       .bvc = {100, 100}, .announce_every_ns = SECOND_NS,
                                                       .ms = ms, .ms_count = 3)};
    static const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL};
    static const struct bss_play_row rows[] = {
        {0, NULL, "reset"},
        {0, "reset_ack", "unblock alive"},
        {0, "alive_ack", ""},
        {0, "unblock_ack", "bvc_reset/0"},
        {0, "bvc_reset_ack/0", "bvc_reset/1800"},
        {0, "bvc_reset_ack/1800", "bvc_unblock/1800"},
        {0, "bvc_unblock_ack/1800", "flow_control_bvc@1800#1"},
        {100, "flow_control_bvc_ack@1800#1", "flow_control_ms@1800~c2#1"},
        {100, "flow_control_ms_ack@1800~c2#1", ""},
        {1000, NULL, "flow_control_bvc@1800#2"},
        {1100, NULL, "flow_control_ms@1800~c2#2"},
        {1500, NULL, "flow_control_ms@1800~c1#1"},
        {2000, NULL, "flow_control_bvc@1800#3"},
        {2100, NULL, "flow_control_ms@1800~c2#3"},
        {2500, NULL, "flow_control_ms@1800~c1#2"},
        {3000, NULL, "flow_control_bvc@1800#4"},
        {3100, NULL, "flow_control_ms@1800~c2#4"},
        {3500, NULL, "flow_control_ms@1800~c1#3"},
        {4000, NULL, "flow_control_bvc@1800#5"},
        {4100, NULL, "flow_control_ms@1800~c2#5"},
        {4200, NULL, "flow_control_ms@1800~c1#1"}, /* the later one takes over, with its own Tags */
        {5000, NULL, "flow_control_bvc@1800#6"},
        {5100, NULL, "flow_control_ms@1800~c2#6"},
        {5200, NULL, "flow_control_ms@1800~c1#2"},
        {5300, "bvc_reset/1800", "bvc_reset_ack/1800 bvc_unblock/1800"},
        {6500, "bvc_unblock_ack/1800", "flow_control_bvc@1800#7"},
        {6500, "flow_control_bvc_ack@1800#7", "flow_control_ms@1800~c2#7 flow_control_ms@1800~c1#3"},
    };
    PLAY(&config, rows);
}

TEST(mobiles_once)
{
    static const struct bss_ms_announcement ms[] = {{0xc1, {10000, 40000}, 500000000}};
    static const struct bss_cell_config cells[] = {
        {.bvci = 1800, .cell_id = {"001", "01", 1, 0, 1}, .bvc = {100, 100}, .ms = ms, .ms_count = 1}};
    static const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL};
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {500, NULL, "flow_control_ms@1800~c1#1"},
        {1500, NULL, "flow_control_ms@1800~c1#2"},
        {2500, NULL, "flow_control_ms@1800~c1#3"},
        {2600, "flow_control_ms_ack@1800~c1#3", ""},
        {29000, NULL, ""},
    };
    PLAY(&config, rows);
}

TEST(two_ns_vcs)
{
    static const struct bss_play_row rows[] = {
        {0, NULL, "reset 1:reset"},
        {0, "reset_ack", "unblock alive"},
        {0, "alive_ack", ""},
        {0, "unblock_ack", "bvc_reset/0"},
        {0, "1:reset", "1:reset_ack 1:unblock 1:alive"},
        {0, "1:alive_ack", ""},
        {0, "1:unblock_ack", ""}, /* Gb is up already */
        {0, "1:bvc_reset_ack/0", "bvc_reset/1800"},
        {0, "1:bvc_reset_ack/1800", "bvc_unblock/1800"},
        {1, "block", "block_ack"}, /* the cells go on, on the other one */
        {1, "1:bvc_unblock_ack/1800", "1:flow_control_bvc@1800#1"},
        {1, "1:flow_control_bvc_ack@1800#1", ""},
        {2, "1:block", "1:block_ack"},
        {3, "1:unblock", "1:unblock_ack 1:bvc_reset/0"},
    };
    PLAY(&two_nsvcs, rows);
}

/* --- What announcements say of the moment: how full the buckets are, how long LLC-PDUs waited --- */

#define MS_NS                    INT64_C(1000000)
#define LEVEL_PLAY(config, rows) bss_player_run(config, rows, sizeof(rows) / sizeof(rows)[0])

static const struct radio_config radio = {
    .pdchs = 1,
    .coding = RADIO_CS2, /* 30 octets in 20 ms */
    .down = {.slots = 1, .setup_ns = 200 * MS_NS, .release_ns = 2000 * MS_NS},
    .up = {.slots = 1, .setup_ns = 100 * MS_NS},
};
static const uint16_t level_nsvcis[] = {101};
static const struct bss_ms_announcement level_ms[] = {{0xc1, {6000, 8000}, 0}};

#define CELL                                                                                                 \
    .bvci = 1800, .cell_id = {"001", "01", 1, 0, 1}, .bvc = {3000, 8000}, .ms_default = {100, 100},          \
    .announce_every_ns = 1000 * MS_NS, .ms = level_ms, .ms_count = 1, .radio = &radio

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
    static const struct bss_config config = {101, level_nsvcis, 1, cells, 1, NULL};
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
    LEVEL_PLAY(&config, rows);
}

/* Mean of 200 ms and 10 ms, then of nothing, then of what waited 215 ms. */
TEST(mean_wait)
{
    static const struct bss_cell_config cells[] = {{CELL, .has_measurement = true}};
    static const struct bss_config config = {101, level_nsvcis, 1, cells, 1, NULL};
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
    LEVEL_PLAY(&config, rows);
}

/* Whoever resets names the features; only those of both count. */
TEST(agreed_or_not)
{
    static const struct bss_cell_config cells[] = {{CELL, .has_level = true}}, plain[] = {{CELL}};
    static const struct bss_config config = {101, level_nsvcis, 1, cells, 1, NULL},
                                   without = {101, level_nsvcis, 1, plain, 1, NULL};
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
    LEVEL_PLAY(&config, rows);
    LEVEL_PLAY(&without, none);
}

/* --- Mobiles that change the cell: what the old one keeps, what FLUSH-LL makes of it, what goes up --- */

static const struct radio_config flush_radio = {
    .pdchs = 1,
    .coding = RADIO_CS2,
    .down = {.slots = 1, .setup_ns = 200 * MS_NS, .release_ns = 2000 * MS_NS},
    .up = {.slots = 1, .setup_ns = 100 * MS_NS},
};
static const uint16_t flush_nsvcis[] = {101};
static const struct bss_cell_config flush_cells[] = {
    ROW(.bvci = 1800, .cell_id = {"262", "42", 0x1234, 5, 1}, .bvc = {50000, 160000},
        .ms_default = {25000, 80000}, .radio = &flush_radio),
    ROW(.bvci = 1801, .cell_id = {"262", "42", 0x1234, 5, 2}, .bvc = {50000, 160000},
        .ms_default = {25000, 80000}, .radio = &flush_radio),
    ROW(.bvci = 1802, .cell_id = {"262", "42", 0x1234, 5, 3}, .bvc = {50000, 160000},
        .ms_default = {25000, 80000}),
};
static const struct bss_config flush_config = {101, flush_nsvcis, 1, flush_cells, 3, NULL};

#define UP(bvci)                                                                                             \
    {0, "bvc_reset_ack/" bvci, "bvc_unblock/" bvci},                                                         \
        {0, "bvc_unblock_ack/" bvci, "flow_control_bvc@" bvci "#1"},                                         \
    {                                                                                                        \
        0, "flow_control_bvc_ack@" bvci "#1", ""                                                             \
    }

/* The cells come up together. */
#define FLUSH_BRING_UP                                                                                       \
    {0, NULL, "reset"}, {0, "reset_ack", "unblock alive"}, {0, "alive_ack", ""},                             \
        {0, "unblock_ack", "bvc_reset/0"},                                                                   \
        {0, "bvc_reset_ack/0", "bvc_reset/1800 bvc_reset/1801 bvc_reset/1802"}, UP("1800"), UP("1801"),      \
        UP("1802")

#define FLUSH_PLAY(rows) bss_player_run(&flush_config, rows, COUNT(rows))

/* 299 octets go in 10 blocks; after 5 of them the mobile is gone, and in the new cell they begin anew. */
TEST(carries_over)
{
    static const struct bss_play_row rows[] = {
        FLUSH_BRING_UP,
        {1000, "dl_unitdata@1800~c1*299^65535", "in~c1:299"},
        {1000, "dl_unitdata@1800~c1*29^65535", "in~c1:29"},
        {1305, "move 1800>1801~c1", ""},
        {1400, "flush_ll/1800>1801~c1", "flush_ll_ack~c1=1:328>1801"},
        {1400, "dl_unitdata@1801~c1*29^65535", "in~c1:29"},
        {1800, NULL, "deliver@1801~c1:299"},
        {1820, NULL, "deliver@1801~c1:29"},
        {1840, NULL, "deliver@1801~c1:29"},
        {9000, "flush_ll/1800>1801~c1", "flush_ll_ack~c1=1:0>1801"},
    };
    FLUSH_PLAY(rows);
}

TEST(deletes)
{
    static const struct bss_play_row rows[] = {
        FLUSH_BRING_UP,
        {1000, "dl_unitdata@1800~c1*299^65535", "in~c1:299"},
        {1305, "move 1800>1801~c1", ""},
        {1310, "dl_unitdata@1800~c1*29^65535", "in~c1:29"}, /* the SGSN does not know yet */
        {1400, "flush_ll/1800~c1", "lost~c1:299!3 lost~c1:29!3 flush_ll_ack~c1=0:328"},
        {1400, "dl_unitdata@1801~c1*29^65535", "in~c1:29"},
        {1620, NULL, "deliver@1801~c1:29"},
    };
    FLUSH_PLAY(rows);
}

/* To a cell of another NSE, to one that is not there, to one that is blocked. */
TEST(can_only_delete)
{
    static const struct bss_play_row rows[] = {
        FLUSH_BRING_UP,
        {1000, "dl_unitdata@1800~c1*29^65535", "in~c1:29"},
        {1005, "flush_ll/1800>1801=102~c1", "lost~c1:29!3 flush_ll_ack~c1=0:29"},
        {1010, "dl_unitdata@1800~c1*30^65535", "in~c1:30"},
        {1015, "flush_ll/1800>1805~c1", "lost~c1:30!3 flush_ll_ack~c1=0:30"},
        {1020, "hold 1801", "bvc_block/1801"},
        {1020, "bvc_block_ack/1801", ""},
        {1020, "dl_unitdata@1800~c1*31^65535", "in~c1:31"},
        {1025, "flush_ll/1800>1801~c1", "lost~c1:31!3 flush_ll_ack~c1=0:31"},
        {1030, "dl_unitdata@1800~c1*29^65535", "in~c1:29"}, /* it never left */
        {1260, NULL, "deliver@1800~c1:29"},
    };
    FLUSH_PLAY(rows);
}

/* A cell without a radio keeps nothing; what is carried over to one is at the mobile at once. */
TEST(without_a_radio)
{
    static const struct bss_play_row rows[] = {
        FLUSH_BRING_UP,
        {1000, "dl_unitdata@1800~c1*29^65535", "in~c1:29"},
        {1005, "move 1800>1802~c1", ""},
        {1010, "flush_ll/1800>1802=101~c1", "deliver@1802~c1:29 flush_ll_ack~c1=1:29>1802"},
        {1015, "move 1802>1800~c1", ""},
        {1020, "flush_ll/1802>1800~c1", "flush_ll_ack~c1=1:0>1800"},
    };
    FLUSH_PLAY(rows);
}

/* Back before anybody flushed: it gets what was kept. A frame that died of age meanwhile is told as ever. */
TEST(comes_back)
{
    static const struct bss_play_row rows[] = {
        FLUSH_BRING_UP,
        {1000, "dl_unitdata@1800~c1*29^65535", "in~c1:29"},
        {1000, "dl_unitdata@1800~c1*30^30", "in~c1:30"},
        {1005, "move 1800>1801~c1", ""},
        {5000, "move 1801>1800~c1", ""},
        {5220, NULL, "deliver@1800~c1:29 lost~c1:30!0 llc_discarded/1800~c1=1:30"},
    };
    FLUSH_PLAY(rows);
}

/* What the mobile had not sent goes up in the new cell. */
TEST(takes_its_uplink_along)
{
    static const struct bss_play_row rows[] = {
        FLUSH_BRING_UP,
        {1000, "put 1800~c1*29", ""},
        {1000, "put 1800~c2*29", ""},
        {1005, "move 1800>1801~c1", ""},
        {1120, NULL, "ul_unitdata@1800~c2"},
        {1140, NULL, "ul_unitdata@1801~c1"},
    };
    FLUSH_PLAY(rows);
}

UNIT_MAIN(NULL, NULL)
