/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls the Gb control plane in Lua (lua/gb/host.lua): its inputs are NS PDUs and time, its outputs intents.
 * It does no I/O.
 */
#ifndef CONTROL_LUA_LUA_GB_H
#define CONTROL_LUA_LUA_GB_H

#include "control/lua/lua_fields.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"
#include "dataplane/wire/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lua_gb {
    struct lua_object object;
};

/* Makes the control plane of the checked configuration on top of the stack, and pops that. */
void lua_gb_init(struct lua_gb *gb, const struct lua_intents *intents);
/* Writes the numbers that NS-VCs have, after reloads in any order, to the configuration on top of L's stack,
 * from which lua_gb_init() makes a second object. number_of: that of an NS-VC, nsvci LUA_GB_SNS: the first of
 * IP-SNS. */
#define LUA_GB_SNS UINT32_MAX
void lua_gb_number(lua_State *L, void *arg, uint32_t (*number_of)(void *arg, uint32_t nsei, uint32_t nsvci));

void lua_gb_fini(struct lua_gb *gb);

void lua_gb_start(struct lua_gb *gb, int64_t now);
void lua_gb_pdu(struct lua_gb *gb, uint32_t nsvc, const uint8_t *bytes, size_t octets, int64_t now);

/* An NS-RESET of an endpoint that no NS-VC has; slot: for its NS-VC, -1: none is free; has_room: for an NSE
 * and its cells. */
struct lua_gb_unlisted {
    uint32_t nsei, nsvci;
    const char *address, *own_address;
    uint16_t udp_port, own_port;
    int slot;
    bool has_room, has_address_room;
    const uint8_t *octets; /* the NS PDU */
    size_t count;
};
void lua_gb_unlisted(struct lua_gb *gb, const struct lua_gb_unlisted *unlisted, int64_t now);

/* After a restart of control: an NSE of nses_accepted, and a cell of it. Its NS-VCs follow by
 * lua_gb_nsvc_add(). */
struct lua_gb_cell {
    uint32_t nsei, bvci;
    const char *mcc, *mnc;
    uint16_t lac, ci;
    uint8_t rac;
};
void lua_gb_nse_again(struct lua_gb *gb, uint32_t nsei, int64_t now);
void lua_gb_cell_again(struct lua_gb *gb, const struct lua_gb_cell *cell, int64_t now);

/* RAN information of another SGSN for a cell of the node; or that of a BSS, for which no SGSN is known. */
void lua_gb_rim(struct lua_gb *gb, const struct lua_field_octets *pdu, bool is_returned, int64_t now);

/* A mobile is in a cell other than its own: an uplink LLC-PDU, or GMM signalling, has proven that. */
void lua_gb_heard(struct lua_gb *gb, uint32_t tlli, uint32_t nsei, uint32_t bvci, int64_t now);

/* Whether a Cell Identifier of UL-UNITDATA is that of the cell which it comes from; else counted. */
bool lua_gb_is_cell(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, const uint8_t cell_id[AREA_CELL],
                    int64_t now);

/* Whether a mobile may move to a cell now, if it is proven to be there. */
bool lua_gb_may_move(struct lua_gb *gb, uint32_t tlli, uint32_t nsei, uint32_t bvci, int64_t now);

/* An N-PDU is queued for a mobile in STANDBY, which has to be paged; a paged mobile was heard. */
void lua_gb_page_wanted(struct lua_gb *gb, uint32_t tlli, int64_t now);
/* The mobile in the cell of a TLLI is paged by an IMSI, so that it attaches again (TS 24.008
 * clause 4.7.9.1.2). */
void lua_gb_page_imsi(struct lua_gb *gb, uint32_t tlli, const char *imsi, int64_t now);
void lua_gb_reached(struct lua_gb *gb, uint32_t tlli, int64_t now);

/* A mobile and its cell; imsi "": unknown. */
struct lua_gb_ms {
    uint32_t tlli, nsei, bvci;
    const char *imsi;
};

/* Adds a mobile in a cell, or deletes it. The caller sends the request to the worker. */
void lua_gb_ms_add(struct lua_gb *gb, const struct lua_gb_ms *ms);
void lua_gb_ms_del(struct lua_gb *gb, uint32_t tlli, int64_t now);

/* A context (slot) of a mobile with a packet flow. */
struct lua_gb_pfc {
    uint32_t tlli, pdp;
    uint8_t pfi;
    const char *qclass; /* name of its traffic class */
};
/* Adds or deletes such a context. */
void lua_gb_pfc_add(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now);
void lua_gb_pfc_del(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now);

/* Changes of the configuration: adds an NS-VC, whose slot must be free, to an NSE; deletes one. */
struct lua_gb_nsvc {
    uint32_t nsei, nsvci, slot;
    const char *address; /* the BSS's */
    uint16_t udp_port;
};
void lua_gb_nsvc_add(struct lua_gb *gb, const struct lua_gb_nsvc *nsvc, int64_t now);
void lua_gb_nsvc_del(struct lua_gb *gb, uint32_t nsvc, int64_t now);

