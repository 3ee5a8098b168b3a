/* SPDX-License-Identifier: BSD-3-Clause */
/* What DL-UNITDATA says of mobiles: from a node's file to octets. */
#include "control/config/lua_config.h"
#include "control/config/lua_config_node.h"
#include "control/lua/lua_host.h"
#include "tests/unit/unit.h"

#include <string.h>

#define RADIO    "tests/unit/control/config/node_radio.lua"
#define DEFAULTS "config/nodes/replay-80k.lua"

static void with(const char *path, void (*look)(const struct node_config *config))
{
    struct node_config config;
    lua_State *L = lua_host_new(lua_modules);
    assert_true(lua_config_load_node(L, path, &config));
    look(&config);
    node_config_free(&config);
    lua_host_free(L);
}

static const struct bssgp_elements *elements_of(const struct node_config *config, unsigned mobile)
{
    uint32_t number = config->list[mobile].elements;
    assert_in_range(number, 1, config->elements_count);
    return &config->elements[number - 1];
}

static void look_at_radio(const struct node_config *config)
{
    static const uint8_t behind[] = {0x17, 0x81, 0x79, 0x0a, 0x82, 0x12, 0xff,
                                     0x27, 0x81, 0x00, 0x3d, 0x81, 0x02};
    static const uint8_t others[] = {0x0a, 0x82, 0x80, 0x20};
    const struct bssgp_elements *first = elements_of(config, 0), *second = elements_of(config, 1);
    assert_int_equal(first->front_octets, 131 + 3 + 4);
    assert_int_equal(first->back_octets, 3 + 3);
    assert_memory_equal(first->bytes, "\x13\x00\x80\x0a", 4);
    assert_memory_equal(first->bytes + 131, behind, sizeof behind);
    assert_int_equal(bssgp_elements_octets(second), sizeof others);
    assert_memory_equal(second->bytes, others, sizeof others);
    assert_int_equal(bssgp_elements_octets(elements_of(config, 2)), 0);
    assert_int_equal(config->mobiles.elements, config->list[1].elements);
    assert_true(!config->gb.tells_imsi && config->policy.unitdata.is_aligned &&
                !config->policy.unitdata.tells_tlli_old);
}

TEST(radio)
{
    with(RADIO, look_at_radio);
}

static void look_at_defaults(const struct node_config *config)
{
    assert_int_equal(config->elements_count, 0);
    assert_int_equal(config->mobiles.elements, 0);
    assert_true(config->gb.tells_imsi && !config->policy.unitdata.is_aligned &&
                config->policy.unitdata.tells_tlli_old);
}

TEST(defaults)
{
    with(DEFAULTS, look_at_defaults);
}

UNIT_MAIN(NULL, NULL)
