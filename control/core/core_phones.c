/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core.h"
#include "control/config/mobile_row.h"
#include "control/core/core_gb.h"
#include "control/core/core_gtpc.h"

#include "control/core/core_intent.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/l3.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"

#include <arpa/inet.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

#define UI_BITS       0xe0 /* of the first control octet (TS 44.064 clause 6.2) */
#define UI_MARK       0xc0
#define PROTOCOL_BITS 0x0f /* of the first octet of layer 3 */

static bool has_phones(const struct core *core)
{
    return core->phones.object.L != NULL && core->mobiles.arg;
}

void core_phones_init(struct core *core)
{
    lua_pushvalue(core->intents.L, -1);
    lua_phones_init(&core->phones, &core->intents);
}

void core_phones_fini(struct core *core)
{
    lua_phones_fini(&core->phones);
}

void core_phones_start(struct core *core)
{
    if (core->phones.object.L)
        lua_phones_start(&core->phones, core->now);
}

void core_phones_cell(struct core *core, const struct node_config_cell *cell)
{
    const struct lua_phones_cell place = {.nsei = core->config->nses[cell->nse].nsei,
                                          .bvci = cell->bvci,
                                          .mcc = cell->mcc,
                                          .mnc = cell->mnc,
                                          .lac = cell->lac,
                                          .rac = cell->rac};
    if (core->phones.object.L)
        lua_phones_cell_add(&core->phones, &place);
}

void core_phones_cell_gone(struct core *core, uint32_t nsei, uint32_t bvci)
{
    if (core->phones.object.L)
        lua_phones_cell_del(&core->phones, nsei, bvci);
}

void core_phones_set(struct core *core, const char *name, int64_t value)
{
    if (core->phones.object.L)
        lua_phones_set(&core->phones, name, value);
}

/* --- messages of phones --- */

/* SMS has a SAPI of its own (TS 44.064 clause 6.2.3); all other messages of layer 3 are on that of GMM. */
static bool is_sapi_right(uint8_t sapi, const struct lua_phones_message *message)
{
    bool is_sms = message->count > 0 && (message->octets[0] & PROTOCOL_BITS) == L3_SMS;
    return sapi == (is_sms ? LLC_SAPI_SMS : LLC_SAPI_GMM);
}

/* The layer 3 message in the UL-UNITDATA of an unknown TLLI; false: it is no correct UI frame in clear on its
 * SAPI. */
static bool read_frame(struct lua_phones_message *out, const struct rte_mbuf *mbuf)
{
    const uint8_t *bytes = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, NS_UNITDATA_HEADER_OCTETS);
    struct bssgp_ul ul;
    struct llc llc;
    if (rte_pktmbuf_data_len(mbuf) < NS_UNITDATA_HEADER_OCTETS ||
        bssgp_ul_unitdata_decode(&ul, bytes, rte_pktmbuf_data_len(mbuf) - NS_UNITDATA_HEADER_OCTETS) < 0)
        return false;
    if (llc_decode(&llc, ul.llc_pdu, ul.llc_octets) < 0 || llc.format != LLC_UI || llc.e)
        return false;
    out->octets = ul.llc_pdu + llc.header_octets;
    out->count = llc.info_octets;
    return is_sapi_right(llc.sapi, out) &&
           llc_fcs_is_right(ul.llc_pdu, llc.header_octets, llc.info_octets, llc.pm);
}

static void assign(struct core *core, uint32_t slot, uint32_t tlli, bool keeps_old)
{
    const struct msg msg = {
        .type = MSG_MS_TLLI, .slot = slot, .assigned = {.tlli = tlli, .keeps_old = keeps_old}};
    core_order(core, &msg);
}

/* A known phone uses its foreign TLLI, which the worker accepts besides the present one. */
static void accept_foreign(struct core *core, uint32_t slot, uint32_t foreign)
{
    uint32_t present;
    if (!core->mobiles.tlli_of_slot(core->mobiles.arg, slot, &present))
        return;
    assign(core, slot, foreign, true);
    assign(core, slot, present, true);
}

