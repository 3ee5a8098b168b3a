/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/phones_machine.h"

#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc.h"
#include "tests/fuzz/getrandom.h"

#include <string.h>

enum { GMM = 8, SMS = 9 }; /* protocol discriminators */

enum {
    GMM_ATTACH_REQUEST = 0x01,
    GMM_ATTACH_ACCEPT = 0x02,
    GMM_ATTACH_COMPLETE = 0x03,
    GMM_ATTACH_REJECT = 0x04,
    GMM_RAU_REQUEST = 0x08,
    GMM_RAU_ACCEPT = 0x09,
    GMM_RAU_REJECT = 0x0b,
    GMM_REALLOCATION = 0x10,
    GMM_AUTH_REQUEST = 0x12,
    GMM_AUTH_RESPONSE = 0x13,
    GMM_AUTH_REJECT = 0x14,
    GMM_IDENTITY_REQUEST = 0x15,
    GMM_IDENTITY_RESPONSE = 0x16,
    GMM_AUTH_FAILURE = 0x1c,
    SM_ACTIVATE_ACCEPT = 0x42,
    TI_EXTENDED = 7, /* from here on a transaction has an octet of its own */
    RELIABILITY = 7, /* bits of the first octet of a quality of service */
    CLASS_3 = 3,
    DRX_OCTETS = 2,
    LOCAL_TLLI = 0xc0000000
};

const char *const phones_machine_text =
    "return {\n"
    "  gb = { address = '10.99.0.1' }, gn = { addresses = { '10.0.8.1' } },\n"
    "  nses = { { nsei = 101, nsvcs = { { nsvci = 11, address = '10.99.0.2' } }, cells = {\n"
    "    { bvci = 1001, cell_id = { mcc = '001', mnc = '01', lac = 1, rac = 1, ci = 1 } },\n"
    "    { bvci = 1002, cell_id = { mcc = '001', mnc = '01', lac = 1, rac = 2, ci = 2 } } } },\n"
    "    { nsei = 102, nsvcs = { { nsvci = 12, address = '10.99.0.3' } }, cells = {\n"
    "    { bvci = 1003, cell_id = { mcc = '001', mnc = '01', lac = 2, rac = 1, ci = 3 } } } } },\n"
    "  mobiles = { cells = { 1001, 1002, 1003 } }, lifetime = { sgsn_max = '15 s' },\n"
    "  limits = { mobiles = 8, contexts = 16 }, llc = { acknowledged = { links = 2 } },\n"
    "  phones = { policy = 'hlr', sms = 'hlr', hlr = { address = '10.99.0.9' }, half_open = 4, "
    "half_open_per_cell = 3,\n"
    "    network_name = 'gb', timers = { t3312 = '2 s', reachable = '10 s' },\n"
    "    apns = { { name = 'internet', sgsn_address = '10.0.8.1', ggsn_address = '10.0.0.2' } },\n"
    "    pool = { nri_bits = 3, nris = { 1, 2 }, null_nri = 0, offload_area = { mcc = '001', mnc = '01', lac "
    "= 99, "
    "rac = 1 },\n"
    "      others = { { address = '10.0.6.2', nris = { 3, 4 }, areas = { { lac = 9 } },\n"
    "        offload_area = { mcc = '001', mnc = '01', lac = 98, rac = 1 } } },\n"
    "      dns = { servers = { '10.0.7.1' }, networks = { '10.0.6.0/24' } } } },\n"
    "}\n";

struct phones_machine_slot phones_machine_slots[PHONES_MACHINE_SLOTS];
bool phones_machine_has_hlr;

void phones_machine_begin(bool has_hlr)
{
    memset(phones_machine_slots, 0, sizeof phones_machine_slots);
    phones_machine_has_hlr = has_hlr;
    phones_machine_rands = 0;
    getrandom_seed(0);
}

void phones_machine_cell(unsigned cell, struct core_event_from *from)
{
    static const uint32_t cells[PHONES_MACHINE_CELLS][2] = {{101, 1001}, {101, 1002}, {102, 1003}};
    from->nsei = cells[cell % PHONES_MACHINE_CELLS][0];
    from->bvci = cells[cell % PHONES_MACHINE_CELLS][1];
}

