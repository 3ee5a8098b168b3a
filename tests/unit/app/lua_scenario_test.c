/* SPDX-License-Identifier: BSD-3-Clause */
/* From a scenario file to C: the shipped ones, the command line's changes, and files that are wrong. */
#include "control/lua/lua_host.h"
#include "control/config/lua_config.h"
#include "app/run/lua_scenario.h"
#include "app/run/traffic.h"
#include "dataplane/base/n_pdu.h"
#include "sim/app_transfer.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define QUICKSTART "config/scenarios/quickstart.lua"
#define BUFFERING  "config/scenarios/gprs-buffering.lua"
#define TWO_CELLS  "config/scenarios/two-cells.lua"

#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)

static lua_State *L;
static struct scenario_config config;

static int set_up(void **state)
{
    L = lua_host_new(lua_modules);
    return L ? 0 : -1;
}

static int tear_down(void **state)
{
    scenario_config_free(&config);
    lua_host_free(L);
    return 0;
}

static void load(const char *path, struct scenario_config_set *sets, uint32_t count)
{
    struct lua_scenario_options options = {.seed = 7, .sets = sets, .set_count = count};
    assert_true(lua_scenario_load(L, path, &options, &config));
    assert_int_equal(lua_gettop(L), 1);
    assert_int_equal(lua_rawlen(L, -1), config.sgsn_count);
    lua_rawgeti(L, -1, 1);
    assert_int_equal(lua_getfield(L, -1, "nses"), LUA_TTABLE);
    lua_pop(L, 3);
}

/* A setting of an item of traffic, by its key. */
static int64_t setting_of(const struct scenario_config_traffic *item, const char *key)
{
    int64_t value = 0;
    const struct lua_field *field = item->ops->settings;
    while (field->key && strcmp(field->key, key) != 0)
        field++;
    assert_non_null(field->key);
    assert_true(field->octets <= sizeof(value));
    memcpy(&value, (const char *)item->settings + field->offset, field->octets);
    return value;
}

TEST_WITH(reads_what_goes_wrong, set_up, tear_down)
{
    struct scenario_config_set sets[] = {
        {"network.internet_loss", "1 %"},
        {"network.gn_loss", "100 %"},
        {"network.reorder", "0.25 %"},
        {"network.reorder_delay", "3 ms"},
        {"mobiles.anna.traffic[1].download.server", "silent"},
    };
    load(QUICKSTART, sets, 5);
    assert_int_equal(config.network.internet_loss_ppm, 10000);
    assert_int_equal(config.network.gn_loss_ppm, 1000000);
    assert_int_equal(config.network.reorder_ppm, 2500);
    assert_int_equal(config.network.reorder_delay_ns, 3 * MS);
    assert_int_equal(setting_of(config.traffic, "server"), APP_TRANSFER_SILENT);
}

TEST_WITH(reads_times_and_cells, set_up, tear_down)
{
    load(QUICKSTART, NULL, 0);
    assert_int_equal(config.duration_ns, 120 * S);
    assert_int_equal(config.warmup_ns, 0);
    assert_int_equal(config.series_every_ns, S);
    assert_int_equal(config.seed, 7);
    assert_int_equal(config.network.server_delay_ns, 20 * MS);
    assert_int_equal(config.network.gn_delay_ns, MS);
    assert_int_equal(config.network.gb_delay_ns, MS);
    assert_int_equal(config.cell_count, 1);
    static const struct scenario_config_cell expected = {
        .bvci = 2,
        .pdchs = 4,
        .coding = "CS-2",
        .block_payload_octets = 30,
        .up_payload_octets = 30,
        .bler_down_ppm = 20000,
        .bler_up_ppm = 20000,
        .retransmission_ns = 100 * MS,
        .window_blocks = 64,
        .downlink_slots = 4,
        .uplink_slots = 1,
        .setup_ns = 200 * MS,
        .setup_with_uplink_ns = 100 * MS,
        .release_ns = 2 * S,
        .uplink_access_ns = 200 * MS,
        .uplink_hold_ns = 500 * MS,
        .mobile_buffer_octets = 1000000,
        .cell_buffer_octets = 4000000,
    };
    assert_memory_equal(&config.cells[0], &expected, sizeof(expected));
}

TEST_WITH(reads_the_node, set_up, tear_down)
{
    load(QUICKSTART, NULL, 0);
    const struct node_config *node = &config.sgsns[0].node;
    assert_int_equal(node->mobile_count, 3);
    assert_int_equal(node->cell_count, 1);
    assert_int_equal(node->policy.lifetime.sgsn_max_ns, 2 * S);
    assert_int_equal(node->mobiles.queue_limit_octets, 64000);
    assert_int_equal(node->announcements[0].bucket_octets, 3000);
    assert_int_equal(node->announcements[0].rate_bps, 48000);
    assert_int_equal(node->announcements[0].every_ns, 1 * S);
    assert_int_equal(node->announcements[0].ms_count, 3);
    assert_int_equal(node->contexts[2].sgsn_address, SCENARIO_CONFIG_SGSN_ADDRESS);
    assert_int_equal(node->contexts[2].ggsn_address, SCENARIO_CONFIG_GGSN_ADDRESS);
}