/* The slot of the mobile of an admitted message; false: refused. */
static bool find_slot(struct core *core, const struct msg *msg, const struct lua_phones_message *message,
                      uint32_t *slot)
{
    int cell = node_config_cell(core->config, msg->nse, message->bvci);
    int64_t verdict =
        cell < 0 ? LUA_PHONES_REFUSE : lua_phones_admit(&core->phones, msg->tlli, message, core->now);
    if (verdict == LUA_PHONES_REFUSE)
        return false;
    if (verdict >= 0) {
        *slot = (uint32_t)verdict;
        accept_foreign(core, *slot, msg->tlli);
        return true;
    }
    *slot = core->mobiles.add_phone(core->mobiles.arg, msg->tlli, (uint16_t)cell);
    if (*slot == UINT32_MAX)
        return false;
    lua_phones_add(&core->phones, *slot, msg->tlli, message, core->now);
    return true;
}

bool core_phones_admit(struct core *core, const struct msg *msg)
{
    struct lua_phones_message message = {.nsei = core->config->nses[msg->nse].nsei, .bvci = msg->heard.bvci};
    uint32_t slot;
    if (!has_phones(core) || !read_frame(&message, msg->mbuf))
        return false;
    if (!find_slot(core, msg, &message, &slot))
        return false;
    mobility_frame(&core->mobility, slot, msg);
    core->has_new_timers = true;
    return true;
}

bool core_phones_punt(struct core *core, const struct msg *msg)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(msg->mbuf, const uint8_t *);
    size_t octets = rte_pktmbuf_data_len(msg->mbuf);
    if (!has_phones(core) || !core->mobiles.is_phone(core->mobiles.arg, msg->slot) ||
        octets < LLC_UI_OCTETS || (bytes[1] & UI_BITS) != UI_MARK)
        return false;
    struct lua_phones_message message = {.nsei = core->config->nses[msg->llc.from.nse].nsei,
                                         .bvci = msg->llc.from.bvci,
                                         .tlli = msg->llc.tlli,
                                         .octets = bytes + LLC_UI_OCTETS,
                                         .count = octets - LLC_UI_OCTETS,
                                         .is_ciphered = msg->llc.is_ciphered};
    if (!is_sapi_right(msg->llc.sapi, &message))
        return false;
    lua_phones_frame(&core->phones, msg->slot, &message, core->now);
    core->has_new_timers = true;
    rte_pktmbuf_free(msg->mbuf);
    return true;
}

void core_phones_reached(struct core *core, const struct msg *msg)
{
    if (!has_phones(core) || !core->mobiles.is_phone(core->mobiles.arg, msg->slot))
        return;
    lua_phones_reached(&core->phones, msg->slot, core->now);
    core->has_new_timers = true;
}

/* --- intents --- */

/* The cell that a message is for, unless that is the phone's own. */
static struct msg_heard place_apart(const struct core *core, const struct core_intent *intent)
{
    int nse = intent->bvci ? node_config_nse(core->config, intent->nsei) : -1;
    int cell = nse < 0 ? -1 : node_config_cell(core->config, nse, intent->bvci);
    bool is_apart =
        cell >= 0 && core->mobility.list && core->mobility.list[intent->msg.slot].cell != (uint16_t)cell;
    return is_apart ? (struct msg_heard){.bvci = (uint16_t)intent->bvci, .nse = (uint16_t)nse}
                    : (struct msg_heard){0};
}

void core_phones_send(struct core *core, struct core_intent *intent)
{
    if (intent->msg.llc.sapi == 0)
        intent->msg.llc.sapi = LLC_SAPI_GMM;
    intent->msg.llc.from = place_apart(core, intent);
    core_order_octets(core, &intent->msg, intent->octets.bytes, intent->octets.count);
}

void core_phones_heard(struct core *core, struct core_intent *intent)
{
    uint32_t tlli;
    if (has_phones(core) && core->mobiles.tlli_of_slot(core->mobiles.arg, intent->msg.slot, &tlli))
        lua_gb_heard(&core->gb, tlli, intent->nsei, intent->bvci, core->now);
}

