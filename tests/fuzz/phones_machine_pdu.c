/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"
#include "tests/fuzz/phones_machine.h"

enum { R99 = 1, TAG_SRES = 0x22, TAG_RES = 0x29 };

uint16_t phones_machine_rands;

const char *phones_machine_imsi(unsigned number)
{
    static const char *const imsis[PHONES_MACHINE_IMSIS] = {"001010000000000", "001010000000001",
                                                            "001010000000002", "00101000000003"};
    return imsis[number % PHONES_MACHINE_IMSIS];
}

/* --- authentication: any function of RAND will do --- */

void phones_machine_sres(const uint8_t *rand, uint8_t *sres)
{
    for (unsigned i = 0; i < 4; i++)
        sres[i] = rand[i] ^ (uint8_t)(0x5a + i);
}

void phones_machine_kc(const uint8_t *rand, uint8_t *kc)
{
    for (unsigned i = 0; i < PHONES_MACHINE_KC; i++)
        kc[i] = rand[i] ^ (uint8_t)(0xa5 - i);
}

void phones_machine_res(const uint8_t *rand, uint8_t *res)
{
    for (unsigned i = 0; i < 8; i++)
        res[i] = rand[i] ^ (uint8_t)(0x33 + i);
}

/* IK is RAND, CK its complement in the first half and zeros (TS 33.102 clause 6.8.1.2: c3). */
void phones_machine_kc_umts(const uint8_t *rand, uint8_t *kc)
{
    for (unsigned i = 0; i < PHONES_MACHINE_KC; i++)
        kc[i] = (uint8_t)~rand[i] ^ rand[i] ^ rand[i + 8];
}

/* --- messages of phones --- */

static void put(struct phones_machine_pdu *pdu, size_t octets, const void *bytes)
{
    FUZZ_CHECK(pdu->octets + octets <= sizeof pdu->bytes);
    memcpy(pdu->bytes + pdu->octets, bytes, octets);
    pdu->octets += octets;
}

#define PUT(pdu, ...) put(pdu, sizeof((const uint8_t[]){__VA_ARGS__}), (const uint8_t[]){__VA_ARGS__})

/* LV: the P-TMSI of a slot, an IMSI, or the identity of equipment. */
static void put_identity(struct phones_machine_pdu *pdu, unsigned what)
{
    static const uint8_t imei[] = {0x4a, 0x09, 0x51, 0x24, 0x30, 0x32, 0x57, 0x81};
    struct identity_imsi imsi;
    uint8_t tmsi[5] = {0xf4}, digits[IDENTITY_IMSI_MAX_OCTETS];
    bytes_put_u32(tmsi + 1, phones_machine_slots[what % PHONES_MACHINE_SLOTS].p_tmsi);
    snprintf(imsi.digits, sizeof imsi.digits, "%s", phones_machine_imsi(what));
    int octets = identity_imsi_encode(digits, sizeof digits, &imsi);
    FUZZ_CHECK(octets > 0);
    octets = what & 8 ? (int)sizeof tmsi : what & 0x40 ? (int)sizeof imei : octets;
    PUT(pdu, (uint8_t)octets);
    put(pdu, (size_t)octets, what & 8 ? tmsi : what & 0x40 ? imei : digits);
}

/* GEA/3 and R99 or not. */
static uint8_t capability_of(unsigned what)
{
    return what & 0x20 ? 0xe4 : 0xe4 | R99;
}

/* The area of the first cell, or of another network; of another SGSN, of one that DNS may know, of its
 * offload. */
static void put_old_rai(struct phones_machine_pdu *pdu, bool is_of_another, unsigned what)
{
    static const uint8_t lacs[] = {1, 9, 7, 98};
    PUT(pdu, 0, is_of_another ? 0xf2 : 0xf1, 0x10, 0, lacs[what & 3], 1);
}

static void put_attach(struct phones_machine_pdu *pdu, unsigned unused_slot, unsigned what)
{
    PUT(pdu, 8, 0x01, 2, capability_of(what), what & 0x10 ? 0x40 : 0x60, 0x71, 0x0a, 0);
    put_identity(pdu, what);
    put_old_rai(pdu, what & 0x80, what & 8 ? what >> 5 : 0);
    PUT(pdu, 2, 0x18, 0xb3);
}

