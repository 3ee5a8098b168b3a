/* SPDX-License-Identifier: BSD-3-Clause */
/* Phones: mobiles that attached themselves. Passes LLC SAPI 1 and 7 between workers and Lua (lua/gmm,
 * lua/sms), and carries out what Lua decides. A phone is a mobile of sessions from its first message on, so
 * that its worker numbers, checks and ciphers its frames. */
#include "control/config/mobile_keys.h"
#include "control/core/core.h"
#include "control/core/core_gb.h"
#include "control/core/core_gtpc.h"
#include "control/core/core_intent.h"
#include "control/sessions/sessions_gtpc.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

#define UI_BITS       0xe0 /* of the first control octet (TS 44.064 clause 6.2) */
#define UI_MARK       0xc0
#define PROTOCOL_BITS 0x0f /* of the first octet of layer 3 */

enum { GMM = 8, SMS = 9 }; /* protocol discriminators (TS 24.007 clause 11.2.3.1.1) */
enum { GMM_ATTACH_REQUEST = 0x01, GMM_RAU_REQUEST = 0x08 };

/* A message of layer 3 and the cell in which it was sent. */
struct message {
    struct core_event_from from;
    const uint8_t *octets;
    size_t count; /* 0: of a frame of a SAPI that has no such messages, or that is ciphered */
};

static bool has_phones(const struct sessions *s)
{
    return core_has(s->core, phones);
}

static struct sessions_mobile *phone_at(const struct sessions *s, uint32_t slot)
{
    if (slot >= s->core->config->limits.mobiles || !s->mobiles[slot].in_use || !s->mobiles[slot].is_phone)
        return NULL;
    return &s->mobiles[slot];
}

static uint32_t add(struct sessions *s, uint32_t tlli, uint16_t cell, struct sessions_traits traits)
{
    const struct node_config *config = s->core->config;
    traits.stays_in_area = config->phones.have_area_checks;
    traits.drops_suspended = config->phones.drop_suspended;
    uint32_t slot = sessions_make_mobile(s, "", tlli, cell, traits);
    if (slot == SESSIONS_NONE) {
        s->refused++;
        return SESSIONS_NONE;
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
    core_tell(s->core, gb_ms_del, LUA_ARG(mobile->tlli));
    if (is_other)
        mobility_rename(&s->core->mobility, slot, tlli);
    mobile->tlli = tlli;
    core_gb_ms_add(s->core, tlli, imsi, cell);
    if (is_other)
        core_order(s->core, &defaults);
    core_order(s->core, &resumed);
}

/* --- their messages --- */

/* SMS has a SAPI of its own (TS 44.064 clause 6.2.3); all other messages of layer 3 are on that of GMM. */
static bool is_sapi_right(uint8_t sapi, const struct message *message)
{
    bool is_sms = message->count > 0 && (message->octets[0] & PROTOCOL_BITS) == SMS;
    return sapi == (is_sms ? LLC_SAPI_SMS : LLC_SAPI_GMM);
}

static void tell_frame(struct sessions *s, uint32_t slot, bool is_ciphered, const struct message *message)
{
    core_tell(s->core, phones_frame, LUA_ARG(slot), CORE_RECORD(from, &message->from), LUA_BOOL(is_ciphered),
              LUA_OCTETS(message->octets, message->count));
}

/* The first frame of a TLLI that no mobile has. */
enum first { FIRST_NONE, FIRST_MESSAGE, FIRST_CLEAR, FIRST_CIPHERED };

static enum first first_of(struct message *out, const struct bssgp_ul *ul, const struct llc *llc)
{
    if (llc->format == LLC_S || (llc->format == LLC_U && llc->cr))
        return FIRST_NONE; /* an answer, for example to XID with Reset */
    if (llc->format != LLC_UI || llc->e)
        return FIRST_CIPHERED; /* or it may be: the FCS of I and UI frames is ciphered, too */
    if (!llc_fcs_is_right(ul->llc_pdu, llc->header_octets, llc->info_octets, llc->pm))
        return FIRST_NONE;
    out->octets = ul->llc_pdu + llc->header_octets;
    out->count = llc->info_octets;
    bool is_signalling = llc->sapi == LLC_SAPI_GMM || llc->sapi == LLC_SAPI_SMS;
    if (is_signalling && out->count > 0) /* an empty one is a cell update */
        return is_sapi_right(llc->sapi, out) ? FIRST_MESSAGE : FIRST_NONE;
    out->count = 0;
    return FIRST_CLEAR;
}

/* Reads the UL-UNITDATA; llc is its LLC header. */
static enum first read_first(struct message *out, struct llc *llc, const struct rte_mbuf *mbuf)
{
    const uint8_t *bytes = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, NS_UNITDATA_HEADER_OCTETS);
    struct bssgp_ul ul;
    if (rte_pktmbuf_data_len(mbuf) < NS_UNITDATA_HEADER_OCTETS ||
        bssgp_ul_unitdata_decode(&ul, bytes, rte_pktmbuf_data_len(mbuf) - NS_UNITDATA_HEADER_OCTETS) < 0 ||
        llc_decode(llc, ul.llc_pdu, ul.llc_octets) < 0)
        return FIRST_NONE;
    return first_of(out, &ul, llc);
}

