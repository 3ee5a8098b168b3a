/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of a session: its addresses and PDP type. */
#ifndef CONTROL_SESSIONS_SESSIONS_TEXT_H
#define CONTROL_SESSIONS_SESSIONS_TEXT_H

#include "control/sessions/sessions.h"

#include <arpa/inet.h>

/* The mobile's addresses, and its PDP type, as texts; NULL: it has none. */
const char *sessions_text_ipv4(const struct session *session, char text[INET6_ADDRSTRLEN]);
const char *sessions_text_ipv6(const struct session *session, char text[INET6_ADDRSTRLEN]);
const char *sessions_text_pdp_type(const struct session *session);

#endif
