/* SPDX-License-Identifier: BSD-3-Clause */
/* The node, the phones and the HLR of phones_machine_fuzz.c: what each phone was told, what it may answer,
 * and what it has proven. */
#ifndef TESTS_FUZZ_PHONES_MACHINE_H
#define TESTS_FUZZ_PHONES_MACHINE_H

#include "control/core/core_event.h"
#include "tests/fuzz/machine.h"

enum {
    PHONES_MACHINE_SLOTS = 8,
    PHONES_MACHINE_IMSIS = 4,
    PHONES_MACHINE_CELLS = 3,
    PHONES_MACHINE_HALF_OPEN = 4,
    PHONES_MACHINE_HALF_OPEN_PER_CELL = 3,
    PHONES_MACHINE_OCTETS = 600, /* of a message */
    PHONES_MACHINE_RAND = 16,
    PHONES_MACHINE_KC = 8,
    PHONES_MACHINE_TOLD_SMS = 0xff, /* in place of the type of a message */
    PHONES_MACHINE_NOT_KNOWN = -1,  /* in place of the number of an IMSI */
};

/* Streams of IPA, and GSUP on the second one, with types of its requests. */
enum { PHONES_MACHINE_CCM = 0xfe, PHONES_MACHINE_OSMO = 0xee, PHONES_MACHINE_GSUP = 5 };
enum { PHONES_MACHINE_AUTH_INFO = 0x08, PHONES_MACHINE_PURGE = 0x0c };

extern const char *const phones_machine_text;

/* What the messages to a phone and from it say. */
struct phones_machine_slot {
    bool is_there, is_registered, has_key, has_autn;
    bool has_signed; /* its latest request was a routeing area update with the signature that it was given */
    int proven;      /* number of the IMSI, by the answer to the latest challenge */
    int vouched;     /* the same, of the IMSI that another SGSN has told for the latest request */
    uint8_t told, told_ti, reference;
    uint32_t tlli, tlli_new, p_tmsi;
    unsigned cell, open_cell;
    char imsi[16];  /* that the node has noted */
    char owner[16]; /* that when its P-TMSI was given */
    uint8_t rand[PHONES_MACHINE_RAND], kc[PHONES_MACHINE_KC], signature[3];
    uint16_t asked, up;                     /* contexts, a bit per NSAPI */
    uint16_t acknowledged, linked;          /* those for which the mode of LLC was asked for, and given */
    uint8_t request[PHONES_MACHINE_OCTETS]; /* its latest ATTACH or ROUTING AREA UPDATE REQUEST */
    size_t request_octets;
};

extern struct phones_machine_slot phones_machine_slots[PHONES_MACHINE_SLOTS];
extern bool phones_machine_has_hlr;

/* A message of layer 3 that is being made. */
struct phones_machine_pdu {
    uint8_t bytes[PHONES_MACHINE_OCTETS];
    size_t octets;
};

/* A message of a phone, and where it comes from. */
struct phones_machine_message {
    struct core_event_from from;
    const uint8_t *octets;
    size_t count;
    bool is_ciphered;
};

/* --- phones_machine.c: the model --- */

void phones_machine_begin(bool has_hlr);

/* The nsei and bvci of a cell. */
void phones_machine_cell(unsigned cell, struct core_event_from *from);

/* A phone in a slot from now on, by the verdict on its first message. */
void phones_machine_add(unsigned slot, uint32_t tlli, unsigned cell);

/* Phones that have not completed an attach: in a cell, PHONES_MACHINE_CELLS for all. */
unsigned phones_machine_half_open(unsigned cell);

/* Notes what a message of a phone says of it, before the node gets it. */
void phones_machine_heard(unsigned slot, const struct phones_machine_message *message);

/* Whether a message of a phone may have effects. */
bool phones_machine_is_allowed(const struct phones_machine_slot *slot,
                               const struct phones_machine_message *message);

/* Judges an intent about a phone, and notes it. */
void phones_machine_see(const struct core_intent *intent, enum machine_wish wish);

/* --- phones_machine_pdu.c: what phones and the HLR send --- */

/* Drawn by the HLR in this sequence. */
extern uint16_t phones_machine_rands;

/* The text of an IMSI. */
const char *phones_machine_imsi(unsigned number);

/* What RAND, which begins with the number of an IMSI, has as SRES, Kc and RES (8 octets), and the Kc of UMTS.
 */
void phones_machine_sres(const uint8_t *rand, uint8_t *sres);
void phones_machine_kc(const uint8_t *rand, uint8_t *kc);
void phones_machine_res(const uint8_t *rand, uint8_t *res);
void phones_machine_kc_umts(const uint8_t *rand, uint8_t *kc);

/* A request of a phone chosen by the input. */
void phones_machine_ask(struct fuzz_input *in, unsigned slot, struct phones_machine_pdu *pdu);

/* Its answer to the latest message to it, right unless the input says otherwise. */
void phones_machine_answer(struct fuzz_input *in, unsigned slot, struct phones_machine_pdu *pdu);

/* An element of a message of GSUP, with tag and length; NULL: it has none. Its elements fill it. */
const uint8_t *phones_machine_element(const struct phones_machine_pdu *message, uint8_t tag);

/* Its IMSI, which it has, of 6 to 15 digits. */
void phones_machine_imsi_of(const struct phones_machine_pdu *message, char *text);

/* An answer of the HLR to a request, or a request of its own, with IPA's header; 0 octets: none. */
void phones_machine_hlr(struct fuzz_input *in, const struct phones_machine_pdu *request,
                        struct phones_machine_pdu *pdu);

#endif