static bool is_of_type(const struct message *message, uint8_t type)
{
    return message->count >= 2 && message->octets[0] == GMM && message->octets[1] == type;
}

/* The verdict of phones_admit. */
static int64_t judge_first(struct sessions *s, const struct msg *msg, const struct message *message)
{
    if (node_config_cell(s->core->config, msg->nse, message->from.bvci) < 0)
        return CORE_EVENT_REFUSE;
    return core_ask(s->core, phones_admit, CORE_EVENT_REFUSE, LUA_ARG(msg->tlli), LUA_ARG(message->from.nsei),
                    LUA_ARG(message->from.bvci), LUA_OCTETS(message->octets, message->count));
}

/* Makes the mobile of a phone, whose LLC has no state here. A phone that has sent frames before keeps
 * its own state, would discard those as old, and is told to reset it (TS 44.064 clause 8.5.3.1): after its
 * frame, whose N(U) is one of before, and no sooner than it must be. Until then another SGSN may send it
 * frames, whose numbers behind the Reset would be ahead of those from here. A message is told at once: its
 * worker gets the N(U) with the mobile. True: it was a message. */
static bool admit_new(struct sessions *s, const struct msg *msg, struct message *message, enum first first,
                      const struct llc *llc)
{
    bool is_attach = is_of_type(message, GMM_ATTACH_REQUEST), has_begun = llc->nu != 0 || !is_attach;
    int cell = node_config_cell(s->core->config, msg->nse, message->from.bvci);
    if (!is_attach && !is_of_type(message, GMM_RAU_REQUEST) &&
        !strays_may_answer(&s->strays, msg->nse, msg->tlli, s->core->now))
        return false;
    struct sessions_traits traits = {.is_reset = has_begun};
    if (first == FIRST_MESSAGE) {
        traits.first_sapi = llc->sapi;
        traits.first_nu = llc->nu;
    }
    uint32_t slot = add(s, msg->tlli, (uint16_t)cell, traits);
    if (slot == SESSIONS_NONE)
        return false;
    core_tell(s->core, phones_add, LUA_ARG(slot), LUA_ARG(msg->tlli), LUA_ARG(message->from.nsei),
              LUA_ARG(message->from.bvci));
    s->mobiles[slot].owes_reset = has_begun;
    if (first == FIRST_MESSAGE) {
        message->from.tlli = msg->tlli;
        message->from.is_restarted = llc->sapi == LLC_SAPI_GMM && llc_entity_begins_astray(llc->nu);
        tell_frame(s, slot, false, message);
        rte_pktmbuf_free(msg->mbuf);
        return true;
    }
    sessions_begin_llc(s, slot);
    core_tell(s->core, llc_settled, LUA_ARG(slot)); /* it is soon forgotten: one Reset must do */
    core_tell(s->core, phones_stray, LUA_ARG(slot), LUA_BOOL(first == FIRST_CIPHERED));
    return false;
}

