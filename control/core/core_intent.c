/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_intent.h"

#include "control/core/core.h"
#include "control/lua/lua_object.h"

#include <stddef.h>

#define FIELD(KIND, member, key)                                                                             \
    {                                                                                                        \
        key, offsetof(struct core_intent, member), LUA_INTENT_##KIND, 0                                      \
    }
#define FIELD_OR(KIND, member, key, absent)                                                                  \
    {                                                                                                        \
        key, offsetof(struct core_intent, member), LUA_INTENT_##KIND, absent                                 \
    }

#define FLOW(flow)                                                                                           \
    FIELD(U64, msg.flow.bucket_octets, "bucket_octets"), FIELD(U64, msg.flow.rate_bps, "rate_bps"),          \
        FIELD(U64, msg.flow.ms_bucket_octets, "ms_bucket_octets"),                                           \
        FIELD(U64, msg.flow.ms_rate_bps, "ms_rate_bps"),                                                     \
        FIELD_OR(I32, msg.flow.ratio_percent, "ratio_percent", -1),                                          \
        FIELD_OR(U16, msg.flow.delay_cs, "measurement_cs", -1),                                              \
        FIELD(IS_THERE, msg.flow.has_delay, "measurement_cs")

/* --- payloads: the fields of each message with MSG_INTENT --- */

static const struct lua_intent_field fields_none[] = {{0}},
                                     fields_is_usable[] = {FIELD(BOOL, msg.is_usable, "usable"), {0}},
                                     fields_data_weight[] = {FIELD(U8, msg.data_weight, "weight"), {0}},
                                     fields_is_unblocked[] = {FIELD(BOOL, msg.is_unblocked, "usable"), {0}},
                                     fields_flow[] = {FLOW(flow), {0}},
                                     fields_pfc[] = {FLOW(pfc.flow),
                                                     FIELD_OR(U8, msg.pfc.pfi, "pfi", N_PDU_NO_PFI),
                                                     {0}},
                                     fields_pfi[] = {FIELD_OR(U8, msg.pfi, "pfi", N_PDU_NO_PFI), {0}},
                                     fields_is_suspended[] = {FIELD(BOOL, msg.is_suspended, "suspended"),
                                                              {0}},
                                     fields_elements[] = {FIELD(ELEMENTS, msg.elements, "elements"), {0}},
                                     fields_n201_u_octets[] = {FIELD(U32, msg.n201_u_octets, "octets"), {0}};

/* --- other fields of the rows of intents.def --- */

static const struct lua_intent_field
    fields_octets[] = {FIELD(OCTETS, octets, "octets"), {0}},
    fields_nsvc[] = {FIELD(U32, nsei, "nsei"),
                     FIELD(ADDRESS, own_address, "own_address"),
                     FIELD(ADDRESS, address, "address"),
                     FIELD(U16, own_port, "own_port"),
                     FIELD(U16, udp_port, "udp_port"),
                     FIELD(U8, weight, "weight"),
                     {0}},
    fields_discard[] = {FIELD(U64, msg.discard.octets, "octets"),
                        FIELD_OR(U8, msg.discard.pfi, "pfi", N_PDU_NO_PFI),
                        FIELD(U32, bvci, "bvci"),
                        {0}},
    fields_flush[] = {FIELD(U64, msg.flush.octets, "octets"), FIELD(U32, bvci, "bvci"),
                      FIELD(U32, nsei_new, "nsei_new"),       FIELD(U32, bvci_new, "bvci_new"),
                      FIELD(U32, nsei_home, "nsei_home"),     {0}},
    fields_imsi[] = {FIELD(TEXT, imsi, "imsi"), {0}},
    fields_cell[] = {FIELD(U32, nsei_new, "nsei_new"),
                     FIELD(U32, bvci_new, "bvci_new"),
                     FIELD(BOOL, msg.cell.is_lost, "lost"),
                     {0}},
    fields_path[] = {FIELD(U32, path, "path"), FIELD(U16, msg.path.seq, "seq"), {0}},
    fields_datagram[] = {FIELD(OCTETS, octets, "octets"),
                         FIELD(TEXT, ours, "ours"),
                         FIELD(TEXT, ggsn, "theirs"),
                         FIELD(U16, msg.datagram.port, "port"),
                         {0}},
    fields_context[] = {FIELD(U64, id, "id"),
                        FIELD(TEXT, ggsn, "ggsn"),
                        FIELD(U32, ggsn_teid, "ggsn_teid"),
                        FIELD(TEXT, ipv4, "ipv4"),
                        FIELD(TEXT, ipv6, "ipv6"),
                        FIELD(TEXT, qclass, "class"),
                        {0}},
    fields_log[] = {FIELD(TEXT, level, "level"), FIELD(TEXT, text, "text"), {0}};

