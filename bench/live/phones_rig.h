/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GMM and SM of a node in its Lua state, with the node's collection of garbage, between phones, an HLR and a
 * GGSN that answer at once. Every call into Lua is timed by the thread's processor time, with the intents
 * that it returns and the records that they write. Workers, GTP-C and the TCP connection of the HLR are not
 * there.
 */
#ifndef BENCH_LIVE_PHONES_RIG_H
#define BENCH_LIVE_PHONES_RIG_H

#include "control/config/node_config.h"
#include "control/lua/lua_intent.h"
#include "control/lua/lua_phones.h"

#include <stdbool.h>
#include <stdint.h>

enum { PHONES_RIG_CELL = 2, PHONES_RIG_OTHER_CELL = 3 }; /* BVCIs of one NSE and one routeing area */
enum {
    PHONES_RIG_REQUEST = 15, /* octets of a message of GSUP up to the end of its IMSI, with IPA */
    PHONES_RIG_TOLD = 21,    /* octets of AUTHENTICATION AND CIPHERING REQUEST up to the end of RAND */
};

/* The calls whose longest is kept. */
enum phones_rig_call { PHONES_RIG_INPUT, PHONES_RIG_ADVANCE, PHONES_RIG_TIDY, PHONES_RIG_CALLS };

struct phones_rig {
    lua_State *L;
    struct node_config config;
    struct lua_intents intents;
    struct lua_phones phones;
    struct lua_records records;
    bool has_hlr;
    int64_t now; /* of the node, virtual */
    int64_t busy_ns, longest_ns[PHONES_RIG_CALLS];
    uint32_t random;
    uint8_t told[PHONES_RIG_TOLD]; /* the first octets of the latest message to a phone */
    uint8_t asked;                 /* type of the latest request to the HLR, 0: answered */
    uint8_t asked_imsi[PHONES_RIG_REQUEST - 5];
    bool is_pinged;
    uint64_t wrong; /* answers that did not come */
};

/* has_hlr: policy "hlr" with five vectors for each attach, else "accept_all". Ends the program on an error.
 */
struct phones_rig *phones_rig_new(bool has_hlr);
void phones_rig_free(struct phones_rig *rig);

/* The begin of a measurement: busy_ns and longest_ns are 0. */
void phones_rig_reset(struct phones_rig *rig);

/* A phone attaches: messages until its ATTACH COMPLETE. slot: its mobile and the number in its IMSI. */
void phones_rig_attach(struct phones_rig *rig, uint32_t slot, uint32_t bvci);

/* It activates a context, and the GGSN gives it an address. */
void phones_rig_activate(struct phones_rig *rig, uint32_t slot, uint32_t bvci);

/* A periodic routeing area update with its COMPLETE. */
void phones_rig_update(struct phones_rig *rig, uint32_t slot, uint32_t bvci);

/* It switches off. */
void phones_rig_detach(struct phones_rig *rig, uint32_t slot, uint32_t bvci);

/* The first message of an attach alone; false: refused before it was read. */
bool phones_rig_knock(struct phones_rig *rig, uint32_t slot, uint32_t bvci);

/* The phone's answer to ATTACH ACCEPT alone. */
void phones_rig_complete(struct phones_rig *rig, uint32_t slot, uint32_t bvci);

/* Lets timers expire that are due at `now`. */
void phones_rig_advance(struct phones_rig *rig);

/* A step of the collection in idle time; false: there is too little garbage. */
bool phones_rig_tidy(struct phones_rig *rig);

/* Octets of Lua's objects after everything was collected; longest_ns does not count that. */
uint64_t phones_rig_collect(struct phones_rig *rig);

#endif