static void put_rau(struct phones_machine_pdu *pdu, unsigned slot, unsigned what)
{
    const uint8_t *signature = phones_machine_slots[slot].signature;
    PUT(pdu, 8, 0x08, 0);
    put_old_rai(pdu, what & 0x10, what & 4 ? 0 : what >> 5);
    PUT(pdu, 2, 0x18, 0xb3);
    if (what & 1)
        PUT(pdu, 0x19, signature[0], signature[1], (uint8_t)(signature[2] + (what >> 1 & 1)));
    if (what & 4)
        PUT(pdu, 0x32, 2, (uint8_t)(what & 0xe0), 0);
    if (what & 8)
        PUT(pdu, 0x31, 2, capability_of(what), 0x60);
}

static void put_detach(struct phones_machine_pdu *pdu, unsigned unused_slot, unsigned what)
{
    PUT(pdu, 8, 0x05, (uint8_t)(1 | (what & 8)));
}

static void put_failure(struct phones_machine_pdu *pdu, unsigned unused_slot, unsigned what)
{
    static const uint8_t auts[14] = {1, 2, 3};
    PUT(pdu, 8, 0x1c, what & 1 ? 21 : 20);
    if (what & 2) {
        PUT(pdu, 0x30, sizeof auts);
        put(pdu, sizeof auts, auts);
    }
}

/* A transaction of the phone: 7 and above with an extension octet. */
static void put_ti(struct phones_machine_pdu *pdu, unsigned ti)
{
    PUT(pdu, (uint8_t)(0x0a | (ti < 7 ? ti : 7) << 4));
    if (ti >= 7)
        PUT(pdu, (uint8_t)(0x80 | ti));
}

/* Of a context: reliability class 3, or one of acknowledged mode for every other NSAPI. */
static uint8_t reliability_of(unsigned nsapi)
{
    return nsapi & 1 ? 0x1b : 0x1a;
}

static void put_activate(struct phones_machine_pdu *pdu, unsigned unused_slot, unsigned what)
{
    uint8_t nsapi = (uint8_t)(5 + (what >> 3 & 3));
    static const uint8_t apn[] = {0x28, 9, 8, 'i', 'n', 't', 'e', 'r', 'n', 'e', 't'};
    static const uint8_t other[] = {0x28, 5, 4, 'n', 'o', 'n', 'e'};
    put_ti(pdu, what & 7);
    PUT(pdu, 0x41, nsapi, 3, 3, reliability_of(nsapi), 0x93, 0x1f);
    if (what & 0x20)
        PUT(pdu, 6, 1, 0x21, 10, 45, 0, 9);
    else
        PUT(pdu, 2, 1, what & 0x40 ? 0x57 : 0x21);
    put(pdu, what & 0x80 ? sizeof other : sizeof apn, what & 0x80 ? other : apn);
}

static void put_deactivate(struct phones_machine_pdu *pdu, unsigned unused_slot, unsigned what)
{
    put_ti(pdu, what & 7);
    PUT(pdu, what & 8 ? 0x47 : 0x46, 36);
    pdu->octets -= what & 8 ? 1 : 0;
}

/* Secondary context, modification, status. */
static void put_other_sm(struct phones_machine_pdu *pdu, unsigned unused_slot, unsigned what)
{
    static const uint8_t tft[] = {0x36, 7, 0x21, 1, 5, 3, 0x50, 0, 0x50};
    put_ti(pdu, what & 7);
    if (what & 8) {
        PUT(pdu, 0x4d, (uint8_t)(5 + (what >> 6)), 3, 3, reliability_of(what >> 6), 0x93, 0x1f, 1,
            (uint8_t)(what >> 1 & 0x30));
        put(pdu, what & 16 ? sizeof tft : 0, tft);
    } else if (what & 16) {
        PUT(pdu, 0x4a);
        if (what & 32)
            PUT(pdu, 0x30, 3, (uint8_t)(0x0a | what >> 6), 0x92, 0x1f);
    } else {
        PUT(pdu, what & 32 ? 0x49 : 0x55, 111);
        pdu->octets -= what & 32 ? 1 : 0;
    }
}

