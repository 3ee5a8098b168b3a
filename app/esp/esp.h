/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP in the commands of the program: `gbflow esp`, findings of `gbflow doctor`, the file of keys in `gbflow
 * check`. */
#ifndef APP_ESP_ESP_H
#define APP_ESP_ESP_H

#include <stdbool.h>
#include <stdint.h>

struct findings;
struct node_config;

int command_esp(int argc, char **argv);

/* Adds findings about drivers of crypto devices, and about the kernel's part of IKE. */
void esp_examine(struct findings *d);

/* Checks the file of keys that a node names, if this user may read it, and counts its associations.
 * config_path: the node's file. False, with lines on stderr: it is wrong. */
bool esp_check(const struct node_config *config, const char *config_path, int64_t *associations);

#endif
