/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GMM, SM, SMS and GSUP with sequences of messages of phones, answers of GGSNs and of the HLR, and time. What
 * a message of a phone may cause: messages to it, its identity when it has proven that (TS 33.102 clause 6),
 * contexts of its own; the end of another phone only by the same IMSI. What is unciphered after ciphering
 * began causes nothing (TS 24.008 clause 4.7.1.2).
 */
#include "control/lua/lua_host.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "tests/fuzz/phones_sgsns.h"

#include <string.h>

enum { INPUTS = 200, INTENTS = 64, ALL = PHONES_MACHINE_SLOTS, NONE = ALL + 1, ENDING_TIMERS = 400 };

static int64_t now;
static unsigned
    subject; /* the phone of the present message; ALL: another input; NONE: no phone may be concerned */
static unsigned intents;                 /* of the present message */
static struct phones_machine_pdu latest; /* the request to the HLR, from its type on */

static const char *const nothing_left =
    "local p = ...\n"
    "for _ in pairs(p.by_mobile) do error('phones after the last one') end\n"
    "for _ in pairs(p.by_imsi) do error('an IMSI of no phone') end\n"
    "for _ in pairs(p.by_p_tmsi) do error('a P-TMSI of no phone') end\n"
    "assert(p.admission.open == 0 and next(p.admission.of_cell) == nil, 'half-open phones that are not "
    "there')\n"
    "for _, lists in pairs(p.hlr.waiting) do\n"
    "  for _, list in pairs(lists) do\n"
    "    for _, place in ipairs(list) do assert(not place.phone, 'a request to the HLR of no phone') end\n"
    "  end\n"
    "end\n"
    "assert(next(p.arrivals) == nil and next(p.departures) == nil, 'phones on their way')\n"
    "assert(p.sms.count == 0, 'short messages of no phone')\n"
    "assert(p.timers.live == 0, 'timers after the last phone')\n";

/* An identity is one subscriber's (TS 23.003 clause 2.4): checked after each input. */
static const char *const one_owner =
    "local p = ...\n"
    "local owners, imsis = {}, {}\n"
    "for mobile = 0, 7 do\n"
    "  local phone = p.by_mobile[mobile] or {}\n"
    "  for _, field in ipairs({ 'p_tmsi', 'p_tmsi_new', 'p_tmsi_left' }) do\n"
    "    local p_tmsi = phone[field]\n"
    "    assert(not p_tmsi or not owners[p_tmsi] or owners[p_tmsi] == phone, 'two phones with one P-TMSI')\n"
    "    if p_tmsi then owners[p_tmsi] = phone end\n"
    "  end\n"
    "  assert(not phone.known or not imsis[phone.known], 'two phones with one IMSI')\n"
    "  if phone.known then imsis[phone.known] = phone end\n"
    "end\n"
    "for p_tmsi, phone in pairs(owners) do assert(p.by_p_tmsi[p_tmsi] == phone, 'a P-TMSI not found') end\n"
    "for imsi, phone in pairs(imsis) do assert(p.by_imsi[imsi] == phone, 'an IMSI not found') end\n";

/* --- the model --- */

/* Another phone with the IMSI that the subject has proven ends (TS 24.008 clause 4.7.3.1.6 f), also one that
 * has proven it and is not accepted yet. */
static bool is_replaced(unsigned slot)
{
    const struct phones_machine_slot *other = &phones_machine_slots[slot],
                                     *own = &phones_machine_slots[subject];
    bool is_proven = own->proven != PHONES_MACHINE_NOT_KNOWN && other->proven == own->proven;
    return is_proven || (other->imsi[0] && strcmp(other->imsi, own->imsi) == 0);
}

/* Whether a phone was accepted with this IMSI. */
static bool is_noted(const char *imsi)
{
    for (unsigned i = 0; i < PHONES_MACHINE_SLOTS; i++)
        if (strcmp(phones_machine_slots[i].imsi, imsi) == 0)
            return true;
    return false;
}

