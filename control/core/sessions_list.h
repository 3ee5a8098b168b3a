/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The places of sessions, for the sessions*.c files only, and an index of the active ones by the GGSN's end
 * of their tunnels. A run and a replay keep ended sessions for their reports. A live node uses the place of
 * an ended session for the next one of its PDP slot, so it has limits.contexts places at most.
 *
 * Invariant: a session is in the list of its bucket while it is active.
 */
#ifndef CONTROL_CORE_SESSIONS_LIST_H
#define CONTROL_CORE_SESSIONS_LIST_H

#include "control/core/sessions.h"

/* False: out of memory; sessions_list_free() must be called in either case. */
bool sessions_list_new(struct sessions *s, uint32_t contexts);
void sessions_list_free(struct sessions *s);

/* A place for the next session of a PDP slot that is free; NULL: out of memory. */
struct session *sessions_list_take(struct sessions *s, uint32_t pdp);

/* A session begins; it ends. Its GGSN's address and TEID do not change meanwhile. */
void sessions_list_enter(struct sessions *s, struct session *session);
void sessions_list_leave(struct sessions *s, const struct session *session);

#endif