bool sessions_phones_admit(struct sessions *s, const struct msg *msg)
{
    struct message message = {.from = {.nsei = s->core->config->nses[msg->nse].nsei, .bvci = msg->heard.bvci},
                              .octets = (const uint8_t *)""};
    struct llc llc;
    enum first first = has_phones(s) ? read_first(&message, &llc, msg->mbuf) : FIRST_NONE;
    int64_t verdict = first == FIRST_NONE ? CORE_EVENT_REFUSE : judge_first(s, msg, &message);
    s->core->has_new_timers = true;
    if (verdict == CORE_EVENT_NEW)
        return admit_new(s, msg, &message, first, &llc);
    if (verdict == CORE_EVENT_REFUSE)
        return false;
    mobility_frame(&s->core->mobility, (uint32_t)verdict, msg);
    return true;
}

bool sessions_phones_punt(struct sessions *s, const struct msg *msg)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(msg->mbuf, const uint8_t *);
    size_t octets = rte_pktmbuf_data_len(msg->mbuf);
    if (!has_phones(s) || !phone_at(s, msg->slot) || octets < LLC_UI_OCTETS ||
        (bytes[1] & UI_BITS) != UI_MARK)
        return false;
    struct message message = {.from = {.nsei = s->core->config->nses[msg->llc.from.nse].nsei,
                                       .bvci = msg->llc.from.bvci,
                                       .tlli = msg->llc.tlli,
                                       .is_restarted = msg->llc.is_restarted},
                              .octets = bytes + LLC_UI_OCTETS,
                              .count = octets - LLC_UI_OCTETS};
    if (!is_sapi_right(msg->llc.sapi, &message))
        return false;
    tell_frame(s, msg->slot, msg->llc.is_ciphered, &message);
    rte_pktmbuf_free(msg->mbuf);
    return true;
}

bool sessions_phones_reached(struct sessions *s, const struct msg *msg)
{
    if (!has_phones(s) || !phone_at(s, msg->slot))
        return false;
    core_tell(s->core, phones_reached, LUA_ARG(msg->slot));
    return true;
}

/* --- intents --- */

/* The cell that a message is for, unless that is the phone's own. */
static struct msg_heard place_apart(const struct sessions *s, const struct core_intent *intent)
{
    int nse = intent->bvci ? node_config_nse(s->core->config, intent->nsei) : -1;
    int cell = nse < 0 ? -1 : node_config_cell(s->core->config, nse, intent->bvci);
    bool is_apart = cell >= 0 && s->core->mobility.list &&
                    s->core->mobility.list[intent->msg.slot].cell != (uint16_t)cell;
    return is_apart ? (struct msg_heard){.bvci = (uint16_t)intent->bvci, .nse = (uint16_t)nse}
                    : (struct msg_heard){0};
}

void sessions_phones_send(struct sessions *s, struct core_intent *intent)
{
    sessions_begin_llc(s, intent->msg.slot);
    if (intent->msg.llc.sapi == 0)
        intent->msg.llc.sapi = LLC_SAPI_GMM;
    intent->msg.llc.from = place_apart(s, intent);
    core_order_octets(s->core, &intent->msg, intent->octets.bytes, intent->octets.count);
}

void sessions_phones_heard(struct sessions *s, struct core_intent *intent)
{
    uint32_t tlli;
    if (has_phones(s) && mobility_tlli(&s->core->mobility, intent->msg.slot, &tlli))
        core_tell(s->core, gb_on_heard, LUA_ARG(tlli), LUA_ARG(intent->nsei), LUA_ARG(intent->bvci));
}

void sessions_phones_cipher(struct sessions *s, struct core_intent *intent)
{
    struct llc_cipher_params *cipher = &intent->msg.cipher;
    if (intent->octets.count > sizeof(cipher->kc))
        return;
    if (cipher->algorithm != 0) {
        cipher->kc_octets = (uint8_t)intent->octets.count;
        memcpy(cipher->kc, intent->octets.bytes, intent->octets.count);
    }
    core_order(s->core, &intent->msg);
    if (cipher->algorithm != 0)
        core_tell(s->core, llc_settled, LUA_ARG(intent->msg.slot));
}