/* One whole message of IPA. */
static void see_hlr(const struct core_intent *in)
{
    const uint8_t *bytes = (const uint8_t *)in->octets.bytes;
    struct phones_machine_pdu message = {.octets = in->octets.count - 4};
    char imsi[16];
    FUZZ_CHECK(phones_machine_has_hlr);
    if (in->octets.count == 0)
        return;
    FUZZ_CHECK(in->octets.count > 3 && bytes_get_u16(bytes) + 3u == in->octets.count);
    if (bytes[2] != PHONES_MACHINE_OSMO)
        return;
    FUZZ_CHECK(message.octets > 0 && message.octets <= sizeof message.bytes &&
               bytes[3] == PHONES_MACHINE_GSUP);
    memcpy(message.bytes, bytes + 4, message.octets);
    phones_machine_imsi_of(&message, imsi);
    FUZZ_CHECK(message.bytes[0] != PHONES_MACHINE_PURGE || is_noted(imsi));
    if ((message.bytes[0] & 3) == 0)
        latest = message;
}

static void see(const struct core_intent *in, enum machine_wish wish)
{
    FUZZ_CHECK(++intents <= INTENTS);
    if (wish == MACHINE_HLR) {
        see_hlr(in);
        return;
    }
    if (wish == MACHINE_SGSN || wish == MACHINE_DNS || wish == MACHINE_ACT) {
        phones_sgsns_see(in, wish);
        return;
    }
    FUZZ_CHECK(subject != NONE);
    FUZZ_CHECK(subject == ALL || in->msg.slot == subject || is_replaced(in->msg.slot));
    phones_machine_see(in, wish);
}

/* --- inputs --- */

static void begin_input(unsigned about)
{
    subject = about;
    intents = 0;
}

static void send(unsigned slot, unsigned what, const struct phones_machine_pdu *pdu)
{
    uint8_t *copy = fuzz_copy(pdu->bytes, pdu->octets);
    struct phones_machine_slot *phone = &phones_machine_slots[slot];
    struct phones_machine_message message = {.octets = copy, .count = pdu->octets};
    phones_machine_cell(what & 3, &message.from);
    message.is_ciphered = phone->has_key && !(what & 0x80);
    message.from.is_restarted = !message.is_ciphered && (what & 0x60) == 0x60;
    bool is_allowed = phones_machine_is_allowed(phone, &message);
    if (is_allowed)
        phones_machine_heard(slot, &message);
    begin_input(is_allowed ? slot : NONE);
    machine_tell(now, phones_frame, LUA_ARG(slot), CORE_RECORD(from, &message.from),
                 LUA_BOOL(message.is_ciphered), LUA_OCTETS(copy, pdu->octets));
    free(copy);
}

/* The first message of a TLLI, foreign or random, which may be of a phone that is known. */
static void give_first(struct fuzz_input *in)
{
    struct phones_machine_pdu pdu;
    unsigned what = (unsigned)fuzz_take(in, 1), slot = 0;
    uint32_t tlli = 0x80000000 | (phones_machine_slots[what & 7].p_tmsi & 0x3fffffff);
    if (!(what & 0x80)) {
        uint32_t drawn = (uint32_t)fuzz_take(in, 1);
        tlli = drawn & 0x80 ? 0x80000000 | (drawn & 0x70) << 17 | (drawn & 15) : 0x78000000 | drawn;
    }
    phones_machine_ask(in, what & 7, &pdu);
    struct core_event_from from = {0};
    phones_machine_cell(what >> 3, &from);
    begin_input(NONE);
    int64_t verdict = machine_ask(now, phones_admit, CORE_EVENT_REFUSE, LUA_ARG(tlli), LUA_ARG(from.nsei),
                                  LUA_ARG(from.bvci), LUA_OCTETS(pdu.bytes, pdu.octets));
    if (verdict == CORE_EVENT_REFUSE)
        return;
    if (verdict >= 0) {
        slot = (unsigned)verdict;
        FUZZ_CHECK(verdict < PHONES_MACHINE_SLOTS &&
                   (phones_machine_slots[slot].is_registered || phones_machine_slots[slot].p_tmsi));
    } else {
        FUZZ_CHECK(phones_machine_half_open(PHONES_MACHINE_CELLS) < PHONES_MACHINE_HALF_OPEN);
        FUZZ_CHECK(phones_machine_half_open((what >> 3) % PHONES_MACHINE_CELLS) <
                   PHONES_MACHINE_HALF_OPEN_PER_CELL);
        while (slot < PHONES_MACHINE_SLOTS && phones_machine_slots[slot].is_there)
            slot++;
        if (slot == PHONES_MACHINE_SLOTS)
            return;
        phones_machine_add(slot, tlli, what >> 3);
        begin_input(slot);
        machine_tell(now, phones_add, LUA_ARG(slot), LUA_ARG(tlli), LUA_ARG(from.nsei), LUA_ARG(from.bvci));
    }
    send(slot, what >> 3, &pdu);
}

