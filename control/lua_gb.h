/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Gb control plane in Lua (lua/gb_host.lua) as C sees it: NS PDUs and time go in, intents come out. It
 * does no I/O.
 */
#ifndef CONTROL_LUA_GB_H
#define CONTROL_LUA_GB_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lua_gb_op {
    LUA_GB_SEND,        /* nsvc, bytes, octets: one NS PDU */
    LUA_GB_NSVC_STATE,  /* nsvc, is_usable */
    LUA_GB_BVC_RESET,   /* nsei, bvci */
    LUA_GB_BVC_STATE,   /* nsei, bvci, is_usable */
    LUA_GB_BVC_FLOW,    /* nsei, bvci, all values */
    LUA_GB_MS_FLOW,     /* nsei, bvci, tlli, bucket, rate, ratio */
    LUA_GB_MS_DEFAULTS, /* nsei, bvci, tlli */
    LUA_GB_DISCARDED,   /* nsei, bvci, tlli, octets */
    LUA_GB_COUNT,       /* text: the counter's name */
    LUA_GB_LOG,         /* level, text */
};

struct lua_gb_intent {
    enum lua_gb_op op;
    uint32_t nsvc, nsei, bvci, tlli;
    bool is_usable;
    uint64_t bucket_octets, rate_bps, ms_bucket_octets, ms_rate_bps;
    int32_t ratio_percent; /* -1: not given */
    const char *bytes;     /* until emit() returns */
    uint64_t octets;
    const char *level, *text;
};

/* Called for each intent, in order. */
typedef void (*lua_gb_emit)(void *arg, const struct lua_gb_intent *intent);

struct lua_gb {
    lua_State *L;
    int host; /* registry reference */
    lua_gb_emit emit;
    void *arg;
};

/* Makes the control plane of the checked configuration on top of the stack, and pops it. The state stays the
 * caller's. */
void lua_gb_init(struct lua_gb *gb, lua_State *L, lua_gb_emit emit, void *arg);
void lua_gb_fini(struct lua_gb *gb);

void lua_gb_start(struct lua_gb *gb, int64_t now);
void lua_gb_pdu(struct lua_gb *gb, uint32_t nsvc, const uint8_t *bytes, size_t octets, int64_t now);

/* Lets timers expire that are due. */
void lua_gb_advance(struct lua_gb *gb, int64_t now);

/* When the next timer expires, MOMENT_NEVER. */
int64_t lua_gb_next_ns(const struct lua_gb *gb);

#endif
