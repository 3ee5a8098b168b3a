/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phones in the control core: passes LLC SAPI 1 between workers and Lua (lua/gmm), and what Lua decides to
 * sessions. A phone is a mobile of sessions from its first message on, so that its worker numbers, checks and
 * ciphers its frames. Only a live node with `phones` in its configuration has them; else these functions have
 * no effect.
 */
#ifndef CONTROL_CORE_CORE_PHONES_H
#define CONTROL_CORE_CORE_PHONES_H

#include "control/core/core.h"

/* The checked configuration is on top of the Lua stack and stays there. */
void core_phones_init(struct core *core);
void core_phones_fini(struct core *core);
void core_phones_start(struct core *core);

/* MSG_UNKNOWN_TLLI of a TLLI that no mobile has. True: it begins the signalling of a phone, and the frame
 * goes back to the worker, or is dropped and counted; takes its buffer over. */
bool core_phones_admit(struct core *core, const struct msg *msg);

/* MSG_PUNT_LLC. True: it was a message of a phone on SAPI 1; takes its buffer over. */
bool core_phones_punt(struct core *core, const struct msg *msg);

/* A phone's context is active, or over (lua_phones.h). */
void core_phones_up(struct core *core, uint32_t slot, uint8_t nsapi, const struct core_given *given);
void core_phones_down(struct core *core, uint32_t slot, uint8_t nsapi, int cause);

/* The connection to the HLR. */
void core_phones_hlr(struct core *core, bool is_up);
void core_phones_hlr_octets(struct core *core, const void *octets, size_t count);

#endif
