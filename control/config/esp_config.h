/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP as a configuration has it: the rules of each port, and the file with the associations. */
#ifndef CONTROL_CONFIG_ESP_CONFIG_H
#define CONTROL_CONFIG_ESP_CONFIG_H

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

/* The associations of a file. */
struct esp_keys {
    char path[2 * ESP_CONFIG_FILE_CHARS];
    unsigned count;
    struct esp_keys_sa {
        uint32_t group;
        struct sa_params params;
    } list[ESP_CONFIG_SAS];
};

/* The path of esp.keys, which may be relative to the folder of the configuration's file. */
void lua_config_esp_path(const struct esp_config *esp, const char *config_path,
                         char path[2 * ESP_CONFIG_FILE_CHARS]);

/*
 * Reads esp.keys, relative to the folder of the configuration's file. user: who may own it besides root;
 * NULL: this process's. False, with lines on stderr: it is wrong, others than its owner may read or write it,
 * or a rule names associations that it does not have. No line has a key. esp->is_on false: all associations
 * of the file, of any name.
 */
bool lua_config_load_esp_keys(struct esp_keys *keys, const struct esp_config *esp, const char *config_path,
                              const char *user);

/* Overwrites the keys. */
void lua_config_esp_forget(struct esp_keys *keys);

#endif
