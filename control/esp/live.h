/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ESP of a live node: associations of its file of keys at the start and at each reload, and of an IKE daemon,
 * and their exchange at the workers.
 */
#ifndef CONTROL_ESP_LIVE_H
#define CONTROL_ESP_LIVE_H

#include "control/esp/associations.h"
#include "control/esp/faults.h"
#include "control/esp/ike.h"
#include "control/links/links.h"
#include "control/report/field.h"
#include "control/sessions/node_capability.h"
#include "dataplane/esp_guard/esp_guard.h"

#include <stdbool.h>
#include <stdint.h>

struct esp_live {
    const struct node_capability_host *host;
    struct esp_config config; /* in force; is_on: whether a port has ESP */
    struct used_keys used;
    struct associations all;
    unsigned count;
    struct association *held[ESP_CONFIG_SAS]; /* those of the file of keys */
    struct esp_guard guards[TEID_WORKERS];
    struct esp_faults faults;
    struct esp_ike ike;
};

/* Associations and rules that are to be in force next. */
struct esp_live_next {
    struct esp_config config;
    unsigned count, made_count;
    struct esp_live_made {
        struct used_key key;
        uint32_t group;
        struct sa *sa; /* NULL: it is in force */
    } list[ESP_CONFIG_SAS];
};

/* The tunnels of the rules in force, for the links of the ports (tunnels.c); esp must outlive them. */
struct links_tunnels esp_tunnels_of(struct esp_live *esp);

/* The capability of a live node; its state is a struct esp_live. */
extern const struct node_capability esp_capability;

/* Tables of gbflow show; record: a pointer to a struct esp_live, or to NULL. */
extern const struct field esp_show_tables[];

#endif
