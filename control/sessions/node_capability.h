/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part of a live node that can be left out: what it does at the start, in control's loop, at a reload and
 * at the end (control/live/capabilities.def has a row for each). Functions that are NULL do
 * nothing. All are called by the control thread, but for those of a reload that say so; workers are told by
 * messages and by the guards of their ports.
 *
 * The order is start, watch, open, deal, serve; then step and reloads; then stop and close.
 */
#ifndef CONTROL_SESSIONS_NODE_CAPABILITY_H
#define CONTROL_SESSIONS_NODE_CAPABILITY_H

#include "control/sessions/node.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct links;
struct links_tunnels;

/* The node of a part; it outlives the part. */
struct node_capability_host {
    struct node *node;
    struct links *links;
    const char *config_path;
    const char *user; /* that the node becomes after the start; NULL: the present one */
};

struct node_capability {
    /* Of its state, which the node takes at the start, all zero, and frees behind close. Each function but
     * release gets it as its first argument. */
    size_t octets;
    /* Before DPDK and threads. False, with a line on stderr: the node does not start. */
    bool (*start)(void *state, const struct node_capability_host *host);
    /* Adds file descriptors for which control's loop wakes. False: the kernel has no memory for that. */
    bool (*watch)(void *state, int epoll_fd);
    /* With DPDK, before the workers are made. False, with a line on stderr: the node does not start. */
    bool (*open)(void *state);
    /* Fills in its part of each worker's ports. */
    void (*deal)(void *state, unsigned workers, struct node_ports *ports);
    /* Before the links and the core begin: what workers tell comes to it, and tunnels are its own. */
    void (*serve)(void *state, struct links_tunnels *tunnels);
    /* In control's loop; returns the time of the next step. */
    int64_t (*step)(void *state, int64_t now);
    /* In the thread of a reload: makes what a configuration needs, for a trial without a trace; *next NULL:
     * nothing. False, with a line on stderr: it cannot. */
    bool (*prepare)(const void *state, const struct node_config *config, bool is_trial, void **next);
    /* In the control thread: whether something changes, with a line about it to lines, unless that is NULL.
     */
    bool (*tell)(const void *state, const void *next, FILE *lines);
    /* In the control thread: brings it in force. */
    void (*apply)(void *state, void *next);
    /* In the thread of a reload, when next was applied, or is not needed. */
    void (*release)(void *next);
    /* No worker may be in a step: ends processes; after the ports were closed: frees the rest. */
    void (*stop)(void *state);
    void (*close)(void *state);
};

#endif
