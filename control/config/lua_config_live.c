/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the keys of `live` from a checked configuration. */
#include "control/config/address_book.h"
#include "control/config/lua_config_node.h"

#include "control/lua/lua_table.h"

#include <stdio.h>
#include <string.h>

#define MAPPED_BITS 96 /* in front of an IPv4 prefix */

/* A MAC address, if it is there. */
static bool read_mac(lua_State *L, const char *key, uint8_t mac[6])
{
    char text[18];
    lua_getfield(L, -1, key);
    bool is_given = lua_isstring(L, -1);
    lua_pop(L, 1);
    if (!is_given)
        return false;
    lua_table_text(L, key, text, sizeof(text));
    return sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4],
                  &mac[5]) == 6;
}

/* A text, if it is there. */
static void read_text(lua_State *L, const char *key, char *out, size_t cap)
{
    lua_getfield(L, -1, key);
    if (lua_isstring(L, -1))
        snprintf(out, cap, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
}

static void read_route(lua_State *L, void *arg, uint32_t parent)
{
    struct live_config_port *port = arg;
    struct neighbour_route *route = &port->routes[port->route_count++];
    route->to = neighbour_ip_v4(lua_table_address(L, "address"));
    route->bits = (uint8_t)(MAPPED_BITS + lua_table_integer(L, "bits"));
    lua_getfield(L, -1, "via");
    route->is_direct = lua_isnil(L, -1);
    lua_pop(L, 1);
    if (!route->is_direct)
        route->via = neighbour_ip_v4(lua_table_address(L, "via"));
}

static void read_neighbour(lua_State *L, void *arg, uint32_t parent)
{
    struct live_config_port *port = arg;
    struct live_config_neighbour *neighbour = &port->neighbours[port->neighbour_count++];
    neighbour->ip = neighbour_ip_v4(lua_table_address(L, "address"));
    read_mac(L, "mac", neighbour->mac);
}

static void read_port(lua_State *L, const char *side, struct live_config_port *port)
{
    uint8_t mac[6];
    char offloads[8] = "";
    lua_getfield(L, -1, side);
    read_text(L, "port", port->device, sizeof(port->device));
    port->has_mac = read_mac(L, "mac", mac);
    port->is_promiscuous = lua_table_boolean(L, "promiscuous");
    port->vlan = (uint16_t)lua_table_integer(L, "vlan");
    read_text(L, "offloads", offloads, sizeof(offloads));
    port->has_offloads = strcmp(offloads, "none") != 0;
    lua_table_each(L, "routes", read_route, port, 0);
    lua_table_each(L, "neighbours", read_neighbour, port, 0);
    lua_pop(L, 1);
}

static void read_address(lua_State *L, void *arg, uint32_t parent)
{
    struct node_config *config = arg;
    struct live_config *live = &config->live;
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    size_t count = lua_table_text_ip(lua_tostring(L, -1), octets);
    uint32_t address = address_book_put(&config->addresses, octets, count);
    if (address != ADDRESS_NONE)
        live->addresses[live->address_count++] = address;
}

/* A GGSN's address, so that workers know a GGSN over IPv6 before it is sent a request. */
static void read_ggsn(lua_State *L, struct node_config *config, const char *key)
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    lua_getfield(L, -1, key);
    size_t count = lua_table_text_ip(lua_tostring(L, -1), octets);
    (void)address_book_put(&config->addresses, octets, count);
    lua_pop(L, 1);
}

static void read_apn(lua_State *L, void *arg, uint32_t parent)
{
    read_ggsn(L, arg, "ggsn_address");
}

static void read_listed_ggsn(lua_State *L, void *arg, uint32_t parent)
{
    read_ggsn(L, arg, "address");
}

static void read_core(lua_State *L, void *arg, uint32_t parent)
{
    struct live_config *live = arg;
    live->cores[live->core_count++] = (unsigned)lua_tointeger(L, -1);
}

static void read_argument(lua_State *L, void *arg, uint32_t parent)
{
    struct live_config *live = arg;
    snprintf(live->arguments[live->argument_count++], LIVE_CONFIG_ARGUMENT_CHARS, "%s", lua_tostring(L, -1));
}

static void read_live(lua_State *L, struct live_config *live)
{
    char idle[8] = "";
    lua_getfield(L, -1, "live");
    read_text(L, "idle", idle, sizeof(idle));
    live->is_polling = strcmp(idle, "poll") == 0;
    live->max_sleep_ns = lua_table_integer(L, "max_sleep");
    live->log_lines_per_s = (unsigned)lua_table_integer(L, "log_lines");
    lua_table_each(L, "cores", read_core, live, 0);
    live->metrics.is_on = lua_table_enter(L, "metrics");
    if (live->metrics.is_on) {
        read_text(L, "address", live->metrics.address, sizeof(live->metrics.address));
        live->metrics.port = (uint16_t)lua_table_integer(L, "port");
        live->metrics.mobiles = (uint32_t)lua_table_integer(L, "mobiles");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_eal(lua_State *L, struct live_config *live)
{
    char pages[8] = "";
    lua_getfield(L, -1, "eal");
    read_text(L, "prefix", live->eal_prefix, sizeof(live->eal_prefix));
    read_text(L, "huge_pages", pages, sizeof(pages));
    live->pages = strcmp(pages, "yes") == 0  ? LIVE_CONFIG_PAGES_HUGE
                  : strcmp(pages, "no") == 0 ? LIVE_CONFIG_PAGES_NORMAL
                                             : LIVE_CONFIG_PAGES_AUTO;
    live->is_shared = lua_table_boolean(L, "shared");
    live->memory_octets = (size_t)lua_table_integer(L, "memory");
    lua_table_each(L, "arguments", read_argument, live, 0);
    lua_pop(L, 1);
}

static void read_records(lua_State *L, struct live_config_records *records)
{
    char format[16] = "";
    if (!lua_table_enter(L, "records"))
        return;
    read_text(L, "file", records->file, sizeof(records->file));
    read_text(L, "format", format, sizeof(format));
    records->every_ns = lua_table_integer(L, "every");
    records->is_csv = strcmp(format, "osmo_csv") == 0;
    lua_pop(L, 1);
}

void lua_config_live_read(lua_State *L, struct node_config *config)
{
    struct live_config *live = &config->live;
    uint8_t mac[6];
    *live = (struct live_config){0};
    read_port(L, "gn", &live->gn);
    read_port(L, "gb", &live->gb);
    lua_getfield(L, -1, "gn");
    live->has_gn_peer_mac = read_mac(L, "peer_mac", mac);
    lua_table_each(L, "addresses", read_address, config, 0);
    lua_table_each(L, "ggsns", read_listed_ggsn, config, 0);
    if (lua_table_enter(L, "gtpc")) {
        read_text(L, "restart_file", live->restart_file, sizeof(live->restart_file));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (lua_table_enter(L, "phones")) {
        lua_table_each(L, "apns", read_apn, config, 0);
        read_records(L, &live->records);
        lua_pop(L, 1);
    }
    read_live(L, live);
    read_eal(L, live);
}
