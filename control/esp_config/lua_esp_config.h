/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP as a configuration has it, from the key `esp` of a checked node (lua/esp/node.lua): the rules of each
 * port, and the name of the file with the associations. */
#ifndef CONTROL_ESP_CONFIG_LUA_ESP_CONFIG_H
#define CONTROL_ESP_CONFIG_LUA_ESP_CONFIG_H

#include "dataplane/esp/rules.h"
#include "dataplane/esp/sa_params.h"

#include <stdbool.h>
#include <stdint.h>

#define ESP_CONFIG_RULES      64
#define ESP_CONFIG_SAS        256
#define ESP_CONFIG_GROUPS     (2 * ESP_CONFIG_RULES)
#define ESP_CONFIG_NAME_CHARS 32
#define ESP_CONFIG_FILE_CHARS 256
#define ESP_CONFIG_NO_GROUP   UINT32_MAX /* of a rule that IKE's associations protect */

enum { ESP_CONFIG_GN, ESP_CONFIG_GB, ESP_CONFIG_SIDES };

struct esp_config {
    bool is_on;
    char keys[ESP_CONFIG_FILE_CHARS], device[32]; /* "": no file; "auto": the best */
    struct esp_config_ike {
        bool is_on;
        char netns[ESP_CONFIG_FILE_CHARS], interface[16]; /* "": the node's */
    } ike;
    struct esp_config_side {
        bool is_on;
        enum rule_action others;
        unsigned count;
        struct rule rules[ESP_CONFIG_RULES]; /* without sa; group: index in groups[] */
    } sides[ESP_CONFIG_SIDES];
    unsigned group_count;
    char groups[ESP_CONFIG_GROUPS][ESP_CONFIG_NAME_CHARS];
};

struct lua_State;

/* Reads the key `esp` of the table on top of the stack, which stays there. */
void lua_esp_config_read(struct lua_State *L, struct esp_config *esp);

/* The text of a field; "": it is not there. Valid while the table has it. */
const char *lua_esp_config_text(struct lua_State *L, const char *key);
bool lua_esp_config_is(struct lua_State *L, const char *key, const char *wanted);

/* The place of a text among words, whose last is NULL; 0: not one of them. */
unsigned lua_esp_config_place(const char *const *words, const char *text);

#endif
