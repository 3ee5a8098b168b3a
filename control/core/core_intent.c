/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_intent.h"

#include "control/config/node_config.h"
#include "control/core/core.h"
#include "control/lua/lua_fields.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"
#include "control/lua/lua_records.h"
#include "dataplane/base/n_pdu.h"

#include <stddef.h>
#include <string.h>

#define FIELD(KIND, member, key)            LUA_FIELD_AS(KIND, struct core_intent, member, key)
#define FIELD_OR(KIND, member, key, absent) LUA_FIELD_OR(KIND, struct core_intent, member, key, absent)
#define NEEDED(KIND, member, key)           LUA_FIELD_NEEDED(KIND, struct core_intent, member, key)

#define FLOW(flow)                                                                                           \
    FIELD(U64, msg.flow.bucket_octets, "bucket_octets"), FIELD(U64, msg.flow.rate_bps, "rate_bps"),          \
        FIELD(U64, msg.flow.ms_bucket_octets, "ms_bucket_octets"),                                           \
        FIELD(U64, msg.flow.ms_rate_bps, "ms_rate_bps"),                                                     \
        FIELD_OR(I32, msg.flow.ratio_percent, "ratio_percent", -1),                                          \
        FIELD_OR(U16, msg.flow.delay_cs, "measurement_cs", -1),                                              \
        FIELD(IS_THERE, msg.flow.has_delay, "measurement_cs"),                                               \
        FIELD(U16, msg.flow.share_permille, "share_permille"), FIELD(I64, msg.flow.th_ns, "th_ns")

/* --- payloads: the fields of each message with MSG_INTENT --- */

static const struct lua_field fields_none[] = {{0}},
                              fields_is_usable[] = {NEEDED(BOOL, msg.is_usable, "usable"), {0}},
                              fields_data_weight[] = {NEEDED(U8, msg.data_weight, "weight"), {0}},
                              fields_is_unblocked[] = {NEEDED(BOOL, msg.is_unblocked, "usable"), {0}},
                              fields_flow[] = {FLOW(flow), {0}},
                              fields_pfc[] = {FLOW(pfc.flow),
                                              FIELD_OR(U8, msg.pfc.pfi, "pfi", N_PDU_NO_PFI),
                                              {0}},
                              fields_pfi[] = {FIELD_OR(U8, msg.pfi, "pfi", N_PDU_NO_PFI), {0}},
                              fields_is_suspended[] = {NEEDED(BOOL, msg.is_suspended, "suspended"), {0}},
                              fields_is_held[] = {NEEDED(BOOL, msg.is_held, "held"), {0}},
                              fields_received[] = {NEEDED(U8, msg.received.nsapi, "nsapi"),
                                                   NEEDED(U8, msg.received.number, "number"),
                                                   {0}},
                              fields_elements[] = {NEEDED(ELEMENTS, msg.elements, "elements"), {0}},
                              fields_abm[] = {NEEDED(U8, msg.abm.sapi, "sapi"),
                                              NEEDED(U16, msg.abm.bounds.n201_i_octets, "n201_i_octets"),
                                              NEEDED(U16, msg.abm.bounds.m_down, "m_d"),
                                              NEEDED(U16, msg.abm.bounds.m_up, "m_u"),
                                              NEEDED(U16, msg.abm.bounds.t200_ds, "t200_ds"),
                                              NEEDED(U8, msg.abm.bounds.k_down, "k_d"),
                                              NEEDED(U8, msg.abm.bounds.k_up, "k_u"),
                                              NEEDED(U8, msg.abm.bounds.n200, "n200"),
                                              {0}},
                              fields_n201_u_octets[] = {NEEDED(U32, msg.n201_u_octets, "octets"), {0}};

/* --- other fields of the rows of intents.def --- */

