/* SPDX-License-Identifier: BSD-3-Clause */
/* A rig for GTP-C: control with its sessions, and the worker's rings, which the test holds. */
#ifndef TESTS_UNIT_CONTROL_SESSIONS_GTPC_RIG_H
#define TESTS_UNIT_CONTROL_SESSIONS_GTPC_RIG_H

#include "control/core/core.h"
#include "control/sessions/sessions.h"
#include "dataplane/wire/gtpc.h"

struct gtpc_rig {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct rte_mempool *pool;
    struct core core;
    struct sessions sessions;
    struct gtpc sent; /* the latest of GTP-C, and its way */
    unsigned ci;      /* that of the mobile's cell in it */
    struct msg way;
};

/* Group set-up: DPDK, once in a process. */
int gtpc_rig_start(void **state);

/* Loads the configuration, a file, which a test may change before gtpc_rig_begin(). */
void gtpc_rig_load(struct gtpc_rig *rig, const char *config);
void gtpc_rig_begin(struct gtpc_rig *rig);
/* No order of this type is left. */
void gtpc_rig_close(struct gtpc_rig *rig, uint16_t type);

/* The next order to the worker of these types, whatever is between; false: none. */
bool gtpc_rig_next_of_two(struct gtpc_rig *rig, uint16_t first, uint16_t second, struct msg *msg);
bool gtpc_rig_next_of(struct gtpc_rig *rig, uint16_t type, struct msg *msg);

#endif