/* --- subjects: their names in an intent, and their slots --- */

/* False: the configuration has no such NSEI or BVCI. */
static bool find_nse(const struct core *core, struct core_intent *intent)
{
    int nse = node_config_nse(core->config, intent->nsei);
    intent->msg.slot = (uint32_t)nse;
    return nse >= 0;
}

static bool find_bvc(const struct core *core, struct core_intent *intent)
{
    int cell = node_config_cell(core->config, node_config_nse(core->config, intent->nsei), intent->bvci);
    intent->msg.slot = (uint32_t)cell;
    return cell >= 0;
}

static bool find_tlli(const struct core *core, struct core_intent *intent)
{
    int nse = node_config_nse(core->config, intent->nsei);
    intent->msg.nse = (uint16_t)nse;
    return nse >= 0;
}

static const struct lua_intent_field by_nse[] = {FIELD(U32, nsei, "nsei"), {0}},
                                     by_nsvc[] = {FIELD(U32, msg.slot, "nsvc"), {0}},
                                     by_bvc[] = {FIELD(U32, nsei, "nsei"), FIELD(U32, bvci, "bvci"), {0}},
                                     by_ms[] = {FIELD(U32, msg.slot, "mobile"), {0}},
                                     by_pdp[] = {FIELD(U32, msg.slot, "pdp"), {0}},
                                     by_tlli[] = {
                                         FIELD(U32, nsei, "nsei"), FIELD(U32, msg.tlli, "tlli"), {0}};

static const struct {
    const struct lua_intent_field *fields;
    bool (*find)(const struct core *core, struct core_intent *intent); /* NULL: the fields give the slot */
} subjects[] = {
    [MSG_BY_NONE] = {fields_none, NULL},  [MSG_BY_NSE] = {by_nse, find_nse},
    [MSG_BY_NSVC] = {by_nsvc, NULL},      [MSG_BY_BVC] = {by_bvc, find_bvc},
    [MSG_BY_HOME_MS] = {by_ms, NULL},     [MSG_BY_MS] = {by_ms, NULL},
    [MSG_BY_NEW_PDP] = {by_pdp, NULL},    [MSG_BY_PDP] = {by_pdp, NULL},
    [MSG_BY_TLLI] = {by_tlli, find_tlli}, [MSG_BY_TLLI_OR_NONE] = {by_tlli, find_tlli},
};

/* --- ops --- */

static void order(struct core *core, struct core_intent *intent)
{
    core_order(core, &intent->msg);
}

static const struct {
    const char *name;
    uint16_t type; /* enum msg_type; MSG_TYPES: no message */
    const struct lua_intent_field *fields;
    core_intent_action *action;
} ops[] = {
#define MSG_INTENT(NAME, name, subject, payload, flags, handler) {#name, MSG_##NAME, fields_##payload, order},
#include "dataplane/worker/msgs.def"
#define INTENT_MSG(op, MESSAGE, fields, action) {#op, MSG_##MESSAGE, fields_##fields, action},
#define INTENT_CALL(op, fields, action)         {#op, MSG_TYPES, fields_##fields, action},
#include "control/core/intents.def"
};

/* No worker could carry it out. */
static void refuse(struct core *core, uint16_t type)
{
    if (core->refused++ == 0)
        core->first_refused = type;
}

static void carry_out(void *self, const struct lua_object *from, unsigned op)
{
    struct core *core = self;
    struct core_intent intent = {.msg = {.type = ops[op].type}, .who = from->who};
    unsigned subject = msg_row(ops[op].type)->subject;

    lua_intent_read(from->L, subjects[subject].fields, &intent);
    lua_intent_read(from->L, ops[op].fields, &intent);
    if (subjects[subject].find && !subjects[subject].find(core, &intent))
        refuse(core, ops[op].type);
    else
        ops[op].action(core, &intent);
}

void core_intent_init(struct core *core, lua_State *L)
{
    lua_intents_init(&core->intents, L, carry_out, core);
    for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        lua_intents_name(&core->intents, ops[i].name, i);
}

void core_intent_fini(struct core *core)
{
    lua_intents_fini(&core->intents);
}

/* --- actions of more than one part of the control plane --- */

void core_intent_send(struct core *core, struct core_intent *intent)
{
    intent->msg.mbuf = core_buffer(core, intent->octets.bytes, intent->octets.count);
    if (intent->msg.mbuf)
        core_order(core, &intent->msg);
}

void core_intent_log(struct core *core, struct core_intent *intent)
{
    core_tell(core, intent->who, intent->level, intent->text);
}