static const struct lua_field
    fields_octets[] = {NEEDED(OCTETS, octets, "octets"), {0}},
    fields_compression[] = {NEEDED(U8, msg.compression.params.sapi, "sapi"),
                            NEEDED(U8, msg.compression.params.kind, "kind"),
                            NEEDED(U8, msg.compression.params.number, "number"),
                            NEEDED(U16, msg.compression.params.nsapis, "nsapis"),
                            FIELD(U8, msg.compression.params.first, "first"),
                            FIELD(U8, msg.compression.params.second, "second"),
                            FIELD(U16, msg.compression.params.slots, "slots"),
                            FIELD(U16, msg.compression.params.codewords, "codewords"),
                            FIELD(U8, msg.compression.params.string_octets, "string_octets"),
                            FIELD(U8, msg.compression.params.directions, "directions"),
                            FIELD(BOOL, msg.compression.is_new, "is_new"),
                            FIELD(BOOL, is_added, "is_added"),
                            {0}},
    fields_nsvc[] = {NEEDED(U32, nsei, "nsei"),           NEEDED(ADDRESS, own_address, "own_address"),
                     NEEDED(ADDRESS, address, "address"), NEEDED(U16, own_port, "own_port"),
                     NEEDED(U16, udp_port, "udp_port"),   FIELD(U8, weight, "weight"),
                     FIELD(U16, nsvci, "nsvci"),          {0}},
    fields_nse[] = {NEEDED(U32, nsei, "nsei"), {0}},
    fields_cell_id[] = {NEEDED(U32, nsei, "nsei"), NEEDED(U32, bvci, "bvci"),
                        NEEDED(TEXT, mcc, "mcc"),  NEEDED(TEXT, mnc, "mnc"),
                        NEEDED(U16, lac, "lac"),   NEEDED(U8, rac, "rac"),
                        NEEDED(U16, ci, "ci"),     {0}},
    fields_discard[] = {NEEDED(U64, msg.discard.octets, "octets"),
                        FIELD_OR(U8, msg.discard.pfi, "pfi", N_PDU_NO_PFI),
                        NEEDED(U32, bvci, "bvci"),
                        {0}},
    fields_flush[] = {NEEDED(U64, msg.flush.octets, "octets"), NEEDED(U32, bvci, "bvci"),
                      FIELD(U32, nsei_new, "nsei_new"),        FIELD(U32, bvci_new, "bvci_new"),
                      NEEDED(U32, nsei_home, "nsei_home"),     {0}},
    fields_cell[] = {NEEDED(U32, nsei_new, "nsei_new"),
                     NEEDED(U32, bvci_new, "bvci_new"),
                     FIELD(BOOL, msg.cell.is_lost, "lost"),
                     {0}},
    fields_path[] = {NEEDED(U32, path, "path"), FIELD(U16, msg.path.seq, "seq"), {0}},
    fields_datagram[] = {NEEDED(OCTETS, octets, "octets"),
                         NEEDED(TEXT, ours, "ours"),
                         NEEDED(TEXT, ggsn, "theirs"),
                         NEEDED(U16, msg.datagram.port, "port"),
                         FIELD(BOOL, msg.datagram.is_answer, "is_answer"),
                         {0}},
    fields_id[] = {NEEDED(U64, id, "id"), {0}},
    fields_granted[] = {NEEDED(U64, id, "id"),
                        NEEDED(TEXT, qclass, "class"),
                        FIELD(BOOL, is_uncompressed, "uncompressed"),
                        {0}},
    fields_context[] = {NEEDED(U64, id, "id"),
                        NEEDED(TEXT, ggsn, "ggsn"),
                        NEEDED(U32, ggsn_teid, "ggsn_teid"),
                        FIELD(U32, charging_id, "charging_id"),
                        FIELD(TEXT, ipv4, "ipv4"),
                        FIELD(TEXT, ipv6, "ipv6"),
                        NEEDED(TEXT, qclass, "class"),
                        FIELD(TEXT, apn, "apn"),
                        FIELD(TEXT, msisdn, "msisdn"),
                        FIELD(TEXT, imeisv, "imeisv"),
                        FIELD(BOOL, is_uncompressed, "uncompressed"),
                        {0}},
    fields_ends[] = {NEEDED(U64, id, "id"),
                     NEEDED(TEXT, ggsn, "ggsn"),
                     NEEDED(U32, ggsn_teid, "ggsn_teid"),
                     FIELD(TEXT, ipv4, "ipv4"),
                     FIELD(TEXT, ipv6, "ipv6"),
                     {0}},
    fields_ended[] = {NEEDED(U64, id, "id"), FIELD(I32, cause, "cause"), {0}},
    fields_phone_message[] = {NEEDED(OCTETS, octets, "octets"),
                              FIELD(BOOL, msg.llc.is_ciphered, "ciphered"),
                              FIELD(U8, msg.llc.sapi, "sapi"),
                              FIELD(U32, nsei, "nsei"),
                              FIELD(U32, bvci, "bvci"),
                              FIELD(U32, msg.llc.tlli, "tlli"),
                              {0}},
    fields_phone_place[] = {NEEDED(U32, msg.slot, "mobile"),
                            NEEDED(U32, nsei, "nsei"),
                            NEEDED(U32, bvci, "bvci"),
                            {0}},
    fields_phone_key[] = {NEEDED(U8, msg.cipher.algorithm, "algorithm"), NEEDED(OCTETS, octets, "key"), {0}},
    fields_phone_tlli[] = {NEEDED(U32, msg.assigned.tlli, "tlli"),
                           FIELD(BOOL, msg.assigned.keeps_old, "keeps_old"),
                           {0}},
    fields_phone[] = {NEEDED(U32, msg.slot, "mobile"), FIELD(TEXT, imsi, "imsi"), {0}},
    fields_phone_radio[] = {NEEDED(U32, msg.slot, "mobile"),
                            FIELD(OCTETS, ra_capability, "ra_capability"),
                            FIELD(OCTETS, drx, "drx"),
                            {0}},
    fields_phone_pdp[] = {NEEDED(U32, msg.slot, "mobile"),
                          NEEDED(U8, nsapi, "nsapi"),
                          NEEDED(U8, sapi, "sapi"),
                          NEEDED(TEXT, ours, "ours"),
                          NEEDED(TEXT, pdp_type, "pdp_type"),
                          FIELD(BOOL, is_any_payload, "any_payload"),
                          LUA_FIELD_WORDS(WORD, struct core_intent, takes, "compression",
                                          NODE_CONFIG_TAKES_WORDS),
                          FIELD(U8, linked, "linked"),
                          FIELD_OR(U8, pfi, "pfi", N_PDU_NO_PFI),
                          {0}},
    fields_phone_context[] = {NEEDED(U32, msg.slot, "mobile"),
                              NEEDED(U8, nsapi, "nsapi"),
                              FIELD(BOOL, msg.llc_mode.is_acknowledged, "acknowledged"),
                              FIELD(BOOL, msg.llc_mode.is_continued, "continued"),
                              FIELD(U8, msg.llc_mode.send, "send_n_pdu"),
                              FIELD(U8, msg.llc_mode.receive, "receive_n_pdu"),
                              FIELD(BOOL, is_moved, "moved"),
                              FIELD(TEXT, forwarder, "forwarder"),
                              FIELD(TEXT, ggsn, "ggsn"),
                              FIELD(U32, ggsn_teid, "ggsn_teid"),
                              {0}},
    fields_rim[] = {NEEDED(OCTETS, octets, "octets"),
                    FIELD(OCTETS, routing, "routing"),
                    FIELD(BOOL, is_returned, "returned"),
                    {0}},
    fields_dns[] = {NEEDED(U64, id, "id"),
                    NEEDED(TEXT, text, "name"),
                    NEEDED(TEXT, peer, "servers"),
                    FIELD(BOOL, is_ipv6, "ipv6"),
                    {0}},
    fields_sgsn[] = {NEEDED(U32, msg.slot, "mobile"), NEEDED(OCTETS, octets, "octets"), {0}},
    fields_phone_record[] = {NEEDED(U32, msg.slot, "mobile"),
                             NEEDED(BOOL, is_attached, "attached"),
                             NEEDED(TEXT, imsi, "imsi"),
                             FIELD(TEXT, msisdn, "msisdn"),
                             FIELD(TEXT, imeisv, "imeisv"),
                             FIELD(I32, cause, "cause"),
                             {0}},
    fields_phone_class[] = {NEEDED(U32, msg.slot, "mobile"),
                            NEEDED(U8, nsapi, "nsapi"),
                            NEEDED(TEXT, qclass, "class"),
                            {0}},
    fields_hlr[] = {FIELD(TEXT, peer, "address"),
                    FIELD(U16, port, "port"),
                    FIELD(OCTETS, octets, "octets"),
                    {0}},
    fields_keep[] = {NEEDED(TEXT, text, "key"), FIELD(OCTETS, octets, "octets"), {0}},
    fields_acted[] = {NEEDED(U64, id, "id"), NEEDED(BOOL, is_done, "done"), NEEDED(TEXT, text, "text"), {0}},
    fields_fault[] = {NEEDED(TEXT, text, "text"), {0}},
    fields_log[] = {
        NEEDED(TEXT, level, "level"), NEEDED(TEXT, text, "text"), FIELD(TEXT, category, "who"), {0}};

