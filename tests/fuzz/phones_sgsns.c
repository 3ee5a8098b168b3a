/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/phones_sgsns.h"

enum { RECORD_OCTETS = 8192, REFS = 4 };

static uint8_t asked; /* a bit for each phone about which another SGSN is asked */
static unsigned last_ref;
static uint64_t last_act;

void phones_sgsns_begin(void)
{
    asked = 0;
    last_ref = 0;
    last_act = 0;
}

/* --- what the node orders --- */

/* 0: an answer, 1: a question about a phone, 2: the phone waits for none any more. */
static const char *const order_chunk = "local r = require('base.records').unpack((...))\n"
                                       "if r.kind == 'ask' then\n"
                                       "  assert(r.theirs:find('^10%.0%.6%.'), r.theirs)\n"
                                       "  return 1\n"
                                       "end\n"
                                       "assert(r.kind == 'acknowledge' or r.kind == 'forget' or r.kind == "
                                       "'answer' or r.kind == 'relay', r.kind)\n"
                                       "return r.kind == 'forget' and 2 or 0\n";

#define LOOKED_UP 8
static uint64_t looked_up[LOOKED_UP]; /* ids of the latest questions to DNS */
static unsigned looked_up_count;

void phones_sgsns_see(const struct core_intent *in, enum machine_wish wish)
{
    uint8_t bit = (uint8_t)(1u << (in->msg.slot % PHONES_MACHINE_SLOTS));
    if (wish == MACHINE_DNS)
        looked_up[looked_up_count++ % LOOKED_UP] = in->id;
    if (wish != MACHINE_SGSN || in->octets.count == 0)
        return;
    int64_t kind = machine_read(order_chunk, in->octets.bytes, in->octets.count);
    FUZZ_CHECK(kind != 1 || in->msg.slot < PHONES_MACHINE_SLOTS);
    if (kind == 1)
        asked |= bit;
    else if (kind == 2)
        asked &= (uint8_t)~bit;
}

/* --- what GTP-C tells --- */

static const char *const record_chunk =
    "local kind, what, ref, mobile, p_tmsi, signature, imsi, more = ...\n"
    "local pack, from, q = require('base.records').pack, '10.0.6.2', what & 0x40 == 0 and '\\x1b\\x92\\x1f' "
    "or "
    "'\\x1a\\x92\\x1f'\n"
    "local rai = '\\0\\xf1\\x10\\0' .. string.char(more & 1 == 0 and 1 or 9) .. '\\1'\n"
    "imsi = ('%015d'):format(imsi)\n"
    "local function contexts()\n"
    "  local list = {}\n"
    "  for i = 1, math.min(more >> 4, 11) do\n"
    "    list[i] = { nsapi = 4 + i, sapi = what & 1 == 0 and 3 or 15, is_active = true, pdp_type = "
    "'ipv4',\n"
    "      ipv4 = more & 1 == 0 and '10.45.0.9' or nil, apn = more & 2 == 0 and "
    "'internet.mnc001.mcc001.gprs' or "
    "'none',\n"
    "      ti = 8 | more & 4 * i, arp = 2, qos_subscribed = q, qos_requested = q, qos_negotiated = q,\n"
    "      sequence_down = 0, sequence_up = 0, send_n_pdu = more, receive_n_pdu = what, context_id = 0,\n"
    "      teid_control = 7, teid_data = more & 8 == 0 and 8 or nil, control = '10.0.0.2', user = '10.0.0.2' "
    "}\n"
    "  end\n"
    "  return list\n"
    "end\n"
    "if kind == 0 then\n"
    "  return pack({ event = 'told', mobile = mobile, from = what & 7 == 7 and '10.9.9.9' or from, cause = "
    "128,\n"
    "    message = { cause = 128, imsi = imsi, from = from, teid_control = 1, contexts = contexts(),\n"
    "      mm = { cipher = what >> 5 & 1, triplets = {}, capability = '\\xe4' } } })\n"
    "elseif kind == 1 then\n"
    "  local cause = what & 1 == 0 and 194 or 206\n"
    "  return pack({ event = 'told', mobile = mobile, from = from, cause = cause, message = { cause = cause "
    "} })\n"
    "elseif kind == 2 then\n"
    "  return pack({ event = what & 1 == 0 and 'silent' or 'done', mobile = mobile })\n"
    "elseif kind == 3 then\n"
    "  local message = { type = 'context_request', seq = ref, rai = rai, tlli = p_tmsi & 0x3fffffff | "
    "0x80000000,\n"
    "    signature = string.pack('>I3', signature), teid_control = 5, control = more & 2 == 2 and '10.0.6.3' "
    "or from }\n"
    "  if what & 1 == 1 then message.ms_validated, message.imsi = true, imsi end\n"
    "  if what & 2 == 2 then message.signature = nil end\n"
    "  return pack({ event = 'asked', ref = ref, from = what & 0x1c == 0x1c and '10.9.9.9' or from, message "
    "= message "
    "})\n"
    "elseif kind == 4 then\n"
    "  return pack({ event = 'asked', ref = ref, from = from, message = { type = 'identification_request', "
    "seq = ref,\n"
    "    rai = rai, p_tmsi = p_tmsi, signature = string.pack('>I3', signature) } })\n"
    "elseif kind == 5 then\n"
    "  return pack({ event = 'acknowledged', ref = ref, from = from, cause = what & 4 == 0 and 128 or 208,\n"
    "    user = what & 8 == 0 and from or nil, tunnels = { { nsapi = 5, teid = more }, { nsapi = 6, teid = 0 "
    "} } })\n"
    "end\n"
    "return pack({ event = what & 1 == 0 and 'unacknowledged' or 'closed', ref = ref })\n";

