/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GTP-C towards GGSNs in the control core: passes datagrams between workers and Lua, and contexts that a GGSN
 * accepted to core->mobiles. Only a live node has GTP-C; in other runs these functions have no effect.
 */
#ifndef CONTROL_CORE_CORE_GTPC_H
#define CONTROL_CORE_CORE_GTPC_H

#include "control/core/core.h"

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_gtpc_init(struct core *core);
void core_gtpc_fini(struct core *core);

/* A context to be requested of a GGSN, repeatedly until it is active (TS 29.060 clause 7.3.1). */
struct core_wanted {
    uint64_t id; /* never used again in a run */
    const char *imsi, *msisdn, *apn;
    uint32_t sgsn_ip, ggsn_ip, teid;
    uint32_t address;           /* 0: the GGSN allocates it */
    uint64_t prefix, interface; /* likewise */
    uint8_t ip_version;         /* 0: both */
    uint8_t nsapi, qclass;
    const uint8_t *pco; /* protocol configuration options, NULL: none */
    size_t pco_octets;
    bool is_once; /* not repeated: on_ended() tells that it was refused or lost */
};

/* The address of a text as in base/address.h, which workers know from now on; ADDRESS_NONE. */
uint32_t core_gtpc_address(struct core *core, const char *text);

/* False: this run has no GTP-C. */
bool core_gtpc_add(struct core *core, const struct core_wanted *wanted);
void core_gtpc_del(struct core *core, uint64_t id);

/* Sets the SGSN's TEID for the next attempt; changes the traffic class; reports that the GGSN has lost the
 * context (why: for the log); asks the GGSN whether it has. */
void core_gtpc_teid(struct core *core, uint64_t id, uint32_t teid);
void core_gtpc_change(struct core *core, uint64_t id, uint8_t qclass);
void core_gtpc_lost(struct core *core, uint64_t id, const char *why);
void core_gtpc_check(struct core *core, uint64_t id);

/* MSG_PUNT_GN; takes its buffer over. */
void core_gtpc_punt(struct core *core, const struct msg *msg);

/* The next hop towards an address has been found. */
void core_gtpc_reachable(struct core *core, uint32_t ip);

#endif