/* Control calls the phone by its new TLLI from the moment on that it alone holds. */
void sessions_phones_tlli(struct sessions *s, struct core_intent *intent)
{
    uint32_t slot = intent->msg.slot, tlli = intent->msg.assigned.tlli;
    const struct sessions_mobile *mobile = phone_at(s, slot);
    core_order(s->core, &intent->msg);
    if (!intent->msg.assigned.keeps_old && mobile && mobile->tlli != tlli && s->core->mobility.list)
        call_it(s, slot, tlli, mobile->imsi);
}

void sessions_phones_imsi(struct sessions *s, struct core_intent *intent)
{
    uint32_t slot = intent->msg.slot;
    struct sessions_mobile *mobile = phone_at(s, slot);
    if (!has_phones(s) || !intent->imsi || !mobile || !s->core->mobility.list)
        return;
    if (mobile->imsi[0])
        u64_map_del(&s->imsis, mobile_keys_imsi(mobile->imsi), slot);
    snprintf(mobile->imsi, sizeof(mobile->imsi), "%s", intent->imsi);
    if (mobile->imsi[0])
        u64_map_put(&s->imsis, mobile_keys_imsi(mobile->imsi), slot);
    const struct msg known = {.type = MSG_MS_IMSI, .slot = slot, .imsi = sessions_imsi(s, slot)};
    core_order(s->core, &known);
    call_it(s, slot, mobile->tlli, mobile->imsi);
}

void sessions_phones_page(struct sessions *s, struct core_intent *intent)
{
    uint32_t tlli;
    if (has_phones(s) && intent->imsi && mobility_tlli(&s->core->mobility, intent->msg.slot, &tlli))
        core_tell(s->core, gb_on_page_imsi, LUA_ARG(tlli), LUA_ARG(intent->imsi));
}

void sessions_phones_drop(struct sessions *s, uint32_t slot)
{
    struct sessions_mobile *mobile = phone_at(s, slot);
    if (!mobile)
        return;
    mobile->is_phone = false;
    mobile->wanted--;
    sessions_drop_idle(s, slot);
}

void sessions_phones_del(struct sessions *s, struct core_intent *intent)
{
    if (has_phones(s))
        sessions_phones_drop(s, intent->msg.slot);
}

/* --- their contexts --- */

static uint8_t version_of(const char *pdp_type)
{
    if (strcmp(pdp_type, "non_ip") == 0)
        return PDP_ANY_PAYLOAD;
    return strcmp(pdp_type, "ipv4") == 0 ? 4 : strcmp(pdp_type, "ipv6") == 0 ? 6 : 0;
}

/* The context that the intent asks for; false: a word is missing or wrong. */
static bool read_context(const struct sessions *s, const struct core_intent *intent, struct session *out)
{
    int qclass = intent->qclass ? n_pdu_qclass_from_name(intent->qclass) : -1;
    if (qclass < 0 || !intent->imsi || !intent->apn || !intent->pdp_type || !intent->ours || !intent->ggsn)
        return false;
    *out = (struct session){.sgsn_ip = core_address_read(s->core, intent->ours),
                            .ggsn_ip = core_address_read(s->core, intent->ggsn),
                            .ip_version = version_of(intent->pdp_type),
                            .is_any_payload = intent->is_any_payload,
                            .compression = intent->compression,
                            .gtp_nsapi = intent->nsapi,
                            .nsapi = intent->nsapi,
                            .sapi = intent->sapi,
                            .qclass = (uint8_t)qclass,
                            .pfi = intent->pfi ? intent->pfi : N_PDU_NO_PFI};
    sessions_gtpc_addresses(out, intent->ipv4, intent->ipv6);
    return true;
}

