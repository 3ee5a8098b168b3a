/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP of a live node: its crypto devices, associations and rules. */
#ifndef CONTROL_LIVE_ESP_H
#define CONTROL_LIVE_ESP_H

#include "control/config/esp_config.h"
#include "control/sessions/node.h"
#include "dataplane/esp/sa.h"

#include <stdbool.h>

#define LIVE_ESP_DEVICES 3

struct live_esp {
    bool is_on;
    struct rte_mempool *ops;
    unsigned device_count, sa_count;
    struct sa_device devices[LIVE_ESP_DEVICES];
    struct sa *sas[ESP_CONFIG_SAS];
    struct rules *rules[ESP_CONFIG_SIDES]; /* NULL: the port has no ESP */
};

/* Reads the associations, and makes what the workers need of the configuration. False, with a line on stderr.
 */
bool live_esp_open(struct live_esp *esp, const struct node *node, const char *config_path);

/* Fills in the part of each worker's ports. */
void live_esp_deal(const struct live_esp *esp, unsigned workers, struct node_ports *out);

/* No worker may be in a step. */
void live_esp_close(struct live_esp *esp);

#endif
