/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls GMM, SM and GSUP in Lua (lua/gmm/phones.lua): its inputs are messages of phones, answers of GGSNs and
 * HLR, and time, its outputs intents. */
#ifndef CONTROL_LUA_LUA_PHONES_H
#define CONTROL_LUA_LUA_PHONES_H

#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"

#include <stddef.h>
#include <stdint.h>

struct lua_phones {
    struct lua_object object; /* L NULL: no phone can attach */
    void *arg;
    bool (*is_listed)(void *arg, const char *imsi); /* a mobile of mobiles.list has it; NULL: none has */
};

/* A message of layer 3 and the cell in which it was sent. */
struct lua_phones_message {
    uint32_t nsei, bvci, tlli;
    const uint8_t *octets;
    size_t count; /* 0: of a frame of a SAPI that has no such messages, or that is ciphered */
    bool is_ciphered;
    bool is_restarted; /* its N(U) is old, or far ahead: the phone's LLC may have begun again */
};

/* A context as the GGSN gives it; texts and octets may be NULL. */
struct lua_phones_given {
    const char *ipv4, *ipv6, *qclass, *pco;
    size_t pco_octets;
};

struct lua_phones_cell {
    uint32_t nsei, bvci;
    const char *mcc, *mnc;
    uint16_t lac;
    uint8_t rac;
};

/* A cell besides the configured ones; bvci 0 deletes all cells of an NSE. */
void lua_phones_cell_add(struct lua_phones *phones, const struct lua_phones_cell *cell);
void lua_phones_cell_del(struct lua_phones *phones, uint32_t nsei, uint32_t bvci);

/* A value that a reload has changed: "t3313", "t3313_retries", or "ready_timer" (0: never). */
void lua_phones_set(struct lua_phones *phones, const char *name, int64_t value);

/* Other settings: `phones` of the checked node on top of the stack of another state. */
void lua_phones_configure(struct lua_phones *phones, struct lua_State *from, int64_t now);

enum { LUA_PHONES_REFUSE = -1, LUA_PHONES_NEW = -2 };

/* A mobile of mobiles.list is about to have the IMSI: a phone that has it is forgotten. */
void lua_phones_listed(struct lua_phones *phones, const char *imsi, int64_t now);

/* Makes the object of the checked configuration on top of the stack, and pops that; none if it has no
 * `phones`. */
void lua_phones_init(struct lua_phones *phones, const struct lua_intents *intents);
void lua_phones_fini(struct lua_phones *phones);

void lua_phones_start(struct lua_phones *phones, int64_t now);

/* Judges a message of a TLLI that no worker knows: LUA_PHONES_REFUSE, LUA_PHONES_NEW, or the slot of
 * the mobile that has this TLLI, too. */
int64_t lua_phones_admit(struct lua_phones *phones, uint32_t tlli, const struct lua_phones_message *message,
                         int64_t now);

/* The mobile in this slot was made for a phone. */
void lua_phones_add(struct lua_phones *phones, uint32_t slot, uint32_t tlli,
                    const struct lua_phones_message *message, int64_t now);
/* That phone sent another frame than a message in clear. */
void lua_phones_stray(struct lua_phones *phones, uint32_t slot, bool is_ciphered, int64_t now);
void lua_phones_frame(struct lua_phones *phones, uint32_t slot, const struct lua_phones_message *message,
                      int64_t now);

/* The phone is in READY, after the intent ms_wanted or a page. */
void lua_phones_reached(struct lua_phones *phones, uint32_t slot, int64_t now);

void lua_phones_context_up(struct lua_phones *phones, uint32_t slot, uint8_t nsapi,
                           const struct lua_phones_given *given, int64_t now);
/* cause: of GTP-C; 0 no answer or one refused here, -1 lost, -2 deleted by its GGSN for good. */
void lua_phones_context_down(struct lua_phones *phones, uint32_t slot, uint8_t nsapi, int cause, int64_t now);

/* A context has that class now; cause: of GTP-C, the GGSN refused another one; 0: it did not. */
void lua_phones_context_class(struct lua_phones *phones, uint32_t slot, uint8_t nsapi, const char *qclass,
                              int cause, int64_t now);

/* Whether a context has the mode of LLC that the intent phone_pdp_llc asked for. */
void lua_phones_context_llc(struct lua_phones *phones, uint32_t slot, uint8_t nsapi, bool is_set,
                            int64_t now);

/* A context has lost acknowledged mode. */
void lua_phones_context_llc_lost(struct lua_phones *phones, uint32_t slot, uint8_t nsapi, int64_t now);

/* N-PDU numbers of a context in acknowledged mode: of the next N-PDU to the phone, and from it. */
struct lua_phones_numbers {
    uint8_t nsapi, send, receive;
};

/* The users' packets of a phone wait, after the intent ms_hold, or that has ended. */
void lua_phones_held(struct lua_phones *phones, uint32_t slot, const struct lua_phones_numbers *numbers,
                     size_t count, int64_t now);

/* The address of a name that a phone waits for, by the id of the intent dns_ask; NULL: none. */
void lua_phones_resolved(struct lua_phones *phones, uint64_t id, const char *address, int64_t now);

/* A message of another SGSN, a packed record of lua/gn/sgsns.lua. */
void lua_phones_sgsn(struct lua_phones *phones, const void *octets, size_t count, int64_t now);

/* The connection to the HLR is there, or not any longer; octets came on it. */
void lua_phones_hlr(struct lua_phones *phones, bool is_up, int64_t now);
void lua_phones_hlr_octets(struct lua_phones *phones, const void *octets, size_t count, int64_t now);

/* One line of `show subscribers`, and a counter. */
struct lua_phones_row {
    const char *imsi, *state, *contexts; /* until each() returns */
    uint32_t tlli, nsei, bvci, algorithm;
};
void lua_phones_list(const struct lua_phones *phones, void *arg,
                     void (*each)(void *arg, const struct lua_phones_row *row));

/* The HLR and whether GSUP's connection to it is up. */
struct lua_phones_hlr_state {
    const char *address; /* until each() returns */
    uint16_t port;
    bool is_up;
};
/* No call of each() without an HLR. */
void lua_phones_hlr_state(const struct lua_phones *phones, void *arg,
                          void (*each)(void *arg, const struct lua_phones_hlr_state *state));

/* The pool of SGSNs that the node is in. No call of each() without phones.pool. */
struct lua_phones_pool {
    const char *nris, *offload; /* until each() returns; offload "-": none is in progress */
    uint64_t leaving, told;     /* phones that another SGSN has, not forgotten yet; told by offloads so far */
};
void lua_phones_pool(const struct lua_phones *phones, void *arg,
                     void (*each)(void *arg, const struct lua_phones_pool *pool));
void lua_phones_counts(const struct lua_phones *phones, void *arg,
                       void (*each)(void *arg, const char *name, uint64_t count));

/* One value of what is known of a phone (lua/gmm/detail.lua). */
struct lua_phones_detail {
    const char *section, *name, *text; /* until each() returns; text NULL: a number or a truth */
    uint32_t item;                     /* in the list of the section; 0: the section is no list */
    double number;
    bool is_truth, is_whole; /* of the number */
};
void lua_phones_detail(const struct lua_phones *phones, uint32_t slot, int64_t now, void *arg,
                       void (*each)(void *arg, const struct lua_phones_detail *detail));

/* The slot of the mobile with a P-TMSI, UINT32_MAX: there is none. */
uint32_t lua_phones_of_p_tmsi(const struct lua_phones *phones, uint32_t p_tmsi);

#endif
