/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control core's part in GTP-C towards GGSNs: datagrams to Lua and back, what a GGSN gave to whoever
 * knows mobiles. Only a live node has it; elsewhere nothing here has an effect.
 */
#ifndef CONTROL_CORE_CORE_GTPC_H
#define CONTROL_CORE_CORE_GTPC_H

#include "control/core/core.h"

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_gtpc_init(struct core *core);
void core_gtpc_fini(struct core *core);

/* A context to ask a GGSN for, from now on and until it is there (TS 29.060 clause 7.3.1). */
struct core_wanted {
    uint64_t id; /* unique, also of those that were wanted before */
    const char *imsi, *msisdn, *apn;
    uint32_t sgsn_ip, ggsn_ip, teid;
    uint32_t address;           /* 0: one is to be given */
    uint64_t prefix, interface; /* likewise */
    uint8_t ip_version;         /* 0: both */
    uint8_t nsapi, qclass;
};

/* False: there is no GTP-C here. */
bool core_gtpc_add(struct core *core, const struct core_wanted *wanted);
void core_gtpc_del(struct core *core, uint64_t id);

/* Our TEID of the next attempt; another class; its GGSN has it no more, for the log why. */
void core_gtpc_teid(struct core *core, uint64_t id, uint32_t teid);
void core_gtpc_change(struct core *core, uint64_t id, uint8_t qclass);
void core_gtpc_lost(struct core *core, uint64_t id, const char *why);

/* MSG_PUNT_GN; takes its buffer over. */
void core_gtpc_punt(struct core *core, const struct msg *msg);

/* The next hop towards an address has been found. */
void core_gtpc_reachable(struct core *core, uint32_t ip);

#endif
