/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Gb control plane in Lua wants done (lua/gb/node.lua). */
#ifndef CONTROL_LUA_LUA_GB_INTENT_H
#define CONTROL_LUA_LUA_GB_INTENT_H

#include "dataplane/wire/bssgp_elements.h"

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lua_gb_op {
    LUA_GB_SEND,        /* nsvc, bytes, octets: one NS PDU */
    LUA_GB_NSVC_ADD,    /* nsvc, nsei, ends, weight */
    LUA_GB_NSVC_DEL,    /* nsvc */
    LUA_GB_NSVC_WEIGHT, /* nsvc, weight */
    LUA_GB_NSVC_STATE,  /* nsvc, is_usable */
    LUA_GB_NSE_DEL,     /* nsei */
    LUA_GB_BVC_DEL,     /* nsei, bvci */
    LUA_GB_BVC_RESET,   /* nsei, bvci */
    LUA_GB_BVC_STATE,   /* nsei, bvci, is_usable */
    LUA_GB_BVC_FLOW,    /* nsei, bvci, all values, measurement */
    LUA_GB_MS_FLOW,     /* nsei, bvci, tlli, bucket, rate, ratio */
    LUA_GB_MS_DEFAULTS, /* nsei, bvci, tlli */
    LUA_GB_PFC_FLOW,    /* nsei, bvci, tlli, pfi, bucket, rate, ratio */
    LUA_GB_PFC_ADD,     /* nsei, bvci, tlli, pfi */
    LUA_GB_PFC_DEL,     /* the same */
    LUA_GB_PDP_PFI,     /* pdp, pfi */
    LUA_GB_DISCARDED,   /* nsei, bvci, tlli, octets, pfi */
    LUA_GB_FLUSHED,     /* nsei, bvci, tlli, octets, nsei_new and bvci_new, nsei_home */
    LUA_GB_MS_SUSPEND,  /* nsei, tlli */
    LUA_GB_MS_RESUME,   /* the same */
    LUA_GB_MS_LOST,     /* nsei, tlli or imsi */
    LUA_GB_PAGE_END,    /* nsei, tlli */
    LUA_GB_MS_MOVE,     /* nsei, bvci, tlli, nsei_new, bvci_new */
    LUA_GB_MS_PARK,     /* the same: not heard there, its cell is no more */
    LUA_GB_MS_ELEMENTS, /* nsei, tlli, elements */
    LUA_GB_LOG,         /* level, text */
};

/* An IP address of either version. */
struct lua_gb_address {
    uint8_t octets[16];
    size_t count; /* 4 or 16 */
};

struct lua_gb_intent {
    enum lua_gb_op op;
    uint32_t nsvc, nsei, bvci, tlli;
    uint32_t nsei_new, bvci_new; /* bvci_new 0: not given */
    uint32_t nsei_home;          /* where the worker has the mobile now */
    uint32_t pdp;                /* slot of a context */
    struct lua_gb_ends {
        struct lua_gb_address own_address, address;
        uint16_t own_port, udp_port;
    } ends;         /* of an NS-VC */
    uint8_t weight; /* its data weight */
    uint8_t pfi;    /* N_PDU_NO_PFI: none, or not given */
    bool is_usable;
    uint64_t bucket_octets, rate_bps, ms_bucket_octets, ms_rate_bps;
    int32_t ratio_percent;  /* -1: not given */
    int32_t measurement_cs; /* -1: not given */
    uint64_t octets;
    const char *bytes, *imsi; /* until emit() returns; imsi NULL: not given */
    const char *level, *text;
    struct bssgp_elements elements;
};

/* A reference in the registry to a table of all intents' numbers by their names. */
int lua_gb_intent_numbers(lua_State *L);

/* Reads the intent on top of the stack; that table lies at `numbers`. */
void lua_gb_intent_read(lua_State *L, int numbers, struct lua_gb_intent *intent);

#endif