static void give_answer(struct fuzz_input *in)
{
    struct phones_machine_pdu pdu;
    unsigned what = (unsigned)fuzz_take(in, 1);
    phones_machine_answer(in, what / 4 % PHONES_MACHINE_SLOTS, &pdu);
    send(what / 4 % PHONES_MACHINE_SLOTS, what, &pdu);
}

static void give_request(struct fuzz_input *in)
{
    struct phones_machine_pdu pdu;
    unsigned what = (unsigned)fuzz_take(in, 1);
    phones_machine_ask(in, what / 4 % PHONES_MACHINE_SLOTS, &pdu);
    send(what / 4 % PHONES_MACHINE_SLOTS, what, &pdu);
}

static void give_raw(struct fuzz_input *in)
{
    struct phones_machine_pdu pdu;
    unsigned what = (unsigned)fuzz_take(in, 1);
    const uint8_t *block = fuzz_take_block(in, (size_t)fuzz_take(in, 1), &pdu.octets);
    memcpy(pdu.bytes, block, pdu.octets);
    send(what / 4 % PHONES_MACHINE_SLOTS, what, &pdu);
}

/* TCP gives it whole, or in two parts; without an HLR there is none. */
static void give_octets(const uint8_t *bytes, size_t octets, size_t first)
{
    if (!phones_machine_has_hlr)
        return;
    begin_input(ALL);
    first = first < octets ? first : octets;
    machine_tell(now, phones_hlr_octets, LUA_OCTETS(bytes, first));
    begin_input(ALL);
    if (first < octets)
        machine_tell(now, phones_hlr_octets, LUA_OCTETS(bytes + first, octets - first));
}

static void give_hlr(struct fuzz_input *in)
{
    struct phones_machine_pdu pdu;
    phones_machine_hlr(in, &latest, &pdu);
    give_octets(pdu.bytes, pdu.octets, (size_t)fuzz_take(in, 1) % 32 ? SIZE_MAX : 2);
}

static void give_hlr_raw(struct fuzz_input *in)
{
    struct phones_machine_pdu pdu = {.bytes = {0}};
    size_t octets;
    unsigned what = (unsigned)fuzz_take(in, 1);
    const uint8_t *block = fuzz_take_block(in, (size_t)fuzz_take(in, 1), &octets);
    memcpy(pdu.bytes + 4, block, octets);
    bytes_put_u16(pdu.bytes, (uint16_t)(octets + 1));
    pdu.bytes[2] = PHONES_MACHINE_OSMO;
    pdu.bytes[3] = PHONES_MACHINE_GSUP;
    give_octets(what & 1 ? block : pdu.bytes, what & 1 ? octets : octets + 4, what & 2 ? what : SIZE_MAX);
}

static void give_connection(struct fuzz_input *in)
{
    bool is_up = (fuzz_take(in, 1) & 3) != 0;
    begin_input(ALL);
    if (phones_machine_has_hlr && is_up)
        machine_tell(now, phones_hlr_up);
    else if (phones_machine_has_hlr)
        machine_tell(now, phones_hlr_down);
}

/* What a GGSN says of a context; cause: of GTP-C. */
struct given {
    const char *ipv4, *qclass;
    int cause;
    const char *pco;
};

