/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control core: carries signalling between the worker and the Lua control plane, turns intents into
 * messages, and keeps the messages in order when the ring is full. It has one function of time, like
 * everything in virtual time.
 */
#ifndef CONTROL_CORE_H
#define CONTROL_CORE_H

#include "control/lua_gb.h"
#include "control/node_config.h"
#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_mempool;

struct core {
    const struct node_config *config;
    struct msg_rings *rings;  /* the worker's */
    struct rte_mempool *pool; /* buffers for what control sends */
    struct lua_gb gb;
    int64_t now;      /* of the step that runs */
    int64_t timer_ns; /* next timer of the Lua side */
    uint32_t seq;
    struct msg *backlog; /* waits for room on the ring: backlog[backlog_head .. backlog_count) */
    size_t backlog_head, backlog_count, backlog_cap;
    bool is_verbose;            /* prints what the control plane logs at level info too */
    uint64_t answered, refused; /* requests, and those that the worker could not carry out */
    uint64_t send_failures;     /* NS PDUs for which there was no buffer */

    /* A GGSN says that it has no context with this TEID; NULL: nobody wants to know. */
    void (*on_tunnel_error)(void *arg, uint32_t ggsn_ip, uint32_t ggsn_teid);
    void *tunnel_error_arg;
};

/*
 * Starts the control plane over a worker's rings. The checked configuration is on top of L's stack and is
 * popped; config must outlive the core. NSEs, NS-VCs and cells are ordered at once.
 */
void core_init(struct core *core, lua_State *L, const struct node_config *config, struct msg_rings *rings,
               struct rte_mempool *pool);
void core_fini(struct core *core);

/* Opens the dialogue on Gb. */
void core_start(struct core *core, int64_t now);

/* Sends a request to the worker, in the order of the calls; its sequence number is set here. */
void core_request(struct core *core, const struct msg *msg);

/* Takes what the worker said, lets timers expire, hands on what waits. Returns the next deadline, or now if
 * it moved anything. */
int64_t core_step(struct core *core, int64_t now);

#endif
