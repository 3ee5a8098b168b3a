/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a file for `gbflow emulate` through lua/schema/config.lua: sandboxed, checked by lua/bss/schema.lua.
 */
#ifndef APP_EMULATE_LUA_EMULATE_H
#define APP_EMULATE_LUA_EMULATE_H

#include "app/emulate/config.h"
#include "app/emulate/phones.h"

#include <lua.h>
#include <stdbool.h>

/*
 * True: *config is filled in (free it with emulate_config_free()). False: the errors were printed to stderr,
 * a line each, and *config is empty. Warnings are printed too. *phones, where phones are configured, uses L
 * until emulate_phones_free(); else it is NULL. phones may be NULL: they are checked alone.
 */
bool lua_emulate_load(lua_State *L, const char *path, struct emulate_config *config,
                      struct emulate_phones **phones);

void emulate_phones_free(struct emulate_phones *phones);

/* The phones begin to attach, and a line of the log tells when all have a context; later calls have no
 * effect. */
void emulate_phones_start(struct emulate_phones *phones, struct log *log, int64_t now);

/* A downlink LLC-PDU. False: no phone has the TLLI. Answers are sent by the next
 * emulate_phones_step(). */
bool emulate_phones_take(struct emulate_phones *phones, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                         int64_t now);

/* Messages of the SGSN to the BSS about a phone; answers are sent by the next emulate_phones_step(). */
void emulate_phones_page(struct emulate_phones *phones, const struct bss_page *page, int64_t now);
void emulate_phones_suspended(struct emulate_phones *phones, uint32_t tlli, uint8_t reference, int64_t now);
void emulate_phones_resumed(struct emulate_phones *phones, uint32_t tlli, bool is_acknowledged, int64_t now);

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