/* Complete messages that answer nothing, and GMM STATUS. */
static void put_other_gmm(struct phones_machine_pdu *pdu, unsigned unused_slot, unsigned what)
{
    static const uint8_t types[] = {0x03, 0x0a, 0x06, 0x11};
    if (what & 4)
        PUT(pdu, 8, 0x20, 111);
    else
        PUT(pdu, 8, types[what & 3]);
}

/* CP-DATA with RP-DATA, RP-SMMA or the report of a message; CP-ACK, CP-ERROR. */
static void put_sms(struct phones_machine_pdu *pdu, unsigned slot, unsigned what)
{
    static const uint8_t centre_and_tpdu[] = {0, 3, 0x91, 0x94, 0x71, 2, 1, 0};
    uint8_t head = (uint8_t)(9 | (what & 3) << 4), reference = (uint8_t)(what >> 2 & 1);
    if (what & 0x80)
        PUT(pdu, head, what & 0x40 ? 0x10 : 0x04, 111);
    else if (what & 0x40)
        PUT(pdu, head, 1, 2, what & 0x20 ? 2 : 6, reference);
    else
        PUT(pdu, head, 1, 2 + sizeof centre_and_tpdu, 0, reference);
    if (what & 0xc0)
        pdu->octets -= (what & 0xc0) == 0x80;
    else
        put(pdu, sizeof centre_and_tpdu - (what >> 5 & 1), centre_and_tpdu);
}

void phones_machine_ask(struct fuzz_input *in, unsigned slot, struct phones_machine_pdu *pdu)
{
    static void (*const puts[])(struct phones_machine_pdu *, unsigned, unsigned) = {
        put_attach,   put_rau,        put_detach,   put_failure, put_activate,
        put_activate, put_deactivate, put_other_sm, put_sms,
    };
    unsigned kind = (unsigned)fuzz_take(in, 1), what = (unsigned)fuzz_take(in, 1);
    pdu->octets = 0;
    if (kind == 0xff)
        put_other_gmm(pdu, slot, what);
    else
        puts[kind % (sizeof puts / sizeof puts[0])](pdu, slot, what);
}

/* --- answers of phones --- */

/* SRES; for a challenge with AUTN the whole RES; or one that is wrong, or another phone's. */
static void put_response(struct phones_machine_pdu *pdu, const struct phones_machine_slot *slot,
                         unsigned what)
{
    const uint8_t *rand = phones_machine_slots[what & 2 ? what / 4 % PHONES_MACHINE_SLOTS : 0].rand;
    uint8_t sres[4], res[8];
    rand = what & 2 ? rand : slot->rand;
    phones_machine_sres(rand, sres);
    phones_machine_res(rand, res);
    bool is_umts = slot->has_autn && !(what & 0x40);
    PUT(pdu, 8, 0x13, (uint8_t)((slot->reference + (what >> 5 & 1)) & 15), TAG_SRES);
    put(pdu, 4, is_umts ? res : sres);
    pdu->bytes[pdu->octets - 1] ^= what & 1;
    if (!is_umts)
        return;
    PUT(pdu, TAG_RES, 4);
    put(pdu, 4, res + 4);
}

/* To CP-DATA: CP-ACK, or the report of the message in it. */
static void put_sms_answer(struct phones_machine_pdu *pdu, const struct phones_machine_slot *slot,
                           unsigned what)
{
    uint8_t head = (uint8_t)(9 | (slot->told_ti ^ 8) << 4);
    if (what & 1)
        PUT(pdu, head, 4);
    else if (what & 2)
        PUT(pdu, head, 1, 2, 2, slot->reference);
    else
        PUT(pdu, head, 1, 4, 4, slot->reference, 1, 22);
}