/* The position of an NSE, or of a cell of it, in a checked configuration, whose table is on top of the stack
 * of `config`; indices from 0. */
struct lua_gb_place {
    lua_State *config;
    uint32_t nse, cell;
};

/* Adds an NSE, whose NS-VCs have the slots from `nsvc` on; adds a cell to an existing NSE. */
void lua_gb_nse_add(struct lua_gb *gb, const struct lua_gb_place *place, uint32_t nsvc, int64_t now);
void lua_gb_cell_add(struct lua_gb *gb, const struct lua_gb_place *place);

/* Before cells with many mobiles are deleted: leave says which (bvci 0: all of an NSE), and park re-homes
 * some of their mobiles. False: that were the last ones. */
void lua_gb_leave(struct lua_gb *gb, uint32_t nsei, uint32_t bvci);
bool lua_gb_park(struct lua_gb *gb, int64_t now);

/* Deletes an NSE or a cell. close deletes the NS-VCs of an NSE, del the NSE itself; mobiles of deleted cells
 * are re-homed to the remaining cells. */
void lua_gb_nse_close(struct lua_gb *gb, uint32_t nsei, int64_t now);
void lua_gb_nse_del(struct lua_gb *gb, uint32_t nsei, int64_t now);
void lua_gb_cell_del(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, int64_t now);
/* Sets a timer (ns) or a number of retries of a group, "ns" or "bssgp"; it holds from the timer's next start
 * on. */
void lua_gb_set_duration(struct lua_gb *gb, const char *group, const char *name, int64_t value);

/* The flow control policy of a cell; it holds from its next announcement on, initial values at once. */
struct lua_gb_flow_control {
    uint32_t nsei, bvci;
    uint32_t max_rise_ppm;                /* most that announced values may rise at once; 0: unlimited */
    int64_t bss_target_ns;                /* 0: none */
    uint64_t initial_octets, initial_bps; /* before the first announcement; 0: the cell waits */
};
void lua_gb_set_flow_control(struct lua_gb *gb, const struct lua_gb_flow_control *values, int64_t now);
/* The radio values of a mobile with this number in mobiles.list of the checked node on top of the stack of
 * another state; none if it is one of mobiles.file. */
void lua_gb_ms_radio(struct lua_gb *gb, uint32_t tlli, struct lua_State *from, uint32_t number);

/* Of all cells by nses_accepted, those that come included. */
void lua_gb_set_flow_control_accepted(struct lua_gb *gb, const struct lua_gb_flow_control *values,
                                      int64_t now);

/* The NS-VC (index) for a PDU in a cell that answers nothing; -1: none, which is counted. */
int lua_gb_nsvc(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, int64_t now);

/* MSG_BVC_WAITING: so many N-PDUs wait in a cell without flow control. */
void lua_gb_waiting(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, uint32_t npdus, int64_t now);

/* Changed SGSN endpoints of an NSE with IP-SNS. */
struct lua_gb_endpoint {
    char address[46]; /* as text, of either IP version */
    uint16_t udp_port;
    uint8_t signalling_weight, data_weight;
};
void lua_gb_sns_endpoints(struct lua_gb *gb, uint32_t nsei, const struct lua_gb_endpoint *list,
                          unsigned count, int64_t now);

/* Copies the state of the Gb control plane for `gbflow show` and the reports. */

#define LUA_GB_STATE_CHARS 32

struct lua_gb_state_nsvc {
    uint32_t nsei, nsvci, index;
    char state[LUA_GB_STATE_CHARS], test[LUA_GB_STATE_CHARS];
};

struct lua_gb_state_bvc {
    uint32_t nsei, bvci;
    char state[LUA_GB_STATE_CHARS];
    bool is_usable, is_waiting; /* for its first FLOW-CONTROL-BVC */
    /* Of the last FLOW-CONTROL-BVC. */
    uint64_t bucket_octets, rate_bps, ms_bucket_octets, ms_rate_bps;
    uint32_t own_buckets; /* mobiles that have one */
};

struct lua_gb_state_count {
    const char *name; /* until the call returns */
    uint64_t count;
};

/* Each calls fn for all entries: NS-VCs and BVCs in the order of the configuration, counts in the order of
 * names. */
void lua_gb_state_nsvcs(const struct lua_gb *gb, void *arg,
                        void (*fn)(void *arg, const struct lua_gb_state_nsvc *nsvc));
void lua_gb_state_bvcs(const struct lua_gb *gb, void *arg,
                       void (*fn)(void *arg, const struct lua_gb_state_bvc *bvc));
void lua_gb_state_counts(const struct lua_gb *gb, void *arg,
                         void (*fn)(void *arg, const struct lua_gb_state_count *count));

/* The cell and state of a mobile; false: the control plane does not have it. */
struct lua_gb_state_ms {
    uint32_t nsei, bvci;
    uint32_t moves; /* cell changes that it may make now */
    bool is_suspended, is_paged;
};
bool lua_gb_state_ms(const struct lua_gb *gb, uint32_t tlli, int64_t now, struct lua_gb_state_ms *ms);

#endif
