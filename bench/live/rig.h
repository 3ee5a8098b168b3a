/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rig: GMM and SM of a node in its Lua state, with the node's collection of garbage, between phones, an HLR
 * and a GGSN that answer at once. Every call into Lua is timed by the thread's processor time, with the
 * intents that it returns and the records that they write. Workers, GTP-C and the TCP connection of the HLR
 * are not there.
 */
#ifndef BENCH_LIVE_RIG_H
#define BENCH_LIVE_RIG_H

#include "control/config/node_config.h"
#include "control/core/core.h"
#include "control/lua/lua_records.h"

#include <stdbool.h>
#include <stdint.h>

enum { RIG_CELL = 2, RIG_OTHER_CELL = 3 }; /* BVCIs of one NSE and one routeing area */
enum {
    RIG_REQUEST = 15, /* octets of a message of GSUP up to the end of its IMSI, with IPA */
    RIG_TOLD = 21,    /* octets of AUTHENTICATION AND CIPHERING REQUEST up to the end of RAND */
};

/* The calls whose longest is kept. */
enum rig_call { RIG_INPUT, RIG_ADVANCE, RIG_TIDY, RIG_CALLS };

struct rig {
    const char *file; /* of the configuration */
    struct lua_State *L;
    struct node_config config;
    struct core core; /* now: virtual */
    struct lua_records records;
    bool has_hlr;  /* the node has wanted a connection to it */
    uint32_t bvci; /* of the cell of all phones from now on */
    int64_t busy_ns, longest_ns[RIG_CALLS];
    bool takes_time; /* a call delays core.now */
    uint32_t random;
    uint8_t told[RIG_TOLD]; /* the first octets of the latest message to a phone */
    uint8_t asked;          /* type of the latest request to the HLR, 0: answered */
    uint8_t asked_imsi[RIG_REQUEST - 5];
    bool is_pinged;
    uint64_t hlr_octets; /* of GSUP with IPA, both ways, without its pings */
    uint64_t wrong;      /* answers that did not come */
};

_Noreturn void rig_die(const char *why);

/* From a node's configuration. */
void rig_init(struct rig *rig, const char *file);

/* A new phone's ATTACH REQUEST with its IMSI. False: it was not admitted. */
bool rig_knock(struct rig *rig, uint32_t slot);

/* ATTACH COMPLETE, ROUTING AREA UPDATE COMPLETE. */
void rig_complete(struct rig *rig, uint32_t slot, uint8_t type);

/* Whole procedures; rig->wrong counts those without their answer. */
void rig_attach(struct rig *rig, uint32_t slot);
void rig_activate(struct rig *rig, uint32_t slot);
void rig_update(struct rig *rig, uint32_t slot);

/* A phone that is switched off: no answer. */
void rig_detach(struct rig *rig, uint32_t slot);

/* A phone that stays on. With an HLR the node purges it there. */
void rig_leave(struct rig *rig, uint32_t slot);

bool rig_knows(struct rig *rig, uint32_t slot);

/* A restart of control, as core_restart_exchange() makes it: busy_ns is the time of the new objects and of
 * the adoption of records. The new Lua state, which a thread of its own reads meanwhile, is not in it. */
void rig_restart(struct rig *rig);

/* The timers that are due at rig->core.now. */
void rig_advance(struct rig *rig);

/* A step of the collection of garbage. False: there is no more. */
bool rig_tidy(struct rig *rig);

/* Collects all garbage; octets that are left. */
uint64_t rig_collect(struct rig *rig);

/* Forgets the times so far. */
void rig_reset(struct rig *rig);

/*
 * Phones that attach in one cell during a flood of new phones in another one of the same NSE, which begins
 * before_s earlier (rig_flood.c); milliseconds until the last of these has attached.
 */
double rig_flood_ms(struct rig *rig, uint32_t phones, uint32_t flood_pps, uint32_t before_s);

#endif