/* --- subjects: their names in an intent, and their slots --- */

static bool find_none(const struct core *core, struct core_intent *intent)
{
    return true;
}

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

/* The number of an NS-VC, mobile or context is its slot: it must be below the limit of the table. */
static bool find_nsvc(const struct core *core, struct core_intent *intent)
{
    return intent->msg.slot < core->config->nsvc_count;
}

static bool find_mobile(const struct core *core, struct core_intent *intent)
{
    return intent->msg.slot < core->config->limits.mobiles;
}

static bool find_pdp(const struct core *core, struct core_intent *intent)
{
    return intent->msg.slot < core->config->limits.contexts;
}

static bool find_tlli(const struct core *core, struct core_intent *intent)
{
    int nse = node_config_nse(core->config, intent->nsei);
    intent->msg.nse = (uint16_t)nse;
    return nse >= 0;
}

static const struct lua_field by_none[] = {{0}}, by_nse[] = {NEEDED(U32, nsei, "nsei"), {0}},
                              by_nsvc[] = {NEEDED(U32, msg.slot, "nsvc"), {0}},
                              by_bvc[] = {NEEDED(U32, nsei, "nsei"), NEEDED(U32, bvci, "bvci"), {0}},
                              by_mobile[] = {NEEDED(U32, msg.slot, "mobile"), {0}},
                              by_pdp[] = {NEEDED(U32, msg.slot, "pdp"), {0}},
                              by_tlli[] = {NEEDED(U32, nsei, "nsei"), FIELD(U32, msg.tlli, "tlli"), {0}};

