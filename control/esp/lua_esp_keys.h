/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that esp.keys of a node names: associations with their keys. */
#ifndef CONTROL_ESP_LUA_ESP_KEYS_H
#define CONTROL_ESP_LUA_ESP_KEYS_H

#include "control/esp_config/lua_esp_config.h"

#include <stdbool.h>
#include <stdint.h>

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
void lua_esp_keys_path(const struct esp_config *esp, const char *config_path,
                       char path[2 * ESP_CONFIG_FILE_CHARS]);

/*
 * Reads esp.keys, relative to the folder of the configuration's file. user: who may own it besides root;
 * NULL: this process's. False, with lines on stderr: it is wrong, others than its owner may read or write it,
 * or a rule names associations that it does not have. No line has a key. esp->is_on false: all associations
 * of the file, of any name.
 */
bool lua_esp_keys_load(struct esp_keys *keys, const struct esp_config *esp, const char *config_path,
                       const char *user);

/* Overwrites the keys. */
void lua_esp_keys_forget(struct esp_keys *keys);

#endif