void core_phones_cipher(struct core *core, struct core_intent *intent)
{
    struct llc_cipher_params *cipher = &intent->msg.cipher;
    if (intent->octets.count > sizeof(cipher->kc))
        return;
    if (cipher->algorithm != 0) {
        cipher->kc_octets = (uint8_t)intent->octets.count;
        memcpy(cipher->kc, intent->octets.bytes, intent->octets.count);
    }
    core_order(core, &intent->msg);
}

/* Control calls the phone by its new TLLI from the moment on that it alone holds. */
void core_phones_tlli(struct core *core, struct core_intent *intent)
{
    const struct core_mobiles *mobiles = &core->mobiles;
    core_order(core, &intent->msg);
    if (mobiles->arg && !intent->msg.assigned.keeps_old)
        mobiles->set_phone_tlli(mobiles->arg, intent->msg.slot, intent->msg.assigned.tlli);
}

void core_phones_imsi(struct core *core, struct core_intent *intent)
{
    if (has_phones(core) && intent->imsi)
        core->mobiles.set_phone_imsi(core->mobiles.arg, intent->msg.slot, intent->imsi);
}

void core_phones_del(struct core *core, struct core_intent *intent)
{
    if (has_phones(core))
        core->mobiles.del_phone(core->mobiles.arg, intent->msg.slot);
}

void core_phones_pdp_add(struct core *core, struct core_intent *intent)
{
    const struct core_phone_context context = {.apn = intent->apn,
                                               .pdp_type = intent->pdp_type,
                                               .is_any_payload = intent->is_any_payload,
                                               .ours = intent->ours,
                                               .ggsn = intent->ggsn,
                                               .ipv4 = intent->ipv4,
                                               .ipv6 = intent->ipv6,
                                               .linked = intent->linked,
                                               .pfi = intent->pfi ? intent->pfi : N_PDU_NO_PFI,
                                               .tft = intent->tft.bytes,
                                               .tft_octets = intent->tft.count,
                                               .qclass = intent->qclass,
                                               .msisdn = intent->msisdn,
                                               .pco = intent->octets.bytes,
                                               .pco_octets = intent->octets.count,
                                               .nsapi = intent->nsapi,
                                               .sapi = intent->sapi};
    if (has_phones(core) && !core->mobiles.want_context(core->mobiles.arg, intent->msg.slot, &context))
        core_phones_down(core, intent->msg.slot, intent->nsapi, 199); /* no resources available */
}

void core_phones_pdp_class(struct core *core, struct core_intent *intent)
{
    const struct lua_gtpc_change change = {
        .qclass = intent->qclass, .tft = (const uint8_t *)intent->tft.bytes, .tft_octets = intent->tft.count};
    if (has_phones(core))
        core->mobiles.change_context(core->mobiles.arg, intent->msg.slot, intent->nsapi, &change);
}

void core_phones_pdp_del(struct core *core, struct core_intent *intent)
{
    if (has_phones(core))
        core->mobiles.drop_context(core->mobiles.arg, intent->msg.slot, intent->nsapi);
}

void core_phones_pdp_llc(struct core *core, struct core_intent *intent)
{
    if (has_phones(core) &&
        !core->mobiles.set_llc(core->mobiles.arg, intent->msg.slot, intent->nsapi, intent->is_acknowledged))
        core_phones_llc(core, intent->msg.slot, intent->nsapi, false);
}

void core_phones_hlr_open(struct core *core, struct core_intent *intent)
{
    if (core->hlr.arg && intent->peer)
        core->hlr.open(core->hlr.arg, intent->peer, intent->port);
}

void core_phones_hlr_send(struct core *core, struct core_intent *intent)
{
    if (core->hlr.arg && intent->octets.count > 0)
        core->hlr.send(core->hlr.arg, intent->octets.bytes, intent->octets.count);
}

void core_phones_hlr_close(struct core *core, struct core_intent *unused_intent)
{
    (void)unused_intent;
    if (core->hlr.arg)
        core->hlr.close(core->hlr.arg);
}

/* --- answers --- */

