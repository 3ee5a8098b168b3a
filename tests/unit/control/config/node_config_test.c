/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of NSEs, cells and NS-VCs that come and go while a node runs. */
#include "control/config/node_config.h"
#include "tests/unit/unit.h"

static uint16_t add_nse(struct node_config *config, uint16_t nsei)
{
    return node_config_add_nse(config, &(struct node_config_nse){.nsei = nsei});
}

static uint16_t add_cell(struct node_config *config, uint16_t nse, uint16_t bvci)
{
    return node_config_add_cell(config, &(struct node_config_cell){.nse = nse, .bvci = bvci});
}

/* One that is gone is not found; its place is another's when its worker has said so. */
TEST(nses_and_cells)
{
    struct node_config config = {0};
    for (uint16_t i = 0; i < 3; i++) {
        assert_int_equal(add_nse(&config, 100 + i), i);
        assert_int_equal(add_cell(&config, i, 7), i);
    }
    config.nses[1].is_gone = config.nses[1].is_leaving = true;
    config.cells[1].is_gone = config.cells[1].is_leaving = true;
    assert_int_equal(node_config_nse(&config, 101), -1);
    assert_int_equal(node_config_cell(&config, 1, 7), -1);
    assert_int_equal(add_nse(&config, 101), 3);
    assert_int_equal(add_cell(&config, 3, 8), 3);
    assert_int_equal(node_config_nses_used(&config) + node_config_cells_used(&config), 8);
    config.nses[1].is_leaving = config.cells[1].is_leaving = false;
    assert_int_equal(node_config_nses_used(&config) + node_config_cells_used(&config), 6);
    assert_int_equal(add_nse(&config, 104), 1);
    assert_int_equal(add_cell(&config, 1, 7), 1);
    assert_int_equal(node_config_nse(&config, 101), 3);
    assert_int_equal(node_config_nse(&config, 104), 1);
    assert_int_equal(node_config_cell(&config, 1, 7), 1);
    node_config_free(&config);
}

/* Side by side, in the first gap that is wide enough, or at the end, of which what is free is used. */
TEST(nsvcs)
{
    static const char *const free_rows = "..xx.lxx.";
    static const struct {
        uint32_t count, first, total;
    } rows[] = {{1, 0, 9}, {2, 0, 9}, {3, 8, 11}, {1, 0, 9}, {0, 0, 9}};
    for (size_t r = 0; r < COUNT(rows); r++) {
        struct node_config config = {0};
        assert_int_equal(node_config_add_nsvcs(&config, 9), 0);
        for (uint32_t i = 0; i < 9; i++)
            config.nsvcs[i] =
                (struct node_config_nsvc){.is_free = free_rows[i] != 'x', .is_leaving = free_rows[i] == 'l'};
        assert_int_equal(node_config_add_nsvcs(&config, rows[r].count), rows[r].first);
        assert_int_equal(config.nsvc_count, rows[r].total);
        node_config_free(&config);
    }
}

UNIT_MAIN(NULL, NULL)
