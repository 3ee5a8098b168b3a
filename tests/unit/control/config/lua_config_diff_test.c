/* SPDX-License-Identifier: BSD-3-Clause */
/* A reload that finds no memory, at each allocation of the reading in turn: it is rejected, and no more; a
 * text that is no regular file. */
#include "control/config/lua_config_diff.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALLOCATIONS_MAX 200

#define MOBILE(n)                                                                                            \
    "{ imsi = '26242000000000" #n "', tlli = 0xC000000" #n                                                   \
    ", bvci = 2, contexts = { { nsapi = 5, teid = " #n                                                       \
    ", sgsn_address = '192.0.2.1', ggsn_address = '192.0.2.2', ggsn_teid = 2, address = '10.45.0.1' } } }"
#define NODE(mobiles)                                                                                        \
    "return { gn = { port = 'net_ring0' }, gb = { address = '198.51.100.1', port = 'net_ring1' },"           \
    "  nses = { { nsei = 101, nsvcs = { { nsvci = 1, address = '198.51.100.2' } },"                          \
    "    cells = { { bvci = 2, cell_id = { mcc = '262', mnc = '42', lac = 1, rac = 5, ci = 1 } } } } },"     \
    "  queues = { class = { background = { aqm = { scheme = 'codel' } } } },"                                \
    "  mobiles = { source = 'list', list = { " mobiles " } } }"

static unsigned left = UINT32_MAX; /* allocations until one fails */

/* In place of the C library's reallocarray(), by which the lists of a configuration grow. */
void *lua_config_diff_test_reallocarray(void *memory, size_t count, size_t octets) __asm__("reallocarray");

void *lua_config_diff_test_reallocarray(void *memory, size_t count, size_t octets)
{
    if (left == 0 || (octets > 0 && count > SIZE_MAX / octets))
        return NULL;
    left -= left != UINT32_MAX;
    return realloc(memory, count * octets);
}

TEST(rejected_at_each)
{
    static const struct lua_config_diff_texts texts = {"node.lua", NODE(MOBILE(1)),
                                                       NODE(MOBILE(1) ", " MOBILE(2))};
    struct lua_config_diff diff;
    struct node_config running = {
        .limits = {.mobiles = 4096, .contexts = 8192, .npdu_buffers = 32767, .reassemblies = 1024}};
    unsigned failed = 0;
    bool is_right = false;
    for (unsigned at = 0; at < ALLOCATIONS_MAX && !is_right; at++) {
        left = at;
        is_right = lua_config_diff_new(&diff, &texts, &running);
        failed += !is_right;
        left = UINT32_MAX;
        lua_config_diff_free(&diff);
    }
    assert_true(is_right);
    assert_in_range(failed, 5, ALLOCATIONS_MAX);
}

/* The lists of a running node: as before where there is no memory; else no further allocation. */
TEST(reserved)
{
    struct node_config config = {0},
                       more = {.nse_count = 2, .cell_count = 3, .nsvc_count = 4, .home_count = 1};
    node_config_add_nse(&config, &(struct node_config_nse){.nsei = 1});
    for (unsigned at = 0; at < 4; at++) {
        left = at > 0;
        assert_false(node_config_reserve(&config, &more));
        assert_true(config.nse_count == 1 && config.nses[0].nsei == 1);
    }
    left = 1;
    assert_true(node_config_reserve(&config, &more));
    left = 0;
    for (uint16_t i = 0; i < 3; i++) {
        if (i < 2)
            assert_int_equal(node_config_add_nse(&config, &(struct node_config_nse){.nsei = i}), i + 1);
        assert_int_equal(node_config_add_cell(&config, &(struct node_config_cell){.bvci = i}), i);
    }
    assert_int_equal(node_config_add_nsvcs(&config, 4), 0);
    left = UINT32_MAX;
    node_config_free(&config);
}

/* A FIFO without a writer would hold the reader. */
TEST(read_from_files_only)
{
    char folder[] = "/tmp/gbflow-diff-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/node.lua", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(lua_config_diff_text(path));
    assert_null(lua_config_diff_text(folder));
    unlink(path);
    assert_null(lua_config_diff_text(path));
    rmdir(folder);
}

UNIT_MAIN(NULL, NULL)
