/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phones of an emulated BSS that attach by themselves: GMM and SM are lua/phone, LLC of SAPI 1 is
 * llc.c, user data is users.c. Times are nanoseconds since the start.
 */
#ifndef APP_EMULATE_PHONES_H
#define APP_EMULATE_PHONES_H

#include "app/emulate/config.h"
#include "app/emulate/llc.h"
#include "app/emulate/users.h"
#include "bss/bss_ms.h"
#include "control/log/log.h"
#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emulate_phones;
struct lua_State;

/* A phone's LLC. */
struct emulate_phone {
    uint32_t tlli, former; /* both receive; former: that before the last change */
    uint32_t given; /* receives too: the SGSN has given it, and the phone may not have it yet; 0: none */
    uint16_t bvci;
    bool is_up;   /* it has a context */
    bool is_held; /* it may not send user data now */
    bool is_suspended, has_reference;
    uint8_t reference;     /* of its last suspension, with has_reference */
    struct ms_stack stack; /* entity and key of SAPI 1 */
    struct emulate_user user;
};

/* The BSS of the phones. */
struct emulate_phones_air {
    void *arg;
    bool (*is_up)(void *arg, uint16_t bvci);
    void (*move)(void *arg, uint32_t tlli, uint16_t from, uint16_t to);
    void (*suspend)(void *arg, uint32_t tlli, uint16_t bvci);
    void (*resume)(void *arg, uint32_t tlli, uint16_t bvci,
                   const uint8_t *reference); /* NULL: no SUSPEND-ACK */
    void (*send)(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets);
};

struct emulate_phones_row {
    const char *imsi, *state, *session, *address, *dns; /* "-": none */
    uint32_t tlli;
    uint16_t bvci;
    const struct emulate_user *user;
};

/* An uplink frame that the next step sends. */
struct emulate_phones_waiting {
    uint16_t bvci;
    uint16_t octets;
    uint32_t tlli;
    uint8_t frame[EMULATE_LLC_FRAME_OCTETS];
};

struct emulate_phones {
    struct lua_State *L; /* its registry has the object, by the address of this struct */
    bool has_started;
    uint32_t count, up_count, waiting_count; /* up_count: phones with a context */
    uint32_t done_count;                     /* phones that have played their script */
    uint32_t cell_count;
    uint16_t *bvcis; /* of the cells */
    struct log *log;
    int64_t now;
    const struct emulate_phones_air *air; /* during a step, else NULL */
    struct emulate_phone *list;
    struct emulate_phones_waiting *waiting;
    struct emulate_users host;
    uint64_t bad_frames, other_frames;
};

/* From the checked configuration on top of the stack; NULL: it has no phones. L is the phones' from then on.
 * Ends the program when memory is short. */
struct emulate_phones *emulate_phones_new(struct lua_State *L, const struct emulate_config *config);
void emulate_phones_free(struct emulate_phones *phones);

/* The phones begin to attach, and a line of the log tells when all have a context; later calls have no
 * effect. */
void emulate_phones_start(struct emulate_phones *phones, struct log *log, int64_t now);

/* DL-UNITDATA with both TLLIs. */
void emulate_phones_rename(struct emulate_phones *phones, uint32_t tlli, uint32_t tlli_old);

/* A downlink LLC-PDU. False: no phone has the TLLI. Answers are sent by the next
 * emulate_phones_step(). */
bool emulate_phones_take(struct emulate_phones *phones, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                         int64_t now);

/* Messages of the SGSN to the BSS about a phone; answers are sent by the next emulate_phones_step(). */
void emulate_phones_page(struct emulate_phones *phones, const struct bss_page *page, int64_t now);
void emulate_phones_suspended(struct emulate_phones *phones, uint32_t tlli, uint8_t reference, int64_t now);
void emulate_phones_resumed(struct emulate_phones *phones, uint32_t tlli, bool has_resumed, int64_t now);

/* Switches a phone on or off, by its number from 1 on: it attaches, or detaches without an answer (TS 24.008
 * clause 4.7.4.1.1). Its messages go with the next emulate_phones_step(). False: there is no such phone. */
bool emulate_phones_switch(struct emulate_phones *phones, uint32_t number, bool is_on, int64_t now);

/* Handles timers and sends queued frames; returns the next deadline, INT64_MAX without one, `now` if it sent.
 */
int64_t emulate_phones_step(struct emulate_phones *phones, const struct emulate_phones_air *air, int64_t now);

/* The open TUN device of the phones, which stays the caller's. */
void emulate_phones_open(struct emulate_phones *phones, int tun);

/* A packet from that device. False: no phone has its source address. */
bool emulate_phones_packet(struct emulate_phones *phones, const uint8_t *packet, size_t octets,
                           const struct emulate_phones_air *air, int64_t now);

/* Frames of SAPI 1 that are malformed, repeated or too long, and frames of other SAPIs. */
uint64_t emulate_phones_bad_frames(const struct emulate_phones *phones);
uint64_t emulate_phones_other_frames(const struct emulate_phones *phones);

/* Contexts without user data: another phone has the address, or the TUN device did not take it. */
uint64_t emulate_phones_refused(const struct emulate_phones *phones);

/* Call put() for each phone, for each count. Texts are valid during the call. */
void emulate_phones_each(struct emulate_phones *phones,
                         void (*put)(void *arg, const struct emulate_phones_row *row), void *arg);
void emulate_phones_counts(struct emulate_phones *phones,
                           void (*put)(void *arg, const char *name, uint64_t count), void *arg);

#endif