static const struct lua_field given_fields[] = {LUA_FIELD_AS(TEXT, struct given, ipv4, "ipv4"),
                                                LUA_FIELD_AS(TEXT, struct given, qclass, "class"),
                                                LUA_FIELD_NEEDED(I32, struct given, cause, "cause"),
                                                LUA_FIELD_AS(TEXT, struct given, pco, "pco"),
                                                {0}};

/* News of a context, also of one that nothing asked for. */
static void give_context(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1), number = what & 7;
    struct phones_machine_slot *slot = &phones_machine_slots[number];
    uint8_t nsapi = (uint8_t)(5 + (what >> 3 & 3));
    uint16_t bit = (uint16_t)(1u << nsapi);
    const struct given given = {.ipv4 = "10.45.0.9", .qclass = "background"};
    begin_input(slot->asked & bit ? number : NONE);
    if (what & 0x80 && !(slot->up & bit)) {
        slot->up |= slot->asked & bit;
        machine_tell(now, phones_context_up, LUA_ARG(number), LUA_ARG(nsapi),
                     LUA_RECORD(given_fields, &given));
    } else {
        slot->up &= (uint16_t)~bit;
        slot->asked &= (uint16_t)~bit;
        slot->acknowledged &= (uint16_t)~bit;
        slot->linked &= (uint16_t)~bit;
        machine_tell(now, phones_context_down, LUA_ARG(number), LUA_ARG(nsapi),
                     LUA_ARG(what & 0x40 ? -1 : 199));
    }
}

/* A modification that a GGSN asks for, of a context that is up or has ended. */
static void give_modification(unsigned what)
{
    unsigned number = what & 7;
    uint8_t nsapi = (uint8_t)(5 + (what >> 3 & 3));
    if (phones_machine_slots[number].asked & ~phones_machine_slots[number].up & 1u << nsapi)
        return;
    begin_input(phones_machine_slots[number].is_there ? number : NONE);
    const struct given asked = {.qclass = what & 0x20 ? "thp3" : NULL,
                                .ipv4 = what & 0x40 ? "10.45.0.8" : NULL,
                                .pco = what & 0x60 ? NULL : "\x80"};
    machine_tell(now, phones_context_modify, LUA_ARG(number), LUA_ARG(nsapi),
                 LUA_RECORD(given_fields, &asked));
}

/* Another class of a context, of which one was asked for or not; refused or not. */
static void give_class(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1), number = what & 7;
    uint8_t nsapi = (uint8_t)(5 + (what >> 3 & 3));
    if (what & 0x80) {
        give_modification(what);
        return;
    }
    begin_input(phones_machine_slots[number].up & 1u << nsapi ? number : NONE);
    const struct given granted = {.qclass = what & 0x20 ? "thp2" : "background",
                                  .cause = what & 0x40 ? 199 : 0};
    machine_tell(now, phones_context_class, LUA_ARG(number), LUA_ARG(nsapi),
                 LUA_RECORD(given_fields, &granted));
}

/* What workers say of the mode of LLC, also if nothing was asked. */
static void give_mode(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1), number = what & 7;
    struct phones_machine_slot *slot = &phones_machine_slots[number];
    uint8_t nsapi = (uint8_t)(5 + (what >> 3 & 3));
    bool is_set = what & 0x20;
    begin_input(slot->up & 1u << nsapi ? number : NONE);
    if (what & 0x40) {
        machine_tell(now, phones_context_llc_lost, LUA_ARG(number), LUA_ARG(nsapi));
        return;
    }
    if (is_set)
        slot->linked |= slot->acknowledged & (uint16_t)(1u << nsapi);
    machine_tell(now, phones_context_llc, LUA_ARG(number), LUA_ARG(nsapi), LUA_ARG(is_set));
}

static void give_reached(struct fuzz_input *in)
{
    unsigned number = (unsigned)fuzz_take(in, 1) % PHONES_MACHINE_SLOTS;
    begin_input(phones_machine_slots[number].is_registered ? number : NONE);
    machine_tell(now, phones_reached, LUA_ARG(number));
}