void core_phones_up(struct core *core, uint32_t slot, uint8_t nsapi, const struct core_given *given)
{
    const struct lua_phones_given phones = {.ipv4 = given->ipv4,
                                            .ipv6 = given->ipv6,
                                            .qclass = qclass_name(given->qclass),
                                            .pco = given->pco,
                                            .pco_octets = given->pco_octets};
    if (!has_phones(core))
        return;
    lua_phones_context_up(&core->phones, slot, nsapi, &phones, core->now);
    core->has_new_timers = true;
}

void core_phones_down(struct core *core, uint32_t slot, uint8_t nsapi, int cause)
{
    if (!has_phones(core))
        return;
    lua_phones_context_down(&core->phones, slot, nsapi, cause, core->now);
    core->has_new_timers = true;
}

void core_phones_class(struct core *core, uint32_t slot, uint8_t nsapi, uint8_t qclass, int cause)
{
    if (!has_phones(core))
        return;
    lua_phones_context_class(&core->phones, slot, nsapi, qclass_name(qclass), cause, core->now);
    core->has_new_timers = true;
}

void core_phones_llc(struct core *core, uint32_t slot, uint8_t nsapi, bool is_set)
{
    if (!has_phones(core))
        return;
    lua_phones_context_llc(&core->phones, slot, nsapi, is_set, core->now);
    core->has_new_timers = true;
}

void core_phones_llc_lost(struct core *core, uint32_t slot, uint8_t nsapi)
{
    if (!has_phones(core))
        return;
    lua_phones_context_llc_lost(&core->phones, slot, nsapi, core->now);
    core->has_new_timers = true;
}

void core_phones_hlr(struct core *core, bool is_up)
{
    if (!has_phones(core))
        return;
    lua_phones_hlr(&core->phones, is_up, core->now);
    core->has_new_timers = true;
}

void core_phones_hlr_octets(struct core *core, const void *octets, size_t count)
{
    if (!has_phones(core))
        return;
    lua_phones_hlr_octets(&core->phones, octets, count, core->now);
    core->has_new_timers = true;
}

static struct sessions_mobile *phone_at(const struct sessions *s, uint32_t slot)
{
    if (slot >= s->core->config->limits.mobiles || !s->mobiles[slot].in_use || !s->mobiles[slot].is_phone)
        return NULL;
    return &s->mobiles[slot];
}

uint32_t sessions_phones_add(struct sessions *s, uint32_t tlli, uint16_t cell)
{
    const struct node_config *config = s->core->config;
    const struct sessions_traits traits = {.stays_in_area = config->phones.have_area_checks,
                                           .drops_suspended = config->phones.drop_suspended};
    uint32_t slot = sessions_make_mobile(s, "", tlli, cell, traits);
    if (slot == SESSIONS_NONE) {
        s->refused++;
        return UINT32_MAX;
    }
    s->mobiles[slot].is_phone = true;
    s->mobiles[slot].wanted = 1; /* it stays without a context */
    core_gb_ms_elements(s->core, tlli, cell, node_config_elements(config, config->mobiles.elements));
    sessions_order_llc(s, slot, cell, config->mobiles.unprotected, &(struct llc_cipher_params){0});
    return slot;
}

/* The Gb control plane knows mobiles by TLLI: what it has of the former one ends, also a suspension: the
 * phone has attached or updated (TS 23.060 clause 16.2.1.1.1). */
static void call_it(struct sessions *s, uint32_t slot, uint32_t tlli, const char *imsi)
{
    struct sessions_mobile *mobile = &s->mobiles[slot];
    uint16_t cell = s->core->mobility.list[slot].cell;
    struct msg defaults = {.type = MSG_MS_DEFAULTS, .tlli = tlli, .nse = s->core->config->cells[cell].nse};
    struct msg resumed = {.type = MSG_MS_SUSPEND, .tlli = tlli, .nse = defaults.nse, .is_suspended = false};
    bool is_other = tlli != mobile->tlli;
    core_gb_ms_del(s->core, mobile->tlli);
    if (is_other)
        mobility_rename(&s->core->mobility, slot, tlli);
    mobile->tlli = tlli;
    core_gb_ms_add(s->core, tlli, imsi, cell);
    if (is_other)
        core_order(s->core, &defaults);
    core_order(s->core, &resumed);
}