void phones_machine_answer(struct fuzz_input *in, unsigned number, struct phones_machine_pdu *pdu)
{
    const struct phones_machine_slot *slot = &phones_machine_slots[number];
    unsigned what = (unsigned)fuzz_take(in, 1);
    pdu->octets = 0;
    if (slot->told == 0x12) {
        put_response(pdu, slot, what);
    } else if (slot->told == 0x15) {
        PUT(pdu, 8, 0x16);
        put_identity(pdu, what);
    } else if (slot->told == 0x02) {
        PUT(pdu, 8, 0x03);
    } else if (slot->told == 0x09) {
        PUT(pdu, 8, 0x0a);
    } else if (slot->told == 0x10) {
        PUT(pdu, 8, 0x11);
    } else if (slot->told == 0x05) {
        PUT(pdu, 8, 0x06);
    } else if (slot->told == 0x46) {
        put_ti(pdu, slot->told_ti);
        PUT(pdu, 0x47);
    } else if (slot->told == PHONES_MACHINE_TOLD_SMS) {
        put_sms_answer(pdu, slot, what);
    }
}

/* --- the HLR: GSUP in IPA, behind a type elements with one octet of length --- */

enum { INSERT_DATA = 0x10, DELETE_DATA = 0x14, CANCEL = 0x1c, MT_FORWARD_SM = 0x28 };
enum { IMSI = 0x01, CAUSE = 0x02, TUPLE = 0x03, PDP_INFO = 0x05, CANCEL_TYPE = 0x06, APN = 0x12 };
enum { RAND = 0x20, SRES, KC, IK, CK, AUTN, RES = 0x27 };
enum { SM_RP_MR = 0x40, SM_RP_OA = 0x42, SM_RP_UI };

const uint8_t *phones_machine_element(const struct phones_machine_pdu *message, uint8_t tag)
{
    const uint8_t *found = NULL;
    for (size_t at = 1; at < message->octets; at += 2u + message->bytes[at + 1]) {
        FUZZ_CHECK(at + 1 < message->octets && at + 1 + message->bytes[at + 1] < message->octets);
        if (message->bytes[at] == tag && !found)
            found = message->bytes + at;
    }
    return found;
}

void phones_machine_imsi_of(const struct phones_machine_pdu *message, char *text)
{
    const uint8_t *imsi = phones_machine_element(message, IMSI);
    size_t digits = 0;
    FUZZ_CHECK(imsi && imsi[1] >= 3 && imsi[1] <= 8);
    for (size_t i = 0; i < 2u * imsi[1]; i++) {
        uint8_t digit = i % 2 ? imsi[2 + i / 2] >> 4 : imsi[2 + i / 2] & 15;
        FUZZ_CHECK(digit < 10 || (digit == 15 && i + 1 == 2u * imsi[1]));
        if (digit < 10)
            text[digits++] = (char)('0' + digit);
    }
    FUZZ_CHECK(digits >= 6 && digits <= 15);
    text[digits] = 0;
}

static void put_element(struct phones_machine_pdu *pdu, uint8_t tag, size_t octets, const uint8_t *value)
{
    PUT(pdu, tag, (uint8_t)octets);
    put(pdu, octets, value);
}

/* The type and the IMSI; end_message() writes the length. */
static void begin_message(struct phones_machine_pdu *pdu, uint8_t type, const char *imsi)
{
    size_t digits = strlen(imsi);
    PUT(pdu, 0, 0, PHONES_MACHINE_OSMO, PHONES_MACHINE_GSUP, type, IMSI, (uint8_t)((digits + 1) / 2));
    for (size_t i = 0; i < digits; i += 2)
        PUT(pdu, (uint8_t)((i + 1 < digits ? imsi[i + 1] - '0' : 15) << 4 | (imsi[i] - '0')));
}

static void end_message(struct phones_machine_pdu *pdu)
{
    bytes_put_u16(pdu->bytes, (uint16_t)(pdu->octets - 3));
}