TEST_WITH(reads_mobiles, set_up, tear_down)
{
    static const struct {
        const char *name;
        enum qclass qclass;
        uint32_t traffic_count;
    } rows[] = {{"anna", QCLASS_BACKGROUND, 2}, {"bert", QCLASS_THP2, 1}, {"carl", QCLASS_BACKGROUND, 1}};
    load(QUICKSTART, NULL, 0);
    assert_int_equal(config.mobile_count, 3);
    for (uint32_t i = 0, traffic = 0; i < 3; i++) {
        const struct scenario_config_mobile *mobile = &config.mobiles[i];
        assert_string_equal(mobile->name, rows[i].name);
        assert_int_equal(mobile->qclass, rows[i].qclass);
        assert_int_equal(mobile->first_traffic, traffic);
        assert_int_equal(mobile->traffic_count, rows[i].traffic_count);
        assert_int_equal(mobile->tlli, 0xc0000001 + i);
        assert_int_equal(mobile->address, 0x0a2d0001 + i);
        assert_int_equal(mobile->cell, 0);
        traffic += mobile->traffic_count;
    }
}

TEST_WITH(reads_traffic, set_up, tear_down)
{
    load(QUICKSTART, NULL, 0);
    assert_int_equal(config.traffic_count, 4);
    const struct scenario_config_traffic *t = config.traffic;
    assert_ptr_equal(t[0].ops, &traffic_download);
    assert_int_equal(setting_of(&t[0], "octets"), 300000);
    assert_int_equal(t[0].start_ns, S);
    assert_int_equal(t[0].stop_ns, 120 * S);
    assert_ptr_equal(t[1].ops, &traffic_ping);
    assert_int_equal(t[1].mobile, 0);
    assert_int_equal(setting_of(&t[1], "every"), S);
    assert_int_equal(setting_of(&t[1], "octets"), 64);
    assert_int_equal(setting_of(&t[1], "count"), 0);
    assert_ptr_equal(t[2].ops, &traffic_web);
    assert_int_equal(t[2].mobile, 1);
    assert_int_equal(setting_of(&t[2], "items"), 30);
    assert_int_equal(setting_of(&t[2], "pages"), 0);
    assert_int_equal(setting_of(&t[2], "reading"), S);
    assert_true(setting_of(&t[2], "persistent"));
    assert_false(setting_of(&t[2], "reading_law"));
    assert_int_equal(t[3].mobile, 2);
}

TEST_WITH(reads_tcp, set_up, tear_down)
{
    load(QUICKSTART, NULL, 0);
    const struct tcp_params expected = tcp_params_default();
    assert_memory_equal(&config.traffic[0].tcp, &expected, sizeof(expected));
}

TEST_WITH(reads_servers, set_up, tear_down)
{
    struct scenario_config_set sets[] = {{"mobiles.anna.traffic[2].ping.server_delay", "30 ms"},
                                         {"mobiles.carl.server_delay", "0 s"},
                                         {"mobiles.carl.server_delay_max", "1 s"}};
    load(QUICKSTART, NULL, 0);
    assert_false(config.has_servers);
    lua_settop(L, 0);
    scenario_config_free(&config);
    load(QUICKSTART, sets, 3);
    assert_true(config.has_servers);
    assert_false(config.traffic[0].server.is_given);
    assert_true(config.traffic[1].server.is_given);
    assert_int_equal(config.traffic[1].server.delay_ns, 30 * MS);
    assert_int_equal(config.traffic[1].server.delay_max_ns, 30 * MS);
    assert_false(config.mobiles[0].server.is_given);
    assert_true(config.mobiles[2].server.is_given);
    assert_int_equal(config.mobiles[2].server.delay_ns, 0);
    assert_int_equal(config.mobiles[2].server.delay_max_ns, S);
}

TEST_WITH(reads_what_differs, set_up, tear_down)
{
    load(TWO_CELLS, NULL, 0);
    assert_int_equal(config.warmup_ns, 20 * S);
    assert_int_equal(config.cells[0].bler_down_ppm, 50000);
    assert_int_equal(config.cells[0].bler_up_ppm, 50000);
    assert_int_equal(config.cells[1].block_payload_octets, 36);
    assert_int_equal(config.mobile_count, 16);
    assert_int_equal(config.mobiles[12].cell, 1);
    assert_string_equal(config.mobiles[15].name, "emil3");
    const struct scenario_config_traffic *cbr = &config.traffic[12], *emil = &config.traffic[15];
    assert_ptr_equal(cbr->ops, &traffic_cbr);
    assert_int_equal(setting_of(cbr, "rate"), 16000);
    assert_int_equal(setting_of(cbr, "packet"), 400);
    assert_int_equal(emil->mobile, 15);
    assert_false(emil->tcp.sack);
    assert_int_equal(emil->tcp.receive_window_octets, 16384);
    assert_true(config.traffic[0].tcp.sack);
    assert_true(setting_of(config.traffic, "reading_law"));
}

