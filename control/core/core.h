/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control core: carries signalling between the workers and the Lua control plane, turns intents into
 * messages, and keeps the messages to each worker in order when its ring is full. core_step() is its only
 * function that advances time, so that it runs in virtual time, too.
 *
 * Each NSE, NS-VC, cell, mobile and context has a number, which is its slot at all workers.
 */
#ifndef CONTROL_CORE_CORE_H
#define CONTROL_CORE_CORE_H

#include "dataplane/compression/compression_pool.h"
#include "control/config/node_config.h"
#include "control/lua/lua_intents.h"
#include "control/core/core_acts.h"
#include "control/core/core_event.h"
#include "control/core/core_intent.h"
#include "control/core/core_link.h"
#include "control/core/core_path.h"
#include "control/core/core_restart.h"
#include "control/core/mobility.h"
#include "dataplane/base/budget.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/teid.h"
#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct log;
struct rte_mempool;

/* The sessions, which register themselves (control/sessions/sessions_core.c). arg NULL: there are none. */
struct core_sessions {
    void *arg;
    /* Carries out an intent about mobiles or contexts, a row INTENT_SESSIONS of intents.def. */
    void (*act)(void *arg, enum core_intent_op op, struct core_intent *intent);
    /* Takes a message of a worker about a mobile or context. True: its buffer is taken over. */
    bool (*take)(void *arg, const struct msg *msg);
    /* Whether a mobile of mobiles.list or mobiles.file has the IMSI. */
    bool (*is_listed)(void *arg, const char *imsi);
    /* After a restart of control: adds the mobiles to its new objects; then, when the records are adopted,
     * the contexts. */
    void (*adopt_mobiles)(void *arg);
    void (*adopt_contexts)(void *arg);
};

/* Callbacks for ARP, Neighbour Discovery and next hops, implemented by control/links/links.c. arg NULL: none.
 */
struct core_neighbours {
    void *arg;
    /* A port (enum msg_port) received a frame that a worker does not handle; the octets are the caller's. */
    void (*on_frame)(void *arg, unsigned port, const uint8_t *frame, size_t octets);
    /* A worker needs the next hop towards an address on Gn. */
    void (*on_hop_wanted)(void *arg, const struct msg_hop *hop);
    /* An NS-VC (index) with new endpoints has been added. */
    void (*on_nsvc)(void *arg, uint32_t index);
};

/* News of guards of the workers' ports. on_news NULL: they are dropped. */
struct core_guards {
    void *arg;
    /* A message of kind MSG_GUARD; its buffer is the caller's. */
    void (*on_news)(void *arg, const struct msg *msg);
};

#define CORE_GTPC_PEERS 1024

/* The TCP connection to an HLR, implemented by control/live/loop.c. arg NULL: none. */
struct core_hlr {
    void *arg;
    void (*open)(void *arg, const char *address, uint16_t port);
    void (*send)(void *arg, const char *octets, size_t count);
    void (*close)(void *arg);
};

/* DNS, implemented by control/live/loop.c. arg NULL: none. The answer comes by phones_resolved. */
struct core_dns {
    void *arg;
    void (*ask)(void *arg, uint64_t id, const char *name, const char *servers, bool is_ipv6);
};