void phones_machine_add(unsigned number, uint32_t tlli, unsigned cell)
{
    FUZZ_CHECK(!phones_machine_slots[number].is_there);
    phones_machine_slots[number] = (struct phones_machine_slot){.is_there = true,
                                                                .proven = PHONES_MACHINE_NOT_KNOWN,
                                                                .vouched = PHONES_MACHINE_NOT_KNOWN,
                                                                .tlli = tlli,
                                                                .open_cell = cell % PHONES_MACHINE_CELLS};
}

unsigned phones_machine_half_open(unsigned cell)
{
    unsigned count = 0;
    for (unsigned i = 0; i < PHONES_MACHINE_SLOTS; i++) {
        const struct phones_machine_slot *slot = &phones_machine_slots[i];
        count += slot->is_there && !slot->is_registered &&
                 (cell == PHONES_MACHINE_CELLS || slot->open_cell == cell);
    }
    return count;
}

/* --- messages as the program reads them --- */

/* Pushes what a function of wire.phone makes of octets; false: they are refused. */
static bool push_message(lua_State *L, const char *function, const char *sender, const void *octets,
                         size_t count)
{
    lua_host_require(L, "wire.phone");
    lua_getfield(L, -1, function);
    lua_remove(L, -2);
    lua_pushlstring(L, octets, count);
    lua_pushstring(L, sender);
    lua_host_call(L, 2, 1);
    return lua_istable(L, -1);
}

/* A field of the message on top of the stack, which holds it; NULL: it has none. */
static const char *octets_at(lua_State *L, const char *field, size_t *octets)
{
    lua_getfield(L, -1, field);
    const char *at = lua_tolstring(L, -1, octets);
    lua_pop(L, 1);
    return at;
}

/* Whether it has a field, of these octets unless they are NULL. */
static bool has_octets(lua_State *L, const char *field, const uint8_t *expected, size_t count)
{
    size_t octets;
    const char *at = octets_at(L, field, &octets);
    return at && (!expected || (octets == count && memcmp(at, expected, count) == 0));
}

static void copy_octets(lua_State *L, const char *field, uint8_t *out, size_t count)
{
    size_t octets;
    const char *at = octets_at(L, field, &octets);
    FUZZ_CHECK(at && octets == count);
    memcpy(out, at, count);
}

static uint32_t p_tmsi_at(lua_State *L, const char *field)
{
    uint8_t octets[5];
    copy_octets(L, field, octets, sizeof octets);
    FUZZ_CHECK(octets[0] == 0xf4);
    return bytes_get_u32(octets + 1);
}

/* A P-TMSI is given, with its signature. */
static void note_identity(struct phones_machine_slot *slot, lua_State *L, uint32_t p_tmsi)
{
    slot->p_tmsi = p_tmsi;
    memcpy(slot->owner, slot->imsi, sizeof slot->owner);
    copy_octets(L, "signature", slot->signature, sizeof slot->signature);
}

/* --- messages of phones --- */

static int number_of(const char *imsi)
{
    for (unsigned i = 0; i < PHONES_MACHINE_IMSIS; i++)
        if (strcmp(phones_machine_imsi(i), imsi) == 0)
            return (int)i;
    return PHONES_MACHINE_NOT_KNOWN;
}

/* The right answer to a challenge proves the IMSI with which RAND begins, and says which key holds. */
static void note_response(struct phones_machine_slot *slot, lua_State *L)
{
    uint8_t sres[4], res[8];
    phones_machine_sres(slot->rand, sres);
    phones_machine_res(slot->rand, res);
    if (slot->told != GMM_AUTH_REQUEST || lua_table_integer(L, "reference") != slot->reference)
        return;
    bool is_umts =
        slot->has_autn && has_octets(L, "sres", res, 4) && has_octets(L, "res_extension", res + 4, 4);
    if (!is_umts && (has_octets(L, "res_extension", NULL, 0) || !has_octets(L, "sres", sres, 4)))
        return;
    slot->proven = slot->rand[0];
    if (is_umts)
        phones_machine_kc_umts(slot->rand, slot->kc);
    else
        phones_machine_kc(slot->rand, slot->kc);
}

