/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Gb control plane in Lua (lua/gb_host.lua) as C sees it: NS PDUs and time go in, intents come out. It
 * does no I/O.
 */
#ifndef CONTROL_LUA_GB_H
#define CONTROL_LUA_GB_H

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

/* A frame of a mobile came from a cell that is not its own. */
void lua_gb_heard(struct lua_gb *gb, uint32_t tlli, uint32_t nsei, uint32_t bvci, int64_t now);

/* Something waits for a mobile that has to be paged; and it was heard afterwards. */
void lua_gb_page_wanted(struct lua_gb *gb, uint32_t tlli, int64_t now);
void lua_gb_reached(struct lua_gb *gb, uint32_t tlli, int64_t now);

/* Who a mobile is and where; imsi "": not known. */
struct lua_gb_ms {
    uint32_t tlli, nsei, bvci;
    const char *imsi;
};

/* A mobile is there, in a cell, and is not any more. The worker has been, or will be, told by the caller. */
void lua_gb_ms_add(struct lua_gb *gb, const struct lua_gb_ms *ms);
void lua_gb_ms_del(struct lua_gb *gb, uint32_t tlli, int64_t now);

/* A context (slot) of a mobile that wants a packet flow. */
struct lua_gb_pfc {
    uint32_t tlli, pdp;
    uint8_t pfi;
    const char *qclass; /* name of its traffic class */
};
/* It is there, and is not any more. */
void lua_gb_pfc_add(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now);
void lua_gb_pfc_del(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now);

/* The configuration has changed: one more NS-VC of an NSE, with a number that none has; one that is no more;
 * a timer (ns) or a number of retries of a group, "ns" or "bssgp", from when it is set next. */
void lua_gb_nsvc_add(struct lua_gb *gb, uint32_t nsei, uint32_t nsvci, uint32_t nsvc, int64_t now);
void lua_gb_nsvc_del(struct lua_gb *gb, uint32_t nsvc, int64_t now);

/* Where an NSE, or a cell of it, stands in a configuration's text that is right; numbers from 0. */
struct lua_gb_place {
    const char *text;
    uint32_t nse, cell;
};

/* One more NSE, whose NS-VCs have the numbers from `nsvc` on; one more cell of one that is there. */
void lua_gb_nse_add(struct lua_gb *gb, const struct lua_gb_place *place, uint32_t nsvc, int64_t now);
void lua_gb_cell_add(struct lua_gb *gb, const struct lua_gb_place *place);

/* An NSE or a cell that is no more. Of an NSE first the NS-VCs go, then the rest; its mobiles are looked for
 * in the cells that are there. */
void lua_gb_nse_close(struct lua_gb *gb, uint32_t nsei, int64_t now);
void lua_gb_nse_del(struct lua_gb *gb, uint32_t nsei, int64_t now);
void lua_gb_cell_del(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, int64_t now);
void lua_gb_set_duration(struct lua_gb *gb, const char *group, const char *name, int64_t value);

/* How far a cell's announced values may rise at once; 0: as announced. */
void lua_gb_set_max_rise(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, uint32_t max_rise_ppm);

/* Other endpoints of ours of an NSE with IP-SNS. */
struct lua_gb_endpoint {
    char address[46]; /* as text, of either IP version */
    uint16_t udp_port;
    uint8_t signalling_weight, data_weight;
};
void lua_gb_sns_endpoints(struct lua_gb *gb, uint32_t nsei, const struct lua_gb_endpoint *list,
                          unsigned count, int64_t now);

/* Lets timers expire that are due. */
void lua_gb_advance(struct lua_gb *gb, int64_t now);

/* When the next timer expires, MOMENT_NEVER. */
int64_t lua_gb_next_ns(const struct lua_gb *gb);

#endif
