/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions over a ring that no worker reads: what they order shows as words. */
#ifndef TESTS_UNIT_CONTROL_SESSIONS_SESSION_RIG_H
#define TESTS_UNIT_CONTROL_SESSIONS_SESSION_RIG_H

#include "control/sessions/sessions.h"
#include "tests/unit/unit.h"

#include <stdint.h>

#define RIG_MOBILES  3
#define RIG_CONTEXTS 6
#define RIG_WORDS    512

struct session_rig {
    struct node_config config;
    struct msg_rings rings;
    struct core core;
    struct sessions sessions;
    struct msg last_ms, last_pdp, last_cipher, last_pm, last_elements; /* as last ordered */
    char words[RIG_WORDS];
};

/* Group set-up: DPDK, once in a process. */
int session_rig_start(void **state);

/* Three mobiles and six contexts at most, learned ones in cells 4 and 9 in turn. */
void session_rig_open(struct session_rig *rig);
void session_rig_close(struct session_rig *rig);

/*
 * What was ordered since the last call: "ms+1" a mobile in slot 1 made, "pdp-0" the context in slot 0
 * deleted, and so on, in order.
 */
const char *session_rig_said(struct session_rig *rig);

/* A tunnel with this TEID on 10.0.0.1, to TEID + 1000 on 10.0.0.2. */
struct session session_rig_tunnel(uint32_t teid, uint8_t nsapi);

#endif