static const struct {
    const struct lua_field *fields;
    bool (*find)(const struct core *core, struct core_intent *intent);
} subjects[] = {
#define MSG_SUBJECT(NAME, index, key, way) [MSG_BY_##NAME] = {by_##key, find_##key},
#include "dataplane/worker/msgs.def"
};

/* --- what else an intent names --- */

static bool has_cell(const struct core *core, uint32_t nsei, uint32_t bvci)
{
    return node_config_cell(core->config, node_config_nse(core->config, nsei), bvci) >= 0;
}

static bool fits_flush(const struct core *core, const struct core_intent *intent)
{
    return node_config_nse(core->config, intent->nsei_home) >= 0 &&
           (intent->bvci_new == 0 || has_cell(core, intent->nsei_new, intent->bvci_new));
}

static bool fits_cell(const struct core *core, const struct core_intent *intent)
{
    return has_cell(core, intent->nsei_new, intent->bvci_new);
}

static bool fits_path(const struct core *core, const struct core_intent *intent)
{
    return intent->path < core->paths.count;
}

static bool fits_class(const struct core *core, const struct core_intent *intent)
{
    return n_pdu_qclass_from_name(intent->qclass) >= 0;
}

static bool fits_log(const struct core *core, const struct core_intent *intent)
{
    static const char *const levels[] = {"debug", "info", "warn", "warning", "error"};
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (strcmp(intent->level, levels[i]) == 0)
            return true;
    return false;
}

static const struct {
    const struct lua_field *fields;
    bool (*fits)(const struct core *core, const struct core_intent *intent);
    const char *what;
} checks[] = {
    {fields_flush, fits_flush, "nsei_home, or nsei_new and bvci_new"},
    {fields_cell, fits_cell, "nsei_new and bvci_new"},
    {fields_path, fits_path, "path"},
    {fields_granted, fits_class, "class"},
    {fields_context, fits_class, "class"},
    {fields_log, fits_log, "level"},
};

