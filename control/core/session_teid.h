/* SPDX-License-Identifier: BSD-3-Clause */
/* The TEIDs of sessions: those that gbflow allocates, which encode home worker and slot, and foreign TEIDs,
 * which control sends to all workers but the session's home. */
#ifndef CONTROL_CORE_SESSION_TEID_H
#define CONTROL_CORE_SESSION_TEID_H

#include "control/core/sessions.h"

/* Whether the session's TEID is foreign and has the form of an allocated one. */
bool session_teid_is_lookalike(const struct sessions *s, const struct session *session);

/* Whether an active session ends on this address and TEID. */
bool session_teid_is_taken(const struct sessions *s, uint32_t sgsn_ip, uint32_t teid);

/* Allocates a TEID that encodes the session's slot and home, with another generation each time the slot is
 * used. If a foreign TEID is equal by chance, the next generation is tried. */
uint32_t session_teid_give(const struct sessions *s, const struct session *session);

/* Informs the workers other than its home that the session with a foreign TEID begins or ends. */
void session_teid_tell(struct sessions *s, const struct session *session, bool is_there);

#endif