static uint32_t signature_of(const struct phones_machine_slot *slot)
{
    return (uint32_t)slot->signature[0] << 16 | (uint32_t)slot->signature[1] << 8 | slot->signature[2];
}

static void tell(const int64_t numbers[8], int64_t now)
{
    uint8_t record[RECORD_OCTETS];
    size_t octets = machine_make(record_chunk, numbers, 8, record, sizeof record);
    machine_tell(now, phones_sgsn, LUA_OCTETS(record, octets));
}

/* An SGSN that the node has asked vouches for the phone, if its request was signed and it has no key there.
 */
void phones_sgsns_tell(struct fuzz_input *in, int64_t now)
{
    unsigned kind = (unsigned)fuzz_take(in, 1), what = (unsigned)fuzz_take(in, 1),
             more = (unsigned)fuzz_take(in, 1), number = kind >> 3 & 7, imsi = what >> 3 & 3;
    struct phones_machine_slot *slot = &phones_machine_slots[number];
    bool is_question = (kind & 7) == 3 || (kind & 7) == 4;
    unsigned ref = is_question ? ++last_ref : last_ref - (what >> 1 & (REFS - 1)) % (last_ref + 1);
    const int64_t numbers[] = {(kind & 7) % 7,
                               what,
                               ref,
                               number,
                               slot->p_tmsi,
                               signature_of(slot),
                               atoll(phones_machine_imsi(imsi)),
                               more};
    if ((kind & 7) % 7 == 0 && slot->is_there && asked >> number & 1 && !(what & 0x20))
        slot->vouched = (int)imsi;
    tell(numbers, now);
}

void phones_sgsns_end(int64_t now)
{
    for (unsigned ref = 1; ref <= last_ref; ref++)
        tell((const int64_t[]){6, 1, ref, 0, 0, 0, 0, 0}, now);
}

void phones_sgsns_resolve(unsigned what, int64_t now)
{
    static const char *const addresses[] = {"10.0.6.2", "10.0.6.77", "10.9.9.9", NULL};
    machine_tell(now, phones_resolved, LUA_ARG(looked_up[what & 7]), LUA_ARG(addresses[what >> 3 & 3]));
}

void phones_sgsns_hold(unsigned what, int64_t now)
{
    const struct core_event_numbers numbers[] = {{.nsapi = 5, .send = (uint8_t)what, .receive = 1},
                                                 {.nsapi = 6, .send = 2, .receive = (uint8_t)what}};
    machine_tell(now, phones_held, LUA_ARG(what & 7), CORE_LIST(numbers, numbers, what >> 3 & 1 ? 2 : 0));
}

void phones_sgsns_act(unsigned what, int64_t now)
{
    static const char *const counts[] = {NULL, "1", "2", NULL}, *const nris[] = {NULL, "3", "4", "1"};
    struct core_event_order order = {.words = {{"verb", what & 0x40 ? "drain" : "offload"}}, .count = 1};
    struct core_event_plan plan = {0};
    struct lua_field words[CORE_EVENT_WORDS + 1];
    if (!(what & 0x40) && counts[what & 3])
        order.words[order.count++] = (typeof(order.words[0])){"phones", counts[what & 3]};
    if (!(what & 0x40) && nris[what >> 2 & 3])
        order.words[order.count++] = (typeof(order.words[0])){"to", nris[what >> 2 & 3]};
    if (!(what & 0x40) && what & 0x10)
        order.words[order.count++] = (typeof(order.words[0])){"now", "yes"};
    if (!(what & 0x40) && what & 0x20)
        order.words[order.count++] = (typeof(order.words[0])){"stop", "yes"};
    core_event_order_fields(&order, words);
    machine_core.now = now;
    core_read(&machine_core, phones_plan, core_event_plan_fields, &plan, LUA_RECORD(words, &order));
    if (plan.parts > 0)
        machine_tell(now, phones_act, LUA_RECORD(words, &order), LUA_ARG(++last_act));
}
