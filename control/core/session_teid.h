/* SPDX-License-Identifier: BSD-3-Clause */
/* The TEIDs of sessions: those that say where a context lies, and those that others chose, which control has
 * to tell to all workers but the context's own. */
#ifndef CONTROL_CORE_SESSION_TEID_H
#define CONTROL_CORE_SESSION_TEID_H

#include "control/core/sessions.h"

/* Whether a TEID that somebody else chose could be one of ours. */
bool session_teid_is_lookalike(const struct sessions *s, const struct session *session);

/* Whether an active session ends on this address and TEID. */
bool session_teid_is_taken(const struct sessions *s, uint32_t sgsn_ip, uint32_t teid);

/* One that leads to the session's slot at its home, with another generation each time the slot is used. What
 * others chose may look like it by chance: then the next generation is tried. */
uint32_t session_teid_give(const struct sessions *s, const struct session *session);

/* The session begins, or ends: tells the workers that do not have it. */
void session_teid_tell(struct sessions *s, const struct session *session, bool is_there);

#endif
