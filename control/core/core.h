/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control core: carries signalling between the workers and the Lua control plane, turns intents into
 * messages, and keeps the messages to each worker in order when its ring is full. It has one function of
 * time, like everything in virtual time.
 *
 * NSEs, NS-VCs, cells, mobiles and contexts have one number each, their slot at every worker.
 */
#ifndef CONTROL_CORE_CORE_H
#define CONTROL_CORE_CORE_H

#include "control/core/core_link.h"
#include "control/core/core_order.h"
#include "control/lua/lua_gb.h"
#include "control/lua/lua_gtpc.h"
#include "control/lua/lua_llc.h"
#include "control/lua/lua_paths.h"
#include "control/core/mobility.h"
#include "control/config/node_config.h"
#include "dataplane/base/teid.h"
#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct log;
struct rte_mempool;

/* What a GGSN gave for a context that was wanted. Addresses as in base/address.h. */
struct core_given {
    uint32_t ggsn_ip, ggsn_teid;
    uint32_t address;           /* the mobile's IPv4 address, 0: none */
    uint64_t prefix, interface; /* the halves of its IPv6 address, 0: none */
    uint8_t qclass;
};

/* What the core asks and tells of mobiles, of whoever knows them. */
struct core_mobiles {
    void *arg;
    /* A GGSN says that it has no context with this TEID; sgsn_ip: to whom, 0: a worker has compared that. */
    void (*on_tunnel_error)(void *arg, uint32_t ggsn_ip, uint32_t ggsn_teid, uint32_t sgsn_ip);
    /* The contexts of a path are to end: its GGSN is silent. */
    void (*on_path_lost)(void *arg, uint32_t ours, uint32_t theirs);
    /* A context that core_gtpc_add() asked for is there; has another class; is not there any more. */
    void (*on_given)(void *arg, uint64_t id, const struct core_given *given);
    void (*on_class)(void *arg, uint64_t id, uint8_t qclass);
    void (*on_gone)(void *arg, uint64_t id);
    /* False: there is no such mobile. */
    bool (*tlli_of_slot)(void *arg, uint32_t slot, uint32_t *tlli);
    bool (*tlli_of_imsi)(void *arg, const char *imsi, uint32_t *tlli);
};

/* Who looks after the links: what the workers leave to it. arg NULL: nobody. */
struct core_neighbours {
    void *arg;
    /* A frame that a port (enum msg_port) received; the octets are the caller's. */
    void (*on_frame)(void *arg, unsigned port, const uint8_t *frame, size_t octets);
    /* The next hop towards an address on Gn is not known. */
    void (*on_hop_wanted)(void *arg, uint32_t ip);
    /* An NS-VC has been made, whose ends nobody knew before. */
    void (*on_nsvc)(void *arg, uint32_t index);
};

/* An address of ours and a GGSN's that contexts have. */
struct core_paths_entry {
    uint32_t ours, theirs;
    uint32_t contexts;
};

struct core_paths {
    struct lua_paths lua;
    struct core_paths_entry *list; /* only grows */
    uint32_t count;
    bool is_started;
};

struct core {
    const struct node_config *config;
    unsigned workers;
    struct core_link links[TEID_WORKERS];
    struct mobility mobility;
    struct rte_mempool *pool;   /* buffers for what control sends */
    struct lua_intents intents; /* of the objects below */
    struct lua_gb gb;
    struct lua_llc llc;
    struct core_paths paths;
    struct lua_gtpc gtpc;          /* of a live node, else without a state */
    struct address_book addresses; /* that the workers know */
    int64_t now;                   /* of the latest step */
    int64_t timer_ns;              /* next timer of the Lua side */
    uint32_t seq;
    struct log *log;             /* of a live node; NULL: straight to stderr */
    bool is_verbose;             /* prints what the control plane logs at level info too */
    uint64_t answered, refused;  /* orders, and those that a worker could not carry out */
    uint16_t first_refused;      /* enum msg_type, when refused > 0 */
    uint64_t send_failures;      /* NS PDUs for which there was no buffer */
    struct core_mobiles mobiles; /* arg NULL: nobody knows any */
    struct core_neighbours neighbours;
};

/*
 * Starts the control plane over the rings of all workers, as many as the configuration has. The checked
 * configuration is on top of L's stack and is popped; config must outlive the core. NSEs, NS-VCs and cells
 * are ordered at once. False: no memory for limits.mobiles and contexts; core_fini() is due all the same.
 */
bool core_init(struct core *core, lua_State *L, const struct node_config *config,
               struct msg_rings *const *rings, struct rte_mempool *pool);
void core_fini(struct core *core);

/* Opens the dialogue on Gb. */
void core_start(struct core *core, int64_t now);

/* Orders an NSE or a cell (index) of the configuration from its worker; an NSE comes before its NS-VCs and
 * cells. */
void core_nse_add(struct core *core, uint32_t index);
void core_cell_add(struct core *core, uint32_t index);

/* A mobile is ordered from the worker, in a cell (index), or was deleted there: the control plane hears of
 * it, if there is one. imsi "": not known. */
void core_ms_add(struct core *core, uint32_t tlli, const char *imsi, uint16_t cell);
void core_ms_del(struct core *core, uint32_t tlli);

/* What the headers of its frames say of it; NULL: nothing. */
void core_ms_elements(struct core *core, uint32_t tlli, uint16_t cell, const struct bssgp_elements *elements);

/* The same of a context that wants a packet flow. */
void core_pfc_add(struct core *core, const struct lua_gb_pfc *pfc);
void core_pfc_del(struct core *core, const struct lua_gb_pfc *pfc);

/* Takes what the worker said, lets timers expire, hands on what waits. Returns the next deadline, or now if
 * it moved anything. */
int64_t core_step(struct core *core, int64_t now);

#endif
