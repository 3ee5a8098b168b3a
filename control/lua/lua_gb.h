/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Gb control plane in Lua (lua/gb/host.lua) as C sees it: NS PDUs and time go in, intents come out. It
 * does no I/O.
 */
#ifndef CONTROL_LUA_LUA_GB_H
#define CONTROL_LUA_LUA_GB_H

#include "control/lua/lua_object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lua_gb {
    struct lua_object object;
};

/* Makes the control plane of the checked configuration on top of the stack, and pops that. */
void lua_gb_init(struct lua_gb *gb, const struct lua_intents *intents);
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

/* What control makes of a cell's announcements from the next one on. */
struct lua_gb_flow_control {
    uint32_t nsei, bvci;
    uint32_t max_rise_ppm; /* how far values may rise at once; 0: as announced */
    int64_t bss_target_ns; /* 0: none */
};
void lua_gb_set_flow_control(struct lua_gb *gb, const struct lua_gb_flow_control *values);

/* Other endpoints of ours of an NSE with IP-SNS. */
struct lua_gb_endpoint {
    char address[46]; /* as text, of either IP version */
    uint16_t udp_port;
    uint8_t signalling_weight, data_weight;
};
void lua_gb_sns_endpoints(struct lua_gb *gb, uint32_t nsei, const struct lua_gb_endpoint *list,
                          unsigned count, int64_t now);

#endif
