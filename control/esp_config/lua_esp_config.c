/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp_config/lua_esp_config.h"

#include "control/lua/lua_table.h"

#include <stdio.h>
#include <string.h>

enum { PROTO_ICMP = 1, PROTO_TCP = 6, PROTO_UDP = 17, PROTO_ICMPV6 = 58, PROTO_SCTP = 132 };

static const char *const actions[] = {"pass", "protect", "drop", NULL};

static const struct {
    const char *name;
    uint8_t number;
} protocols[] = {{"udp", PROTO_UDP},
                 {"tcp", PROTO_TCP},
                 {"sctp", PROTO_SCTP},
                 {"icmp", PROTO_ICMP},
                 {"icmpv6", PROTO_ICMPV6}};

const char *lua_esp_config_text(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text ? text : "";
}

bool lua_esp_config_is(lua_State *L, const char *key, const char *wanted)
{
    return strcmp(lua_esp_config_text(L, key), wanted) == 0;
}

unsigned lua_esp_config_place(const char *const *words, const char *text)
{
    for (unsigned i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return 0;
}

/* --- rules --- */

static void read_network(lua_State *L, const char *key, struct sa_address *address, uint8_t *bits)
{
    char full[32];
    size_t count;
    snprintf(full, sizeof(full), "%s_octets", key);
    lua_getfield(L, -1, full);
    const char *octets = lua_tolstring(L, -1, &count);
    if (octets && count <= sizeof(address->octets))
        memcpy(address->octets, octets, count);
    lua_pop(L, 1);
    snprintf(full, sizeof(full), "%s_bits", key);
    *bits = (uint8_t)lua_table_integer(L, full);
}

/* The index of a name of associations, which is added if it is new. */
static uint32_t group_of(struct esp_config *esp, const char *name)
{
    for (unsigned i = 0; i < esp->group_count; i++)
        if (strcmp(esp->groups[i], name) == 0)
            return i;
    snprintf(esp->groups[esp->group_count], ESP_CONFIG_NAME_CHARS, "%s", name);
    return esp->group_count++;
}

struct rule_place {
    struct esp_config *esp;
    struct esp_config_side *side;
};

static void read_rule(lua_State *L, void *arg, uint32_t parent)
{
    struct rule_place *place = arg;
    struct rule *rule = &place->side->rules[place->side->count++];
    struct rule_selector *s = &rule->selector;
    s->is_ipv6 = lua_esp_config_is(L, "ip", "ipv6");
    read_network(L, "remote", &s->remote, &s->remote_bits);
    read_network(L, "local_address", &s->local, &s->local_bits);
    for (unsigned i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
        if (lua_esp_config_is(L, "protocol", protocols[i].name))
            s->protocol = protocols[i].number;
    s->local_port = (uint16_t)lua_table_integer(L, "local_port");
    s->remote_port = (uint16_t)lua_table_integer(L, "remote_port");
    rule->action = (enum rule_action)lua_esp_config_place(actions, lua_esp_config_text(L, "action"));
    const char *sas = lua_esp_config_text(L, "sas");
    if (rule->action == RULE_PROTECT)
        rule->group = sas[0] ? group_of(place->esp, sas) : ESP_CONFIG_NO_GROUP;
}

static void read_side(lua_State *L, const char *key, struct esp_config *esp, struct esp_config_side *side)
{
    struct rule_place place = {esp, side};
    side->is_on = lua_table_enter(L, key);
    if (!side->is_on)
        return;
    side->others = (enum rule_action)lua_esp_config_place(actions, lua_esp_config_text(L, "others"));
    lua_table_each(L, "rules", read_rule, &place, 0);
    lua_pop(L, 1);
}

static void read_ike(lua_State *L, struct esp_config_ike *ike)
{
    ike->is_on = lua_table_enter(L, "ike");
    if (!ike->is_on)
        return;
    snprintf(ike->netns, sizeof(ike->netns), "%s", lua_esp_config_text(L, "netns"));
    snprintf(ike->interface, sizeof(ike->interface), "%s", lua_esp_config_text(L, "interface"));
    lua_pop(L, 1);
}

void lua_esp_config_read(lua_State *L, struct esp_config *esp)
{
    *esp = (struct esp_config){0};
    esp->is_on = lua_table_enter(L, "esp");
    if (!esp->is_on)
        return;
    snprintf(esp->keys, sizeof(esp->keys), "%s", lua_esp_config_text(L, "keys"));
    snprintf(esp->device, sizeof(esp->device), "%s", lua_esp_config_text(L, "device"));
    read_ike(L, &esp->ike);
    read_side(L, "gn", esp, &esp->sides[ESP_CONFIG_GN]);
    read_side(L, "gb", esp, &esp->sides[ESP_CONFIG_GB]);
    lua_pop(L, 1);
}