void phones_machine_heard(unsigned number, const struct phones_machine_message *message)
{
    struct phones_machine_slot *slot = &phones_machine_slots[number];
    lua_State *L = machine_core.intents.L;
    if (message->count < 2 || message->octets[0] != GMM)
        return;
    uint8_t type = message->octets[1];
    if (push_message(L, "gmm_decode", "ms", message->octets, message->count)) {
        if (type == GMM_ATTACH_REQUEST || type == GMM_RAU_REQUEST) {
            slot->vouched = PHONES_MACHINE_NOT_KNOWN;
            slot->request_octets = message->count;
            memcpy(slot->request, message->octets, message->count);
        }
        if (type == GMM_ATTACH_REQUEST)
            slot->has_signed = false;
        else if (type == GMM_RAU_REQUEST)
            slot->has_signed =
                slot->has_key && has_octets(L, "signature", slot->signature, sizeof slot->signature);
        else if (type == GMM_AUTH_RESPONSE)
            note_response(slot, L);
    }
    lua_pop(L, 1);
}

static bool is_accepted_in_clear(uint8_t type)
{
    return type == GMM_ATTACH_REQUEST || type == GMM_AUTH_RESPONSE || type == GMM_AUTH_FAILURE ||
           type == GMM_IDENTITY_RESPONSE || type == GMM_RAU_REQUEST;
}

bool phones_machine_is_allowed(const struct phones_machine_slot *slot,
                               const struct phones_machine_message *message)
{
    if (!slot->is_there)
        return false;
    return !slot->has_key || message->is_ciphered ||
           (message->count >= 2 && message->octets[0] == GMM && is_accepted_in_clear(message->octets[1]));
}

/* --- messages to phones --- */

static bool is_sent_in_clear(uint8_t type)
{
    return type == GMM_ATTACH_REJECT || type == GMM_RAU_REJECT || type == GMM_AUTH_REQUEST ||
           type == GMM_AUTH_REJECT || type == GMM_IDENTITY_REQUEST;
}

/* Only a phone that has proven its IMSI is accepted, in a routeing area update by its signature and the key.
 */
static void see_accept(struct phones_machine_slot *slot, lua_State *L, uint8_t type)
{
    FUZZ_CHECK(slot->imsi[0]);
    uint32_t p_tmsi = p_tmsi_at(L, "p_tmsi");
    bool is_signed = slot->has_signed && type == GMM_RAU_ACCEPT;
    bool is_repeated = p_tmsi == slot->p_tmsi && strcmp(slot->owner, slot->imsi) == 0 &&
                       has_octets(L, "signature", slot->signature, sizeof slot->signature);
    FUZZ_CHECK(!phones_machine_has_hlr || is_signed || is_repeated || slot->proven == number_of(slot->imsi) ||
               slot->vouched == number_of(slot->imsi));
    for (unsigned i = 0; i < PHONES_MACHINE_SLOTS; i++) {
        const struct phones_machine_slot *other = &phones_machine_slots[i];
        FUZZ_CHECK(!other->is_there || other->p_tmsi != p_tmsi ||
                   (other == slot && strcmp(slot->owner, slot->imsi) == 0));
    }
    note_identity(slot, L, p_tmsi);
}

static void see_challenge(struct phones_machine_slot *slot, lua_State *L)
{
    FUZZ_CHECK(phones_machine_has_hlr);
    copy_octets(L, "rand", slot->rand, sizeof slot->rand);
    slot->has_autn = has_octets(L, "autn", NULL, 0);
    slot->reference = (uint8_t)lua_table_integer(L, "reference");
    slot->proven = PHONES_MACHINE_NOT_KNOWN;
}

static void see_gmm(struct phones_machine_slot *slot, const struct core_intent *in)
{
    lua_State *L = machine_core.intents.L;
    FUZZ_CHECK(push_message(L, "gmm_decode", "sgsn", in->octets.bytes, in->octets.count));
    uint8_t type = (uint8_t)in->octets.bytes[1];
    FUZZ_CHECK(in->msg.llc.is_ciphered == (slot->has_key && !is_sent_in_clear(type)));
    slot->told = type;
    FUZZ_CHECK(type != GMM_REALLOCATION || slot->is_registered); /* in an offload */
    if (type == GMM_REALLOCATION)
        note_identity(slot, L, p_tmsi_at(L, "identity"));
    if (type == GMM_ATTACH_ACCEPT || type == GMM_RAU_ACCEPT)
        see_accept(slot, L, type);
    if (type == GMM_AUTH_REQUEST)
        see_challenge(slot, L);
    lua_pop(L, 1);
}

