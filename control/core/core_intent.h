/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns intents of the state machines in Lua into orders to workers (docs/messages.md), with slots in place
 * of NSEIs and BVCIs. */
#ifndef CONTROL_CORE_CORE_INTENT_H
#define CONTROL_CORE_CORE_INTENT_H

#include "control/lua/lua_fields.h"
#include "dataplane/worker/msg.h"

#include <stdint.h>

struct core;

/* An intent; members without a field in its op are 0 or NULL. Texts and octets hold until the action returns.
 */
struct core_intent {
    struct msg msg;      /* with its subject, and the payload members that have fields */
    uint32_t nsei, bvci; /* of the subject, as Lua names it */
    uint32_t nsei_new, bvci_new;
    uint32_t nsei_home;                            /* of the NSE in which the worker has the mobile now */
    struct lua_field_address own_address, address; /* of an NS-VC */
    uint16_t own_port, udp_port;
    uint16_t nsvci;        /* 0: of IP-SNS */
    uint8_t weight;        /* its data weight */
    const char *mcc, *mnc; /* of a cell identity */
    uint16_t lac, ci;
    uint8_t rac;
    struct lua_field_octets octets;
    struct lua_field_octets ra_capability, drx; /* of a phone: value parts of TS 24.008 */
    const char *imsi;
    uint32_t path;           /* of core->paths */
    uint64_t id;             /* of a context over GTP-C, or of an act */
    bool is_done;            /* of an act */
    const char *ours, *ggsn; /* addresses as texts */
    uint32_t ggsn_teid;
    uint32_t charging_id;    /* 0: the GGSN gives none */
    const char *ipv4, *ipv6; /* the mobile's addresses */
    const char *qclass;
    int cause;                                           /* of a context that has ended */
    const char *apn, *pdp_type, *msisdn, *imeisv, *peer; /* of a phone's context; address of the HLR */
    uint8_t nsapi, sapi;
    bool is_any_payload, is_attached;
    bool is_moved;                   /* of a phone's context: another SGSN has it */
    struct lua_field_octets routing; /* of RAN information: its destination */
    bool is_returned;                /* of RAN information: no SGSN is known for it */
    bool is_ipv6;                    /* of an address that DNS is asked for */
    const char *forwarder;           /* the same: the address that forwards its N-PDUs; NULL: none */
    uint8_t takes;                   /* enum node_config_takes */
    bool is_uncompressed;            /* of a context: its GGSN wants data as they are */
    bool is_added;                   /* an entity of SNDCP, which takes memory */
    uint8_t linked, pfi;             /* of a phone's context: NSAPI of another one, 0: none; packet flow */
    uint16_t port;
    const char *who, *category, *level, *text;
    int place;       /* of its table on the stack of Lua */
    bool is_refused; /* of a row INTENT_SESSIONS_ASKED: only the fields in front of a wrong one are read */
};

typedef void core_intent_action(struct core *core, struct core_intent *intent);

/* A row of msgs.def or intents.def. */
enum core_intent_op {
#define MSG_INTENT(NAME, name, subject, payload, flags, handler) CORE_INTENT_##name,
#include "dataplane/worker/msgs.def"
#define INTENT_MSG(op, MESSAGE, fields, action)          CORE_INTENT_##op,
#define INTENT_CALL(op, fields, action)                  CORE_INTENT_##op,
#define INTENT_SESSIONS_MSG(op, MESSAGE, fields, action) CORE_INTENT_##op,
#define INTENT_SESSIONS(op, fields, action)              CORE_INTENT_##op,
#include "control/core/intents.def"
    CORE_INTENT_OPS,
};

#define INTENT_MSG(op, MESSAGE, fields, action) core_intent_action action;
#define INTENT_CALL(op, fields, action)         core_intent_action action;
#include "control/core/intents.def"

/* Registers the actions of all ops in core->intents. */
void core_intent_init(struct core *core, lua_State *L);
void core_intent_fini(struct core *core);

#endif
