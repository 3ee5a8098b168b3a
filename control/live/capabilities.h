/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The capabilities of a live node that can be left out (control/sessions/node_capability.h), in the order of
 * capabilities.def. Of functions that return bool the first that fails ends the call.
 */
#ifndef CONTROL_LIVE_CAPABILITIES_H
#define CONTROL_LIVE_CAPABILITIES_H

#include "control/sessions/node_capability.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum live_capability {
#define LIVE_CAPABILITY(name) LIVE_CAPABILITY_##name,
#include "control/live/capabilities.def"
#undef LIVE_CAPABILITY
    LIVE_CAPABILITIES
};

struct live_capabilities {
    struct node_capability_host host;
    void *states[LIVE_CAPABILITIES + 1]; /* the last one: NULL */
};

/* The parts of a new configuration that a reload has made for each. */
struct live_capabilities_next {
    void *list[LIVE_CAPABILITIES + 1];
};

/* Takes memory for their states, and starts them. */
bool live_capabilities_start(struct live_capabilities *all, const struct node_capability_host *host);

bool live_capabilities_watch(struct live_capabilities *all, int epoll_fd);
bool live_capabilities_open(struct live_capabilities *all);
void live_capabilities_deal(struct live_capabilities *all, unsigned workers, struct node_ports *ports);
void live_capabilities_serve(struct live_capabilities *all, struct links_tunnels *tunnels);
int64_t live_capabilities_step(struct live_capabilities *all, int64_t now);
bool live_capabilities_prepare(const struct live_capabilities *all, const struct node_config *config,
                               bool is_trial, struct live_capabilities_next *next);
/* Whether one of them will change, which its line says. */
bool live_capabilities_tell(const struct live_capabilities *all, const struct live_capabilities_next *next,
                            FILE *lines);
void live_capabilities_apply(struct live_capabilities *all, struct live_capabilities_next *next);
void live_capabilities_release(struct live_capabilities_next *next);
void live_capabilities_stop(struct live_capabilities *all);

/* Frees their states, too. */
void live_capabilities_close(struct live_capabilities *all);

#endif
