/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles that change the cell: what the old one keeps, what FLUSH-LL makes of it, what goes up. */
#include "bss/bss.h"

#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#define MS_NS INT64_C(1000000)

static const struct radio_config radio = {
    .pdchs = 1,
    .coding = RADIO_CS2,
    .down = {.slots = 1, .setup_ns = 200 * MS_NS, .release_ns = 2000 * MS_NS},
    .up = {.slots = 1, .setup_ns = 100 * MS_NS},
};
static const uint16_t nsvcis[] = {101};
static const struct bss_cell_config cells[] = {
    ROW(.bvci = 1800, .cell_id = {"262", "42", 0x1234, 5, 1}, .bvc = {50000, 160000},
        .ms_default = {25000, 80000}, .radio = &radio),
    ROW(.bvci = 1801, .cell_id = {"262", "42", 0x1234, 5, 2}, .bvc = {50000, 160000},
        .ms_default = {25000, 80000}, .radio = &radio),
    ROW(.bvci = 1802, .cell_id = {"262", "42", 0x1234, 5, 3}, .bvc = {50000, 160000},
        .ms_default = {25000, 80000}),
};
static const struct bss_config config = {101, nsvcis, 1, cells, 3, NULL};

#define UP(bvci)                                                                                             \
    {0, "bvc_reset_ack/" bvci, "bvc_unblock/" bvci},                                                         \
        {0, "bvc_unblock_ack/" bvci, "flow_control_bvc@" bvci "#1"},                                         \
    {                                                                                                        \
        0, "flow_control_bvc_ack@" bvci "#1", ""                                                             \
    }

/* The cells come up together. */
#define BRING_UP                                                                                             \
    {0, NULL, "reset"}, {0, "reset_ack", "unblock alive"}, {0, "alive_ack", ""},                             \
        {0, "unblock_ack", "bvc_reset/0"},                                                                   \
        {0, "bvc_reset_ack/0", "bvc_reset/1800 bvc_reset/1801 bvc_reset/1802"}, UP("1800"), UP("1801"),      \
        UP("1802")

#define PLAY(rows) bss_player_run(&config, rows, sizeof(rows) / sizeof((rows)[0]))

/* 299 octets go in 10 blocks; after 5 of them the mobile is gone, and in the new cell they begin anew. */
TEST(carries_over)
{
    static const struct bss_play_row rows[] = {
        BRING_UP,
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
    PLAY(rows);
}

TEST(deletes)
{
    static const struct bss_play_row rows[] = {
        BRING_UP,
        {1000, "dl_unitdata@1800~c1*299^65535", "in~c1:299"},
        {1305, "move 1800>1801~c1", ""},
        {1310, "dl_unitdata@1800~c1*29^65535", "in~c1:29"}, /* the SGSN does not know yet */
        {1400, "flush_ll/1800~c1", "lost~c1:299!3 lost~c1:29!3 flush_ll_ack~c1=0:328"},
        {1400, "dl_unitdata@1801~c1*29^65535", "in~c1:29"},
        {1620, NULL, "deliver@1801~c1:29"},
    };
    PLAY(rows);
}

/* To a cell of another NSE, to one that is not there, to one that is blocked. */
TEST(can_only_delete)
{
    static const struct bss_play_row rows[] = {
        BRING_UP,
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
    PLAY(rows);
}

/* A cell without a radio keeps nothing; what is carried over to one is at the mobile at once. */
TEST(without_a_radio)
{
    static const struct bss_play_row rows[] = {
        BRING_UP,
        {1000, "dl_unitdata@1800~c1*29^65535", "in~c1:29"},
        {1005, "move 1800>1802~c1", ""},
        {1010, "flush_ll/1800>1802=101~c1", "deliver@1802~c1:29 flush_ll_ack~c1=1:29>1802"},
        {1015, "move 1802>1800~c1", ""},
        {1020, "flush_ll/1802>1800~c1", "flush_ll_ack~c1=1:0>1800"},
    };
    PLAY(rows);
}

/* Back before anybody flushed: it gets what was kept. A frame that died of age meanwhile is told as ever. */
TEST(comes_back)
{
    static const struct bss_play_row rows[] = {
        BRING_UP,
        {1000, "dl_unitdata@1800~c1*29^65535", "in~c1:29"},
        {1000, "dl_unitdata@1800~c1*30^30", "in~c1:30"},
        {1005, "move 1800>1801~c1", ""},
        {5000, "move 1801>1800~c1", ""},
        {5220, NULL, "deliver@1800~c1:29 lost~c1:30!0 llc_discarded/1800~c1=1:30"},
    };
    PLAY(rows);
}

/* What the mobile had not sent goes up in the new cell. */
TEST(takes_its_uplink_along)
{
    static const struct bss_play_row rows[] = {
        BRING_UP,
        {1000, "put 1800~c1*29", ""},
        {1000, "put 1800~c2*29", ""},
        {1005, "move 1800>1801~c1", ""},
        {1120, NULL, "ul_unitdata@1800~c2"},
        {1140, NULL, "ul_unitdata@1801~c1"},
    };
    PLAY(rows);
}

UNIT_MAIN(NULL, NULL)
