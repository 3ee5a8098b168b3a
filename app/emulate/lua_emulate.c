/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/lua_emulate.h"
#include "app/run/lua_cells.h"
#include "app/run/lua_scenario.h"

#include "control/config/lua_config_node.h"
#include "control/config/lua_text.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/n_pdu.h"

#include <lua.h>
#include <stdbool.h>

static void read_nsvc(lua_State *L, void *arg, uint32_t parent)
{
    struct emulate_config *config = arg;
    struct emulate_config_nsvc *nsvc = lua_table_append(&config->nsvcs, &config->nsvc_count, sizeof(*nsvc));
    nsvc->nsvci = (uint16_t)lua_table_integer(L, "nsvci");
    nsvc->address = lua_table_address(L, "address");
    nsvc->udp_port = (uint16_t)lua_table_integer(L, "udp_port");
    nsvc->sgsn_address = lua_table_address(L, "sgsn_address");
    nsvc->sgsn_udp_port = (uint16_t)lua_table_integer(L, "sgsn_udp_port");
}

static bool read_bucket(lua_State *L, const char *key, struct bss_bucket *bucket)
{
    if (!lua_table_enter(L, key))
        return false;
    bucket->bucket_octets = (uint64_t)lua_table_integer(L, "bucket");
    bucket->rate_bps = (uint64_t)lua_table_integer(L, "rate");
    lua_pop(L, 1);
    return true;
}

static void read_flow_control(lua_State *L, struct emulate_config_cell *cell)
{
    lua_table_enter(L, "flow_control");
    read_bucket(L, "bvc", &cell->bvc);
    read_bucket(L, "ms_default", &cell->ms_default);
    read_bucket(L, "pfc", &cell->pfc);
    cell->has_ms = read_bucket(L, "ms", &cell->ms);
    if (cell->has_ms) {
        lua_table_enter(L, "ms");
        cell->ms_at_ns = lua_table_integer(L, "start");
        cell->ms_by_coding = lua_table_boolean(L, "by_coding");
        lua_pop(L, 1);
    }
    cell->announce_every_ns = lua_table_integer(L, "every");
    cell->has_measurement = lua_table_boolean(L, "measurement");
    cell->has_level = lua_table_boolean(L, "bucket_level");
    lua_pop(L, 1);
}

static void read_cell(lua_State *L, void *arg, uint32_t parent)
{
    struct emulate_config *config = arg;
    struct emulate_config_cell *cell = lua_table_append(&config->cells, &config->cell_count, sizeof(*cell));
    lua_table_enter(L, "cell_id");
    lua_table_text(L, "mcc", cell->cell_id.mcc, sizeof(cell->cell_id.mcc));
    lua_table_text(L, "mnc", cell->cell_id.mnc, sizeof(cell->cell_id.mnc));
    cell->cell_id.lac = (uint16_t)lua_table_integer(L, "lac");
    cell->cell_id.rac = (uint8_t)lua_table_integer(L, "rac");
    cell->cell_id.ci = (uint16_t)lua_table_integer(L, "ci");
    lua_pop(L, 1);
    read_flow_control(L, cell);
}

static uint16_t cell_of(const struct emulate_config *config, lua_Integer bvci)
{
    uint16_t cell = 0;
    while (config->air.cells[cell].bvci != bvci)
        cell++;
    return cell;
}

static struct emulate_config_mobile mobile_of(lua_State *L, const struct emulate_config *config)
{
    char qclass[16];
    lua_table_text(L, "class", qclass, sizeof(qclass));
    struct emulate_config_mobile mobile = {
        .tlli = (uint32_t)lua_table_integer(L, "tlli"),
        .address = lua_table_address(L, "address"),
        .cell = cell_of(config, lua_table_integer(L, "cell")),
        .n201_u = (uint16_t)lua_table_integer(L, "n201_u"),
        .nsapi = (uint8_t)lua_table_integer(L, "nsapi"),
        .sapi = (uint8_t)lua_table_integer(L, "sapi"),
        .qclass = (uint8_t)n_pdu_qclass_from_name(qclass),
    };
    lua_config_node_ciphering(L, &mobile.ciphering);
    lua_scenario_read_stack(L, &mobile.stack);
    return mobile;
}

static struct emulate_config_device device_of(lua_State *L)
{
    struct emulate_config_device device = {0};
    lua_table_enter(L, "tun");
    lua_table_text(L, "device", device.name, sizeof(device.name));
    lua_getfield(L, -1, "namespace");
    bool has_name_space = lua_isstring(L, -1);
    lua_pop(L, 1);
    if (has_name_space)
        lua_table_text(L, "namespace", device.name_space, sizeof(device.name_space));
    device.mtu_octets = (uint16_t)lua_table_integer(L, "mtu");
    device.has_default_route = lua_table_boolean(L, "default_route");
    lua_pop(L, 1);
    return device;
}

/* One item is `count` mobiles behind one device. */
static void read_mobiles(lua_State *L, void *arg, uint32_t parent)
{
    struct emulate_config *config = arg;
    struct emulate_config_mobile like = mobile_of(L, config);
    struct emulate_config_device *device =
        lua_table_append(&config->devices, &config->device_count, sizeof(*device));
    *device = device_of(L);
    device->first_mobile = config->mobile_count;
    device->mobile_count = (uint32_t)lua_table_integer(L, "count");
    for (uint32_t i = 0; i < device->mobile_count; i++, like.tlli++, like.address++) {
        struct emulate_config_mobile *mobile =
            lua_table_append(&config->mobiles, &config->mobile_count, sizeof(*mobile));
        *mobile = like;
    }
}

static void read_phones(lua_State *L, struct emulate_config *config)
{
    if (!lua_table_enter(L, "phones"))
        return;
    lua_scenario_read_stack(L, &config->phones_stack);
    if (lua_table_enter(L, "tun")) {
        lua_pop(L, 1);
        struct emulate_config_device *device =
            lua_table_append(&config->devices, &config->device_count, sizeof(*device));
        *device = device_of(L);
        device->is_of_phones = true;
    }
    lua_pop(L, 1);
}

static void read_all(lua_State *L, struct emulate_config *config)
{
    config->nsei = (uint16_t)lua_table_integer(L, "nsei");
    config->air.seed = (uint64_t)lua_table_integer(L, "seed");
    lua_table_each(L, "nsvcs", read_nsvc, config, 0);
    lua_cells_read(L, &config->air);
    lua_table_each(L, "cells", read_cell, config, 0);
    lua_table_each(L, "mobiles", read_mobiles, config, 0);
    read_phones(L, config);
}

bool lua_emulate_load(lua_State *L, const char *path, struct emulate_config *config,
                      struct emulate_phones **phones)
{
    *config = (struct emulate_config){0};
    if (!lua_text_load_config(L, path, "bss"))
        return false;
    read_all(L, config);
    if (phones)
        *phones = emulate_phones_new(L, config);
    lua_pop(L, 1);
    return true;
}
