/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls LLC's handling of unnumbered frames in Lua (lua/llc/unnumbered.lua): its inputs are frames and time,
 * its outputs intents. */
#ifndef CONTROL_LUA_LUA_LLC_H
#define CONTROL_LUA_LUA_LLC_H

#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lua_llc {
    struct lua_object object;
    bool (*has_memory)(void *arg, unsigned kind); /* for one more entity of compression; NULL: it has */
    void *arg;
};

/* A mobile, its cell, and the IOV-UI of its ciphering; -1: not ciphered. */
struct lua_llc_mobile {
    uint32_t slot, nsei, bvci;
    int64_t iov_ui;
};

/* Makes the object of the checked configuration on top of the stack, and pops that. Its other members are
 * set. */
void lua_llc_init(struct lua_llc *llc, const struct lua_intents *intents);
void lua_llc_fini(struct lua_llc *llc);

/* Adds or deletes a mobile. */
void lua_llc_ms_add(struct lua_llc *llc, const struct lua_llc_mobile *mobile, int64_t now);
void lua_llc_ms_del(struct lua_llc *llc, uint32_t slot, int64_t now);

/* A context of a mobile, of whose N-PDUs headers of IPv4, or all, may be compressed or not; is_old: it was
 * there before a restart. */
struct lua_llc_context {
    uint32_t slot;
    uint8_t nsapi, sapi;
    bool takes_headers, takes_data, is_acknowledged, is_old;
};
void lua_llc_pdp_add(struct lua_llc *llc, const struct lua_llc_context *context, int64_t now);
/* It gets another mode of LLC. */
void lua_llc_pdp_mode(struct lua_llc *llc, uint32_t slot, uint8_t nsapi, bool is_acknowledged, int64_t now);
void lua_llc_pdp_del(struct lua_llc *llc, uint32_t slot, uint8_t nsapi, int64_t now);

/* A new mobile's LLC has a state that the node has not: XID Reset goes to it before other frames. */
void lua_llc_reset(struct lua_llc *llc, uint32_t slot, int64_t now);
/* No Reset is repeated any more. */
void lua_llc_settled(struct lua_llc *llc, uint32_t slot, int64_t now);

/* A cell is in service; may be called again for the same cell. */
void lua_llc_cell_open(struct lua_llc *llc, uint32_t nsei, uint32_t bvci, int64_t now);
/* A cell is out of service. */
void lua_llc_cell_closed(struct lua_llc *llc, uint32_t nsei, uint32_t bvci);

/* A mobile's frame, without FCS. */
void lua_llc_frame(struct lua_llc *llc, uint32_t slot, const uint8_t *bytes, size_t octets, int64_t now);

/* A counter: of a named event, or of layer 3 messages without a handler, by SAPI, protocol discriminator and
 * type. */
struct lua_llc_count {
    const char *name; /* until each() returns; NULL: messages */
    uint8_t sapi, protocol, message;
    uint64_t count;
};

/* Calls each() for all named counters, also those with 0, then for the messages in order. */
void lua_llc_counts(const struct lua_llc *llc, void (*each)(void *arg, const struct lua_llc_count *count),
                    void *arg);

#endif