/* False: no room, or the context to which it is linked is not active. */
static bool want(struct sessions *s, const struct core_intent *intent)
{
    uint32_t slot = intent->msg.slot;
    struct session params;
    if (!phone_at(s, slot) || !read_context(s, intent, &params))
        return false;
    const struct core_event_wanted asked = {
        .imsi = intent->imsi,
        .msisdn = intent->msisdn,
        .imeisv = intent->imeisv,
        .charging = intent->charging,
        .apn = intent->apn,
        .pco = intent->octets,
        .linked = intent->linked ? sessions_gtpc_id(s, slot, intent->linked) : 0,
        .tft = intent->tft,
        .is_once = true,
        .taken = intent->taken.count > 0 ? intent->taken : (struct lua_field_octets){0}};
    return (!intent->linked || asked.linked != 0) && sessions_gtpc_ask(s, slot, &asked, &params);
}

#define NO_RESOURCES 199 /* of GTP-C */

void sessions_phones_pdp_add(struct sessions *s, struct core_intent *intent)
{
    if (!has_phones(s) || want(s, intent))
        return;
    core_tell(s->core, phones_context_down, LUA_ARG(intent->msg.slot), LUA_ARG(intent->nsapi),
              LUA_ARG(NO_RESOURCES));
}

void sessions_phones_pdp_class(struct sessions *s, struct core_intent *intent)
{
    if (has_phones(s))
        sessions_gtpc_reclass(s, intent->msg.slot, intent->nsapi, intent->qclass, &intent->tft);
}

void sessions_phones_pdp_del(struct sessions *s, struct core_intent *intent)
{
    if (has_phones(s))
        sessions_gtpc_drop(s, intent->msg.slot, intent->nsapi, intent->is_moved);
}

/* --- other SGSNs --- */

void sessions_phones_held(struct sessions *s, const struct msg *msg)
{
    if (!has_phones(s) || !phone_at(s, msg->slot))
        return;
    struct core_event_numbers numbers[MS_NSAPIS];
    size_t count = 0;
    for (uint8_t i = 0; i < MS_NSAPIS && msg->answer.status == 0; i++)
        if (msg->answer.n_pdus.nsapis >> i & 1)
            numbers[count++] = (struct core_event_numbers){.nsapi = MS_NSAPI_MIN + i,
                                                           .send = msg->answer.n_pdus.send[i],
                                                           .receive = msg->answer.n_pdus.receive[i]};
    core_tell(s->core, phones_held, LUA_ARG(msg->slot), CORE_LIST(numbers, numbers, count));
}

void sessions_phones_sgsn(struct sessions *s, struct core_intent *intent)
{
    struct core_event_ids ids[MS_NSAPIS];
    size_t count = 0;
    for (uint8_t i = 0; i < MS_NSAPIS && phone_at(s, intent->msg.slot); i++) {
        ids[count] = (struct core_event_ids){MS_NSAPI_MIN + i,
                                             sessions_gtpc_id(s, intent->msg.slot, MS_NSAPI_MIN + i)};
        count += ids[count].id != 0;
    }
    core_tell(s->core, gtpc_sgsn, LUA_OCTETS(intent->octets.bytes, intent->octets.count),
              CORE_LIST(ids, ids, count));
}

void sessions_phones_pdp_from(struct sessions *s, struct core_intent *intent)
{
    sessions_gtpc_from(s, intent->msg.slot, intent->nsapi,
                       intent->forwarder ? core_address_read(s->core, intent->forwarder) : ADDRESS_NONE);
}

void sessions_phones_pdp_forward(struct sessions *s, struct core_intent *intent)
{
    sessions_gtpc_forward(s, intent->msg.slot, intent->nsapi,
                          intent->ggsn ? core_address_read(s->core, intent->ggsn) : ADDRESS_NONE,
                          intent->ggsn_teid);
}

void sessions_phones_pdp_llc(struct sessions *s, struct core_intent *intent)
{
    if (!has_phones(s) || sessions_gtpc_set_llc(s, intent->msg.slot, intent->nsapi, &intent->msg.llc_mode))
        return;
    core_tell(s->core, phones_context_llc, LUA_ARG(intent->msg.slot), LUA_ARG(intent->nsapi),
              LUA_BOOL(false));
}
