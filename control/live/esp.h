/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP of a live node: associations of its file of keys at the start and at each reload, and their exchange at
 * the workers. */
#ifndef CONTROL_LIVE_ESP_H
#define CONTROL_LIVE_ESP_H

#include "control/esp/associations.h"
#include "control/sessions/node.h"

#include <stdbool.h>
#include <stdint.h>

struct live_esp {
    struct esp_config config; /* in force; is_on: whether a port has ESP */
    struct used_keys used;
    struct associations all;
    unsigned count;
    struct association *held[ESP_CONFIG_SAS]; /* those of the file of keys */
};

/* Associations and rules that are to be in force next. */
struct live_esp_next {
    struct esp_config config;
    unsigned count, made_count;
    struct live_esp_made {
        struct used_key key;
        uint32_t group;
        struct sa *sa; /* NULL: it is in force */
    } list[ESP_CONFIG_SAS];
};

/* Opens the devices, reads the associations, and makes the first rules. False, with a line on stderr. */
bool live_esp_open(struct live_esp *esp, const struct node *node, const char *config_path, const char *user);

/* Fills in the part of each worker's ports. */
void live_esp_deal(const struct live_esp *esp, unsigned workers, struct node_ports *out);

/* No worker may be in a step. */
void live_esp_close(struct live_esp *esp);

/*
 * In the thread of a reload: makes the associations that the file has now and the node has not, and notes
 * that their keys are used, but for a trial. user: who may own the file besides root. NULL, with a line on
 * stderr: the file is wrong, or its keys were used by an earlier run.
 */
struct live_esp_next *live_esp_prepare(const struct live_esp *esp, const struct esp_config *config,
                                       const char *config_path, const char *user, bool is_trial);
void live_esp_next_free(struct live_esp_next *next);

/* In the control thread: brings them in force, and empties it. Returns how many have gone. */
unsigned live_esp_apply(struct live_esp *esp, struct live_esp_next *next, int64_t now);

struct live;

/* Orders an exchange that is due; returns the time of the next step. */
int64_t live_esp_step(struct live *live, int64_t now);

#endif
