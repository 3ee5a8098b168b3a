/* SPDX-License-Identifier: BSD-3-Clause */
/* Phones: mobiles that attached themselves. Passes LLC SAPI 1 and 7 between workers and Lua (lua/gmm,
 * lua/sms), and carries out what Lua decides. A phone is a mobile of sessions from its first message on, so
 * that its worker numbers, checks and ciphers its frames. */
#include "control/config/mobile_keys.h"
#include "control/core/core.h"
#include "control/core/core_gb.h"
#include "control/core/core_intent.h"
#include "control/sessions/sessions.h"
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

/* The phone has attached or updated: at the Gb control plane it has these identities. */
static void call_it(struct sessions *s, uint32_t slot, uint32_t tlli)
{
    const char *imsi = s->mobiles[slot].imsi;
    core_tell(s->core, gb_ms_called, LUA_ARG(slot), LUA_ARG(tlli), LUA_ARG(imsi[0] ? imsi : NULL));
}

/* A suspension is over by that (TS 23.060 clause 16.2.1.1.1); its BSS has no bucket of a new TLLI yet. */
static void order_anew(struct sessions *s, uint32_t slot, bool is_renamed)
{
    const uint16_t cell = s->core->mobility.list[slot].cell;
    struct msg msg = {.type = MSG_MS_DEFAULTS,
                      .tlli = mobility_tlli(&s->core->mobility, slot),
                      .nse = s->core->config->cells[cell].nse};
    if (is_renamed)
        core_order(s->core, &msg);
    msg.type = MSG_MS_SUSPEND;
    msg.is_suspended = false;
    core_order(s->core, &msg);
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

/* The N(U) with which frames to a new phone begin. One that has sent frames before, which this node did not
 * answer, is to reset: true. */
static bool begin_numbers(struct sessions *s, struct sessions_traits *traits, uint32_t tlli, bool has_begun)
{
    const struct gone_frame frame = {.tlli = tlli, .sapi = traits->first_sapi, .nu = traits->first_nu};
    if (!has_begun || (frame.sapi && gone_resume(&s->gone, &frame, traits->first_down, s->core->now)))
        return false;
    uint16_t start = gone_start(&s->gone);
    for (unsigned i = 0; i < MS_SAPIS; i++)
        traits->first_down[i] = start;
    return true;
}

/* Makes the mobile of a phone, whose LLC has no state here. A phone that has sent frames before keeps
 * its own state. Unless the node has that, too, as it has just refused the phone (gone.h), the phone would
 * discard those from here as old, and is told to reset (TS 44.064 clause 8.5.3.1): after its frame, whose
 * N(U) is one of before, and no sooner than it must be. Until then another SGSN may send it frames, whose
 * numbers behind the Reset would be ahead of those from here. A message is told at once: its worker gets the
 * N(U) with the mobile. True: it was a message. */
static bool admit_new(struct sessions *s, const struct msg *msg, struct message *message, enum first first,
                      const struct llc *llc)
{
    bool is_attach = is_of_type(message, GMM_ATTACH_REQUEST), has_begun = llc->nu != 0 || !is_attach;
    int cell = node_config_cell(s->core->config, msg->nse, message->from.bvci);
    if (!is_attach && !is_of_type(message, GMM_RAU_REQUEST) &&
        !strays_may_answer(&s->strays, msg->nse, msg->tlli, s->core->now))
        return false;
    struct sessions_traits traits = {0};
    if (first == FIRST_MESSAGE) {
        traits.first_sapi = llc->sapi;
        traits.first_nu = llc->nu;
    }
    bool owes_reset = begin_numbers(s, &traits, msg->tlli, has_begun);
    uint32_t slot = add(s, msg->tlli, (uint16_t)cell, traits);
    if (slot == SESSIONS_NONE)
        return false;
    core_tell(s->core, phones_add, LUA_ARG(slot), LUA_ARG(msg->tlli), LUA_ARG(message->from.nsei),
              LUA_ARG(message->from.bvci));
    s->mobiles[slot].owes_reset = owes_reset;
    if (first == FIRST_MESSAGE) {
        message->from.tlli = msg->tlli;
        message->from.is_restarted = owes_reset && llc_entity_begins_astray(llc->nu);
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

/* A command of the phone's, other than its answer to Reset, may change what its LLC and the node's agree on.
 */
static void note_command(struct sessions_mobile *mobile, const uint8_t *bytes, size_t octets)
{
    struct llc llc;
    uint8_t frame[LLC_UI_OCTETS + LLC_FCS_OCTETS] = {0};
    memcpy(frame, bytes, octets < LLC_UI_OCTETS ? octets : LLC_UI_OCTETS);
    bool is_command = llc_decode(&llc, frame, sizeof(frame)) >= 0 && llc.format == LLC_U;
    mobile->has_more_llc |= is_command && llc.command != LLC_NULL && !llc_is_xid_answer(&llc);
}

bool sessions_phones_punt(struct sessions *s, const struct msg *msg)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(msg->mbuf, const uint8_t *);
    size_t octets = rte_pktmbuf_data_len(msg->mbuf);
    if (!has_phones(s) || !phone_at(s, msg->slot))
        return false;
    if (octets < LLC_UI_OCTETS || (bytes[1] & UI_BITS) != UI_MARK) {
        note_command(&s->mobiles[msg->slot], bytes, octets);
        return false;
    }
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
    if (has_phones(s))
        core_tell(s->core, gb_on_heard, LUA_ARG(intent->msg.slot), LUA_ARG(intent->nsei),
                  LUA_ARG(intent->bvci));
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

/* Control calls the phone by its new TLLI from the moment on that it alone holds; until then a BSS may name
 * the phone by either (TS 24.008 clause 4.7.1.5). The Gb control plane is told first: what it orders about
 * the former one reaches the worker while that has it. */
void sessions_phones_tlli(struct sessions *s, struct core_intent *intent)
{
    struct mobility *m = &s->core->mobility;
    uint32_t slot = intent->msg.slot, tlli = intent->msg.assigned.tlli;
    bool is_there = phone_at(s, slot) && m->list;
    bool is_renamed = is_there && !intent->msg.assigned.keeps_old && mobility_tlli(m, slot) != tlli;
    if (is_renamed)
        call_it(s, slot, tlli);
    else if (is_there)
        core_tell(s->core, gb_ms_offered, LUA_ARG(slot), LUA_ARG(tlli));
    core_order(s->core, &intent->msg);
    if (!is_renamed)
        return;
    mobility_rename(m, slot, tlli);
    order_anew(s, slot, true);
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
    call_it(s, slot, mobility_tlli(&s->core->mobility, slot));
    order_anew(s, slot, false);
}

void sessions_phones_page(struct sessions *s, struct core_intent *intent)
{
    if (has_phones(s) && intent->imsi)
        core_tell(s->core, gb_on_page_imsi, LUA_ARG(intent->msg.slot), LUA_ARG(intent->imsi));
}

void sessions_phones_drop(struct sessions *s, uint32_t slot)
{
    struct sessions_mobile *mobile = phone_at(s, slot);
    if (!mobile)
        return;
    mobile->is_phone = false;
    mobile->wanted--;
    if (!mobile->has_more_llc && !mobile->owes_reset)
        gone_add(&s->gone, mobility_tlli(&s->core->mobility, slot), s->core->now);
    sessions_drop_idle(s, slot);
}

void sessions_phones_del(struct sessions *s, struct core_intent *intent)
{
    if (has_phones(s))
        sessions_phones_drop(s, intent->msg.slot);
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