/* --- ops --- */

static void order(struct core *core, struct core_intent *intent)
{
    core_order(core, &intent->msg);
}

static const struct {
    const char *name;
    uint16_t type; /* enum msg_type; MSG_TYPES: no message */
    const struct lua_field *fields;
    core_intent_action *action; /* NULL: the sessions carry it out */
    bool is_asked;              /* and answer a refused one */
} ops[] = {
#define ROW(op, type, fields, action, is_asked) [CORE_INTENT_##op] = {#op, type, fields, action, is_asked},
#define MSG_INTENT(NAME, name, subject, payload, flags, handler)                                             \
    ROW(name, MSG_##NAME, fields_##payload, order, false)
#include "dataplane/worker/msgs.def"
#define INTENT_MSG(op, MESSAGE, fields, action)          ROW(op, MSG_##MESSAGE, fields_##fields, action, false)
#define INTENT_CALL(op, fields, action)                  ROW(op, MSG_TYPES, fields_##fields, action, false)
#define INTENT_SESSIONS_MSG(op, MESSAGE, fields, action) ROW(op, MSG_##MESSAGE, fields_##fields, NULL, false)
#define INTENT_SESSIONS(op, fields, action)              ROW(op, MSG_TYPES, fields_##fields, NULL, false)
#define INTENT_SESSIONS_ASKED(op, fields, action)        ROW(op, MSG_TYPES, fields_##fields, NULL, true)
#include "control/core/intents.def"
};

/* No worker could carry it out. */
static void core_intent_refuse(struct core *core, uint16_t type)
{
    if (core->refused++ == 0)
        core->first_refused = type;
}

/* NULL: it can be carried out. Else what is wrong: the key of a field, or what the fields name and is not
 * there. */
static const char *judge(const struct core *core, lua_State *L, unsigned op, struct core_intent *intent)
{
    unsigned subject = msg_row(ops[op].type)->subject;
    const char *wrong = lua_fields_read(L, subjects[subject].fields, intent);
    if (!wrong)
        wrong = lua_fields_read(L, ops[op].fields, intent);
    if (!wrong && !subjects[subject].find(core, intent))
        wrong = "subject";
    for (size_t i = 0; !wrong && i < sizeof(checks) / sizeof(checks[0]); i++)
        if (checks[i].fields == ops[op].fields && !checks[i].fits(core, intent))
            wrong = checks[i].what;
    return wrong;
}

static void carry_out(void *self, const struct lua_object *from, unsigned op)
{
    struct core *core = self;
    if (op == LUA_INTENT_NO_OP) {
        core_intent_refuse(core, MSG_TYPES);
        return;
    }
    struct core_intent intent = {
        .msg = {.type = ops[op].type}, .who = from->who, .place = lua_gettop(from->L)};
    intent.is_refused = judge(core, from->L, op, &intent) != NULL;
    if (intent.is_refused)
        core_intent_refuse(core, ops[op].type);
    if (intent.is_refused && !ops[op].is_asked)
        return;
    if (ops[op].action)
        ops[op].action(core, &intent);
    else if (core->sessions.arg)
        core->sessions.act(core->sessions.arg, (enum core_intent_op)op, &intent);
}

static void core_intent_fail(void *self, const struct lua_object *from, const char *text)
{
    core_log_error(self, from->who, text);
}

void core_intent_init(struct core *core, lua_State *L)
{
    lua_intents_init(&core->intents, L, carry_out, core);
    core->intents.fail = core_intent_fail;
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
    core_order_octets(core, &intent->msg, intent->octets.bytes, intent->octets.count);
}

void core_intent_keep(struct core *core, struct core_intent *intent)
{
    struct lua_records *records = &core->restart.records;
    if (intent->octets.bytes)
        lua_records_put(records, intent->who, intent->text, intent->octets.bytes, intent->octets.count);
    else
        lua_records_del(records, intent->who, intent->text);
}