void sessions_phones_tlli(struct sessions *s, uint32_t slot, uint32_t tlli)
{
    const struct sessions_mobile *mobile = phone_at(s, slot);
    if (mobile && mobile->tlli != tlli && s->core->mobility.list)
        call_it(s, slot, tlli, mobile->imsi);
}

void sessions_phones_imsi(struct sessions *s, uint32_t slot, const char *imsi)
{
    struct sessions_mobile *mobile = phone_at(s, slot);
    if (!mobile || !s->core->mobility.list)
        return;
    if (mobile->imsi[0])
        u64_map_del(&s->imsis, mobile_keys_imsi(mobile->imsi), slot);
    snprintf(mobile->imsi, sizeof(mobile->imsi), "%s", imsi);
    if (mobile->imsi[0])
        u64_map_put(&s->imsis, mobile_keys_imsi(mobile->imsi), slot);
    const struct msg known = {.type = MSG_MS_IMSI, .slot = slot, .imsi = sessions_imsi(s, slot)};
    core_order(s->core, &known);
    call_it(s, slot, mobile->tlli, mobile->imsi);
}

void sessions_phones_del(struct sessions *s, uint32_t slot)
{
    struct sessions_mobile *mobile = phone_at(s, slot);
    if (!mobile)
        return;
    mobile->is_phone = false;
    mobile->wanted--;
    sessions_drop_idle(s, slot);
}

static uint8_t version_of(const char *pdp_type)
{
    if (strcmp(pdp_type, "non_ip") == 0)
        return PDP_ANY_PAYLOAD;
    return strcmp(pdp_type, "ipv4") == 0 ? 4 : strcmp(pdp_type, "ipv6") == 0 ? 6 : 0;
}

static uint32_t ipv4_of(const char *text)
{
    struct in_addr address;
    return text && inet_pton(AF_INET, text, &address) == 1 ? ntohl(address.s_addr) : 0;
}

static void ipv6_of(struct session *params, const char *text)
{
    uint8_t octets[16];
    if (!text || inet_pton(AF_INET6, text, octets) != 1)
        return;
    params->prefix = (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
    params->interface = (uint64_t)bytes_get_u32(octets + 8) << 32 | bytes_get_u32(octets + 12);
}

bool sessions_phones_want(struct sessions *s, uint32_t slot, const struct core_phone_context *context)
{
    const struct sessions_mobile *mobile = phone_at(s, slot);
    int qclass = context->qclass ? qclass_from_name(context->qclass) : -1;
    if (!mobile || qclass < 0 || !context->apn || !context->pdp_type || !context->ours || !context->ggsn)
        return false;
    struct session params = {.sgsn_ip = core_gtpc_address(s->core, context->ours),
                             .ggsn_ip = core_gtpc_address(s->core, context->ggsn),
                             .address = ipv4_of(context->ipv4),
                             .ip_version = version_of(context->pdp_type),
                             .is_any_payload = context->is_any_payload,
                             .gtp_nsapi = context->nsapi,
                             .nsapi = context->nsapi,
                             .sapi = context->sapi,
                             .qclass = (uint8_t)qclass,
                             .pfi = context->pfi};
    ipv6_of(&params, context->ipv6);
    const struct sessions_asked asked = {.imsi = mobile->imsi,
                                         .msisdn = context->msisdn,
                                         .apn = context->apn,
                                         .pco = (const uint8_t *)context->pco,
                                         .pco_octets = context->pco_octets,
                                         .linked =
                                             context->linked ? sessions_gtpc_id(s, slot, context->linked) : 0,
                                         .tft = (const uint8_t *)context->tft,
                                         .tft_octets = context->tft_octets,
                                         .is_once = true};
    if (context->linked && asked.linked == 0)
        return false;
    return sessions_gtpc_ask(s, slot, &asked, &params);
}