static void give_sgsn(struct fuzz_input *in)
{
    begin_input(ALL);
    phones_sgsns_tell(in, now);
}

static void give_pool(struct fuzz_input *in)
{
    unsigned kind = (unsigned)fuzz_take(in, 1), what = (unsigned)fuzz_take(in, 1);
    begin_input(ALL);
    if ((kind & 3) == 0)
        phones_sgsns_resolve(what, now);
    else if ((kind & 3) == 1)
        phones_sgsns_act(what, now);
    else
        phones_sgsns_hold(what, now);
}

static void wait(struct fuzz_input *in)
{
    int64_t until = now + (INT64_C(1000000) << fuzz_take(in, 1) % 17);
    for (unsigned i = 0; i < 32 && now < until; i++) {
        begin_input(ALL);
        now = machine_wait(machine_object(phones), now, until, 1);
    }
}

static void (*const inputs[])(struct fuzz_input *) = {
    give_answer,  give_answer, give_request, give_first,      give_hlr,     give_hlr,
    give_context, wait,        give_raw,     give_connection, give_hlr_raw, give_reached,
    give_class,   give_mode,   give_sgsn,    give_sgsn,       give_pool,
};

/* Without the HLR, all phones end in silence. */
static void end(void)
{
    begin_input(ALL);
    if (phones_machine_has_hlr)
        machine_tell(now, phones_hlr_down);
    for (unsigned i = 0; i < ENDING_TIMERS && lua_object_next_ns(machine_object(phones)) != MOMENT_NEVER;
         i++) {
        begin_input(ALL);
        now = machine_wait(machine_object(phones), now, now + 1000 * MOMENT_SECOND, 1);
    }
    for (unsigned i = 0; i < PHONES_MACHINE_SLOTS; i++)
        FUZZ_CHECK(!phones_machine_slots[i].is_there);
    begin_input(ALL);
    phones_sgsns_end(now);
    machine_end(machine_object(phones), nothing_left);
}

enum { ACCEPTS_ALL = 1, REFUSES_SMS = 2, NO_POOL = 4 };

/* The pool of the text, or none. */
static void set_pool(lua_State *L, bool is_there)
{
    static int pool;
    if (pool == 0) {
        lua_getfield(L, -1, "pool");
        pool = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    if (is_there)
        lua_rawgeti(L, LUA_REGISTRYINDEX, pool);
    else
        lua_pushnil(L);
    lua_setfield(L, -2, "pool");
}

/* The first octet chooses: all are accepted, where the text has an HLR that decides; SMS is refused; there
 * are no other SGSNs. */
static void open(lua_State *L, unsigned chosen)
{
    lua_getfield(L, -1, "phones");
    lua_pushstring(L, chosen & ACCEPTS_ALL ? "accept_all" : "hlr");
    lua_setfield(L, -2, "policy");
    lua_pushstring(L, chosen & REFUSES_SMS ? "refuse" : "hlr");
    lua_setfield(L, -2, "sms");
    set_pool(L, !(chosen & NO_POOL));
    lua_pop(L, 1);
    lua_core_make(&machine_core, CORE_OBJECT_phones);
    lua_pop(L, 1);
    begin_input(ALL);
    machine_tell(0, phones_start);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    lua_State *L = machine_state(phones_machine_text, see);
    unsigned chosen = (unsigned)fuzz_take(&input, 1);
    machine_begin();
    phones_machine_begin(!(chosen & ACCEPTS_ALL));
    phones_sgsns_begin();
    memset(&latest, 0, sizeof latest);
    now = 0;
    open(L, chosen);
    for (; input.left > 0 && steps < INPUTS; steps++) {
        inputs[fuzz_take(&input, 1) % (sizeof inputs / sizeof inputs[0])](&input);
        machine_check(machine_object(phones), one_owner);
    }
    fuzz_count_sequence(steps);
    end();
    lua_settop(L, 0);
    lua_core_drop(&machine_core, CORE_OBJECT_phones);
    return 0;
}
