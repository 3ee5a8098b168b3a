/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC's unnumbered frames in Lua (lua/llc/unnumbered.lua) as C sees them: frames and time go in, intents come
 * out. */
#ifndef CONTROL_LUA_LUA_LLC_H
#define CONTROL_LUA_LUA_LLC_H

#include "control/lua/lua_object.h"

#include <stddef.h>
#include <stdint.h>

struct lua_llc {
    struct lua_object object;
};

/* Where a mobile is, and with which IOV-UI it ciphers; -1: it does not. */
struct lua_llc_mobile {
    uint32_t slot, nsei, bvci;
    int64_t iov_ui;
};

/* Makes it of the checked configuration on top of the stack, and pops that. */
void lua_llc_init(struct lua_llc *llc, const struct lua_intents *intents);
void lua_llc_fini(struct lua_llc *llc);

/* A mobile is there, and is not any more. */
void lua_llc_ms_add(struct lua_llc *llc, const struct lua_llc_mobile *mobile, int64_t now);
void lua_llc_ms_del(struct lua_llc *llc, uint32_t slot, int64_t now);

/* A cell can be sent to; may be said again. */
void lua_llc_cell_open(struct lua_llc *llc, uint32_t nsei, uint32_t bvci, int64_t now);
/* It is no more. */
void lua_llc_cell_closed(struct lua_llc *llc, uint32_t nsei, uint32_t bvci);

/* A mobile's frame, without FCS. */
void lua_llc_frame(struct lua_llc *llc, uint32_t slot, const uint8_t *bytes, size_t octets, int64_t now);

/* What was counted: under a name, or messages that nobody handles by SAPI, protocol discriminator and type.
 */
struct lua_llc_count {
    const char *name; /* until each() returns; NULL: messages */
    uint8_t sapi, protocol, message;
    uint64_t count;
};

/* Hands out all counters, those of 0 too, then the messages in order. */
void lua_llc_counts(const struct lua_llc *llc, void (*each)(void *arg, const struct lua_llc_count *count),
                    void *arg);

#endif
