/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A restart of control in a live node (core_restart.h): a thread reads the configuration into a second Lua
 * state, while control continues; the control thread exchanges the states.
 */
#ifndef CONTROL_LIVE_RESTART_H
#define CONTROL_LIVE_RESTART_H

#include "control/core/core_restart.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct live;
struct lua_State;

enum live_restart_stage { LIVE_RESTART_IDLE, LIVE_RESTART_READ, LIVE_RESTART_RELEASE };

struct live_restart {
    enum live_restart_stage stage;
    enum core_restart_reason reason;
    pthread_t thread;            /* in the stages READ and RELEASE, if has_thread */
    bool has_thread, is_ordered; /* is_ordered: by the operator, while the former state is released */
    atomic_bool is_ready;        /* written by the thread at its end; control joins it then */
    struct lua_State *L;         /* the thread's: the next state, or the former one */
};

/* NULL: begun; else a message why not. */
const char *live_restart_begin(struct live *live, enum core_restart_reason reason);

/* Between calls of Lua: begins a restart that is due, and exchanges the states when the second one is ready.
 */
void live_restart_step(struct live *live);

/* Whether a restart's thread has ended and waits for live_restart_step(). */
bool live_restart_is_ready(const struct live *live);

/* Ends a restart that is under way. */
void live_restart_stop(struct live_restart *restart);

#endif