TEST_WITH(takes_changes, set_up, tear_down)
{
    struct scenario_config_set sets[] = {
        {"sgsn.lifetime.sgsn_max", "5s"},
        {"cells[1].pdchs", "3"},
        {"tcp.receive_window", "64 KiB"},
        {"mobiles.laptop.name", "phone"},
    };
    load(BUFFERING, sets, 4);
    assert_int_equal(config.sgsns[0].node.policy.lifetime.sgsn_max_ns, 5 * S);
    assert_int_equal(config.cells[0].pdchs, 3);
    assert_int_equal(config.sgsns[0].node.announcements[0].rate_bps, 36000);
    assert_true(config.traffic[0].tcp.window_scale);
    assert_string_equal(config.mobiles[0].name, "phone");
    assert_int_equal(setting_of(config.traffic, "octets"), INT64_MAX);
    assert_int_equal(config.set_count, 4);
    assert_string_equal(config.sets[1].path, "cells[1].pdchs");
    assert_string_equal(config.sets[1].value, "3");
}

TEST_WITH(lists_assumptions, set_up, tear_down)
{
    load(BUFFERING, NULL, 0);
    assert_int_equal(config.assumption_count, 14);
    assert_string_equal(config.assumptions[3].path, "cells[1].bler");
    assert_string_equal(config.assumptions[3].value, "1 %");
    assert_non_null(strstr(config.assumptions[3].why, "C/I"));
    assert_non_null(strstr(config.assumptions[3].holds_over, "5 %"));
}

/* Each cell has its SGSN, and mobiles their own cell in whatever node they are listed. */
TEST_WITH(reads_sgsns, set_up, tear_down)
{
    struct scenario_config_set sets[] = {
        {"cells[2].nse", "2", NULL},
        {"sgsns", "{ { name = \"west\", cells = { 2 } }, { name = \"east\", cells = { 3 } } }", NULL},
        {"relocation", "{ forward = false, delay = \"7 ms\", accept = \"1 s\" }", NULL},
    };
    load("config/scenarios/two-cells.lua", sets, 3);
    assert_int_equal(config.sgsn_count, 2);
    assert_string_equal(config.sgsns[0].name, "west");
    assert_string_equal(config.sgsns[1].name, "east");
    for (uint16_t i = 0; i < 2; i++) {
        assert_int_equal(config.cells[i].sgsn, i);
        assert_int_equal(config.sgsns[i].first_cell, i);
        assert_int_equal(scenario_config_place(&config, i), 0);
        assert_int_equal(config.sgsns[i].node.cells[0].bvci, config.cells[i].bvci);
        assert_int_equal(config.sgsns[i].node.mobile_count, config.mobile_count);
    }
    assert_int_equal(config.mobiles[0].cell, 0);
    assert_int_equal(config.mobiles[12].cell, 1);
    assert_false(config.relocation.is_forwarding);
    assert_int_equal(config.relocation.delay_ns, S / 1000 * 7);
    assert_int_equal(config.relocation.accept_ns, S);
    assert_int_equal(config.relocation.hold_ns, 20 * S);
}

TEST_WITH(refuses, set_up, tear_down)
{
    static struct scenario_config_set rows[] = {
        {"cells[1].pdchs", "0"},
        {"cells[2].pdchs", "1"},
        {"duration", "5"},
        {"sgsn.colour", "red"},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct lua_scenario_options options = {.seed = 1, .sets = &rows[i], .set_count = 1};
        assert_false(lua_scenario_load(L, QUICKSTART, &options, &config));
        assert_int_equal(lua_gettop(L), 0);
        assert_null(config.title);
        assert_int_equal(config.mobile_count, 0);
    }
    struct lua_scenario_options options = {.seed = 1};
    assert_false(lua_scenario_load(L, "config/scenarios/there-is-none.lua", &options, &config));
    assert_false(lua_scenario_load(L, "config/nodes/replay-80k.lua", &options, &config));
    assert_int_equal(lua_gettop(L), 0);
}

TEST_WITH(knows_one, set_up, tear_down)
{
    assert_int_equal(lua_scenario_detect(L, QUICKSTART), 1);
    assert_int_equal(lua_scenario_detect(L, "config/nodes/replay-80k.lua"), 0);
    assert_int_equal(lua_scenario_detect(L, "config/there-is-none.lua"), -1);
    assert_int_equal(lua_gettop(L), 0);
}

UNIT_MAIN(NULL, NULL)