/* A vector; of UMTS, if that is drawn. */
static void put_tuple(struct phones_machine_pdu *pdu, unsigned number, bool is_umts)
{
    uint8_t rand[PHONES_MACHINE_RAND], sres[4], kc[8], ck[16] = {0}, res[8];
    phones_machine_rands++;
    memset(rand, 0x40, sizeof rand);
    rand[0] = (uint8_t)number;
    rand[1] = (uint8_t)(phones_machine_rands >> 8);
    rand[2] = (uint8_t)phones_machine_rands;
    phones_machine_sres(rand, sres);
    phones_machine_kc(rand, kc);
    phones_machine_res(rand, res);
    for (unsigned i = 0; i < 8; i++)
        ck[i] = (uint8_t)~rand[i];
    PUT(pdu, TUPLE, is_umts ? 98 : 34);
    put_element(pdu, RAND, sizeof rand, rand);
    put_element(pdu, SRES, sizeof sres, sres);
    put_element(pdu, KC, sizeof kc, kc);
    if (!is_umts)
        return;
    put_element(pdu, IK, sizeof rand, rand);
    put_element(pdu, CK, sizeof ck, ck);
    put_element(pdu, AUTN, sizeof rand, rand);
    put_element(pdu, RES, sizeof res, res);
}

static unsigned number_of(const char *imsi)
{
    unsigned i = 0;
    while (i < PHONES_MACHINE_IMSIS && strcmp(phones_machine_imsi(i), imsi) != 0)
        i++;
    return i;
}

/* A result, with vectors for authentication, or an error. */
static void put_result(struct phones_machine_pdu *pdu, const struct phones_machine_pdu *request,
                       unsigned what)
{
    const uint8_t *reference = phones_machine_element(request, SM_RP_MR);
    char imsi[16];
    phones_machine_imsi_of(request, imsi);
    begin_message(pdu, (uint8_t)(request->bytes[0] + (what & 8 ? 1 : 2)), imsi);
    if (what & 8)
        PUT(pdu, CAUSE, 1, (uint8_t)(what >> 4));
    else if (request->bytes[0] == PHONES_MACHINE_AUTH_INFO)
        for (unsigned i = 0; i < (what & 4 ? 0 : 1 + (what & 1)); i++)
            put_tuple(pdu, number_of(imsi), what & 0x10);
    if (reference)
        put(pdu, 3, reference);
    end_message(pdu);
}

static void put_hlr_request(struct phones_machine_pdu *pdu, unsigned what)
{
    static const uint8_t types[] = {CANCEL, DELETE_DATA, INSERT_DATA, MT_FORWARD_SM};
    static const uint8_t apn[] = {8, 'i', 'n', 't', 'e', 'r', 'n', 'e', 't'};
    static const uint8_t centre[] = {3, 0x91, 0x94};
    uint8_t type = types[what & 3];
    begin_message(pdu, type, phones_machine_imsi(what >> 2));
    if (type == CANCEL) {
        PUT(pdu, CANCEL_TYPE, 1, what >> 4 & 1);
    } else if (type == INSERT_DATA && what & 0x10) {
        uint8_t octets = what & 0x20 ? 1 : sizeof apn;
        PUT(pdu, PDP_INFO, (uint8_t)(2 + octets));
        put_element(pdu, APN, octets, apn);
    } else if (type == MT_FORWARD_SM) {
        if (what & 0x20)
            PUT(pdu, SM_RP_MR, 1, 0);
        put_element(pdu, SM_RP_OA, sizeof centre - (what >> 4 & 1), centre);
        put_element(pdu, SM_RP_UI, sizeof apn, apn);
    }
    end_message(pdu);
}

/* Of IPA's own stream: PONG, PING, ID GET, ID ACK. */
static void put_ccm(struct phones_machine_pdu *pdu, unsigned what)
{
    static const uint8_t types[] = {6, 1, 0, 4};
    PUT(pdu, 0, 1, PHONES_MACHINE_CCM, types[what & 3]);
}

void phones_machine_hlr(struct fuzz_input *in, const struct phones_machine_pdu *request,
                        struct phones_machine_pdu *pdu)
{
    unsigned kind = (unsigned)fuzz_take(in, 1), what = (unsigned)fuzz_take(in, 1);
    pdu->octets = 0;
    if (kind % 4 == 0)
        put_ccm(pdu, what);
    else if (kind % 4 == 1)
        put_hlr_request(pdu, what);
    else if (request->octets)
        put_result(pdu, request, what);
}
