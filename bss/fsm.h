/* SPDX-License-Identifier: BSD-3-Clause */
/* A state machine as a table, with one timer. state x event -> action, next state; an event without a row is
 * counted. For the files of this folder alone. */
#ifndef BSS_FSM_H
#define BSS_FSM_H

#include <stdbool.h>
#include <stdint.h>

struct bss;

/* Events of the machine's own timer; its other events follow. */
enum { BSS_FSM_TIMEOUT, BSS_FSM_GAVE_UP };

enum { BSS_FSM_ENDLESS = -1 };

typedef void bss_fsm_action(struct bss *bss, void *self, int64_t now);

/* The next state is entered before the action runs: an action may raise another event. */
struct bss_fsm_row {
    bss_fsm_action *action;
    uint8_t next;
};

struct bss_fsm {
    const struct bss_fsm_row *rows; /* [state * events + event] */
    void *self;
    uint8_t events, state;
    int retries;    /* timeouts left before giving up, or BSS_FSM_ENDLESS */
    int64_t due_ns; /* INT64_MAX: not running */
};

/** Sets a machine to state 0 with its timer stopped. */
void bss_fsm_init(struct bss_fsm *fsm, const struct bss_fsm_row *rows, uint8_t events, void *self);

/** Handles an event; counts it in bss_stats.unexpected when the state has no row for it. */
void bss_fsm_event(struct bss *bss, struct bss_fsm *fsm, unsigned event, int64_t now);

/** Starts the timer: `retries` timeouts, then one give-up. */
void bss_fsm_start(struct bss *bss, struct bss_fsm *fsm, int64_t due_ns, int retries);

/** Restarts the timer and keeps the retries left. */
void bss_fsm_again(struct bss *bss, struct bss_fsm *fsm, int64_t due_ns);

/** Stops the timer. */
void bss_fsm_stop(struct bss_fsm *fsm);

/** Raises the timer's event if it is due. Returns whether it was. */
bool bss_fsm_expire(struct bss *bss, struct bss_fsm *fsm, int64_t now);

/** The action of an event that changes nothing. */
void bss_fsm_ignore(struct bss *bss, void *self, int64_t now);

#endif