static void see_sm(struct phones_machine_slot *slot, const struct core_intent *in)
{
    lua_State *L = machine_core.intents.L;
    size_t octets;
    FUZZ_CHECK(push_message(L, "sm_decode", "sgsn", in->octets.bytes, in->octets.count));
    slot->told_ti = (uint8_t)lua_table_integer(L, "ti");
    slot->told = (uint8_t)in->octets.bytes[slot->told_ti < TI_EXTENDED ? 1 : 2];
    FUZZ_CHECK(slot->is_registered && in->msg.llc.is_ciphered == slot->has_key);
    FUZZ_CHECK(slot->told != SM_ACTIVATE_ACCEPT || slot->up);
    const char *qos = octets_at(L, "qos", &octets);
    FUZZ_CHECK(!qos || octets == 0 || (qos[0] & RELIABILITY) == CLASS_3 || slot->linked);
    lua_pop(L, 1);
}

/* What is sent can be read, and a report is awaited on its transaction. */
static void see_sms(struct phones_machine_slot *slot, const struct core_intent *in)
{
    lua_State *L = machine_core.intents.L;
    size_t octets;
    const char *bytes = in->octets.bytes;
    FUZZ_CHECK(in->msg.llc.sapi == LLC_SAPI_SMS);
    FUZZ_CHECK(slot->is_registered && in->msg.llc.is_ciphered == slot->has_key);
    FUZZ_CHECK(push_message(L, "cp_decode", "sgsn", bytes, in->octets.count));
    const char *inner = octets_at(L, "user_data", &octets);
    if (inner) {
        FUZZ_CHECK(push_message(L, "rp_decode", "sgsn", inner, octets));
        slot->told = PHONES_MACHINE_TOLD_SMS;
        slot->told_ti = (uint8_t)bytes[0] >> 4;
        slot->reference = (uint8_t)lua_table_integer(L, "reference");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* --- intents --- */

/* The key belongs to the challenge that was answered. */
static void see_key(struct phones_machine_slot *slot, const struct core_intent *in)
{
    FUZZ_CHECK(slot->proven != PHONES_MACHINE_NOT_KNOWN);
    FUZZ_CHECK(in->octets.count == PHONES_MACHINE_KC &&
               memcmp(in->octets.bytes, slot->kc, PHONES_MACHINE_KC) == 0);
    FUZZ_CHECK(in->msg.cipher.algorithm == 0 || in->msg.cipher.algorithm == 3);
    slot->has_key = in->msg.cipher.algorithm > 0;
}

static void see_tlli(struct phones_machine_slot *slot, const struct core_intent *in)
{
    uint32_t tlli = in->msg.assigned.tlli;
    if (tlli == slot->tlli && !in->msg.assigned.keeps_old && !slot->is_registered) {
        slot->tlli_new = 0; /* what was offered to another subscriber is withdrawn */
        return;
    }
    FUZZ_CHECK((tlli & LOCAL_TLLI) == LOCAL_TLLI);
    for (unsigned i = 0; i < PHONES_MACHINE_SLOTS; i++) {
        const struct phones_machine_slot *other = &phones_machine_slots[i];
        FUZZ_CHECK(other == slot || !other->is_there || (other->tlli != tlli && other->tlli_new != tlli));
    }
    slot->tlli_new = tlli;
    if (in->msg.assigned.keeps_old)
        return;
    slot->tlli = tlli;
    slot->is_registered = true;
}

static void see_imsi(struct phones_machine_slot *slot, const struct core_intent *in)
{
    FUZZ_CHECK(in->imsi && in->imsi[0]);
    if (phones_machine_has_hlr)
        FUZZ_CHECK(slot->proven == number_of(in->imsi) || slot->vouched == number_of(in->imsi));
    if (strcmp(slot->imsi, in->imsi) != 0)
        slot->is_registered = false; /* another subscriber under its TLLI */
    snprintf(slot->imsi, sizeof slot->imsi, "%s", in->imsi);
}

/* The table that goes to GTP-C. */
static void see_wanted(const struct phones_machine_slot *slot, const struct core_intent *in)
{
    lua_State *L = machine_object(phones)->L;
    FUZZ_CHECK(lua_getfield(L, in->place, "wanted") == LUA_TTABLE);
    bool is_taken = lua_getfield(L, -1, "taken") == LUA_TTABLE;
    FUZZ_CHECK(lua_getfield(L, -2, "apn") == LUA_TSTRING);
    FUZZ_CHECK((slot->is_registered || is_taken) && strcmp(lua_tostring(L, -1), "internet") == 0);
    lua_pop(L, 3);
}

static void see_context(struct phones_machine_slot *slot, const struct core_intent *in, bool is_new)
{
    FUZZ_CHECK(in->nsapi >= 5 && in->nsapi <= 15);
    uint16_t bit = (uint16_t)(1u << in->nsapi);
    FUZZ_CHECK(is_new == !(slot->asked & bit));
    FUZZ_CHECK(!is_new || in->linked == 0 || slot->up >> in->linked & 1);
    if (is_new)
        see_wanted(slot, in);
    slot->asked ^= bit;
    slot->up &= (uint16_t)~bit;
    slot->acknowledged &= (uint16_t)~bit;
    slot->linked &= (uint16_t)~bit;
}

static void see_mode(struct phones_machine_slot *slot, const struct core_intent *in)
{
    uint16_t bit = (uint16_t)(1u << in->nsapi);
    FUZZ_CHECK(slot->up & bit);
    slot->acknowledged &= (uint16_t)~bit;
    slot->acknowledged |= in->msg.llc_mode.is_acknowledged ? bit : 0;
    slot->linked &= slot->acknowledged;
}

/* The capability is a part of the request. */
static void see_radio(const struct phones_machine_slot *slot, const struct core_intent *in)
{
    const struct lua_field_octets *capability = &in->ra_capability;
    FUZZ_CHECK(in->drx.count == 0 || in->drx.count == DRX_OCTETS);
    FUZZ_CHECK(capability->count == 0 ||
               memmem(slot->request, slot->request_octets, capability->bytes, capability->count));
}

/* What the phone leaves behind, it has given back before. */
static void see_end(struct phones_machine_slot *slot)
{
    FUZZ_CHECK(slot->asked == 0);
    *slot =
        (struct phones_machine_slot){.proven = PHONES_MACHINE_NOT_KNOWN, .vouched = PHONES_MACHINE_NOT_KNOWN};
}

void phones_machine_see(const struct core_intent *in, enum machine_wish wish)
{
    FUZZ_CHECK(in->msg.slot < PHONES_MACHINE_SLOTS);
    struct phones_machine_slot *slot = &phones_machine_slots[in->msg.slot];
    FUZZ_CHECK(slot->is_there);
    if (wish == MACHINE_PDP_ADD || wish == MACHINE_PDP_DEL)
        see_context(slot, in, wish == MACHINE_PDP_ADD);
    else if (wish == MACHINE_PDP_LLC)
        see_mode(slot, in);
    else if (wish == MACHINE_PDP_CLASS)
        FUZZ_CHECK(slot->up >> in->nsapi & 1);
    else if (wish == MACHINE_PDP_MODIFIED)
        FUZZ_CHECK((slot->up | ~slot->asked) >> in->nsapi & 1);
    else if (wish == MACHINE_PAGE)
        FUZZ_CHECK(in->imsi && in->imsi[0] && !slot->is_registered);
    else if (in->msg.type == MSG_MS_LLC_RESET)
        FUZZ_CHECK(!slot->has_key || slot->proven != PHONES_MACHINE_NOT_KNOWN);
    else if (wish == MACHINE_PLACE)
        FUZZ_CHECK(in->nsei == 101 || in->nsei == 102);
    else if (wish == MACHINE_RADIO)
        see_radio(slot, in);
    else if (wish == MACHINE_IMSI)
        see_imsi(slot, in);
    else if (wish == MACHINE_GONE)
        see_end(slot);
    else if (in->msg.type == MSG_MS_CIPHER)
        see_key(slot, in);
    else if (in->msg.type == MSG_MS_TLLI)
        see_tlli(slot, in);
    else if (in->msg.type == MSG_MS_HOLD || in->msg.type == MSG_MS_RECEIVED)
        FUZZ_CHECK(in->octets.count == 0);
    else if (in->msg.type == MSG_MS_WANTED)
        FUZZ_CHECK(slot->is_registered);
    else if ((in->octets.bytes[0] & 15) == SMS)
        see_sms(slot, in);
    else if ((in->octets.bytes[0] & 15) == GMM)
        see_gmm(slot, in);
    else
        see_sm(slot, in);
}