struct core {
    const struct node_config *config;
    unsigned workers;
    struct core_link links[TEID_WORKERS];
    struct mobility mobility;
    struct rte_mempool *pool;                /* mbufs for frames and PDUs that control sends */
    struct lua_intents intents;              /* of the objects below */
    struct lua_object objects[CORE_OBJECTS]; /* L NULL: it is not there */
    struct compression_pool compression;     /* memory of entities that workers have */
    struct core_paths paths;
    struct budget gtpc_answers;           /* to senders that are not proven to be a context's GGSN */
    struct budget gtpc_ggsn_answers;      /* to requests with the TEID of a context, from its GGSN */
    uint32_t gtpc_peers[CORE_GTPC_PEERS]; /* the latest that the workers were told of, by address modulo their
                                             number; 0: none */
    struct address_book addresses;        /* IPv6 addresses known to the workers */
    uint32_t accepted_addresses;          /* of them, those that NSEs of nses_accepted have brought */
    uint8_t accepted_mac[6];              /* that sent the NS-RESET which is handled now */
    int64_t (*spent_ns)(void); /* processor time of the thread; NULL: time of messages is not counted */
    int64_t now;               /* of the latest step */
    int64_t timer_ns;          /* next timer of the Lua side; core_step() looks again if */
    bool has_new_timers;
    uint32_t seq;
    struct log *log;            /* of a live node; NULL: lines go to stderr */
    bool is_verbose;            /* prints lines of level info, too */
    uint64_t answered, refused; /* orders answered by workers; failed ones, and intents refused */
    uint32_t marks;             /* MSG_MARK that workers have answered */
    uint16_t first_refused;     /* enum msg_type, when refused > 0 */
    uint64_t lua_errors;        /* calls of the Lua side that failed; each lost its event */
    uint64_t send_failures;     /* NS PDUs not sent because no mbuf was free */
    struct core_sessions sessions;
    struct core_neighbours neighbours;
    struct core_guards guards;
    struct core_hlr hlr;
    struct core_dns dns;
    struct core_restart restart;
    struct core_acts acts;
};

/*
 * Starts the control plane with one element of rings per worker of the configuration. The checked
 * configuration is on top of L's stack and is popped; config must outlive the core. Orders for NSEs, NS-VCs
 * and cells are sent at once. False: out of memory for limits.mobiles and limits.contexts; core_fini() must
 * be called in either case.
 */
bool core_init(struct core *core, lua_State *L, const struct node_config *config,
               struct msg_rings *const *rings, struct rte_mempool *pool);
void core_fini(struct core *core);

/* core_init() without orders: makes the Lua objects of a state, with the checked configuration on top of
 * its stack, which is popped. */
void core_make_objects(struct core *core, lua_State *L);

/* Starts the NS procedures on Gb. */
void core_start(struct core *core, int64_t now);

/*
 * Sends an order to the workers by its subject (core_order.c): about an NSE, NS-VC or cell to the worker that
 * has it; about a mobile or context to the mobile's home or server (mobility.h); without a subject to all
 * workers. Orders to one worker arrive in the sequence of the calls. Owns the mbuf from now on.
 */
void core_order(struct core *core, const struct msg *msg);

/* core_order() with these octets in an mbuf; counted in send_failures when no mbuf is free. */
void core_order_octets(struct core *core, struct msg *msg, const void *octets, size_t count);

/* Writes a log line (core_log.c); without core->log of level info only if core->is_verbose,
 * and none of level debug. */
void core_log(const struct core *core, const char *who, const char *level, const char *text);

/* A line of level warn that neither levels nor the limit of lines leave out: what an operator has done. */
void core_log_always(const struct core *core, const char *who, const char *text);

/* After a change of the levels of core->log or of its followers, or of the Lua state: which lines of level
 * debug the state machines give. Without memory for them there are none. */
void core_log_trace(const struct core *core);

/* Counts an error of Lua with this text, and writes its line; too many restart control. */
void core_log_error(struct core *core, const char *who, const char *text);

/* Takes messages of the workers, runs expired timers, and sends queued messages. Returns the next deadline,
 * or now if it took or sent a message. */
int64_t core_step(struct core *core, int64_t now);

/* Takes over the configuration's list of addresses. */
void core_address_init(struct core *core);

/* The address of 4 or 16 octets, added when it is new; ADDRESS_NONE as address_book_put(). */
uint32_t core_address(struct core *core, const uint8_t *octets, size_t count);

/* The same of a text; ADDRESS_NONE: it is no address. */
uint32_t core_address_read(struct core *core, const char *text);

/* Converts an address of a configuration, which may be newer than the core's, to the core's list. */
uint32_t core_address_of(struct core *core, const struct node_config *config, uint32_t address);

#endif
