/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Acts of operators on single phones, NS-VCs and cells: who has asked for what, and how it ended. An act has
 * parts, each of which Lua ends by the intent acted; it is done when all parts are, and has failed when one
 * has. An act ends in any case: by its time at the latest, or when a restart of control has lost it.
 */
#ifndef CONTROL_CORE_CORE_ACTS_H
#define CONTROL_CORE_CORE_ACTS_H

#include "control/base/asker.h"
#include "control/core/core_event.h"

#include <stdbool.h>
#include <stdint.h>

#define CORE_ACTS            32
#define CORE_ACTS_KEY_CHARS  24
#define CORE_ACTS_TEXT_CHARS 320

struct core;

enum core_act_state { CORE_ACT_NONE, CORE_ACT_PENDING, CORE_ACT_DONE, CORE_ACT_FAILED, CORE_ACT_DRY };

struct core_act {
    enum core_act_state state;
    uint64_t id;
    char key[CORE_ACTS_KEY_CHARS];     /* by which the asker finds it */
    char what[CORE_ACTS_TEXT_CHARS];   /* the command */
    char result[CORE_ACTS_TEXT_CHARS]; /* as far as it is known */
    struct asker asker;
    int64_t began_ns, ends_ns; /* ends_ns: its end, or while it is pending the latest */
    unsigned left;             /* parts that have not ended */
    bool has_failed;           /* one of the others has */
    bool is_kept;              /* after a restart of control: Lua has it */
    bool is_page;              /* of the mobile in this slot; is_paged: it was in STANDBY */
    bool is_paged;
    int64_t look_ns; /* when to look at the page again */
    uint32_t slot;
};

/* The latest; invariant: pending ones are never replaced. */
struct core_acts {
    struct core_act list[CORE_ACTS];
    uint64_t count; /* so far */
};

/* A pending act with one part. NULL: all places are pending. */
struct core_act *core_acts_new(struct core *core, const char *what, const struct asker *asker);

/* Writes that it begins, and the asker, to the log. */
void core_acts_log(const struct core *core, const struct core_act *act);

/* The value of a word of an order; NULL: it has none of that name. */
const char *core_acts_word(const struct core_event_order *order, const char *name);

/* Asks Lua for its plan of an order (lua/gmm/acts.lua, lua/gb/acts.lua), which changes nothing. False: it is
 * refused. */
bool core_acts_plan(const struct core *core, const struct core_event_order *order,
                    struct core_event_plan *plan);

/* Has Lua do it, after a plan that was not refused. */
void core_acts_begin(struct core *core, struct core_act *act, const struct core_event_order *order,
                     const struct core_event_plan *plan);

/* One that was only to be told what it would send. */
void core_acts_tell(struct core *core, struct core_act *act, const char *text);

/* One part has ended; writes the end of the act to the log. */
void core_acts_end(struct core *core, struct core_act *act, bool is_done, const char *text);

/* MSG_PAGE_WANTED and MSG_MS_REACHED of that mobile. */
void core_acts_paged(struct core *core, uint32_t slot);
void core_acts_reached(struct core *core, uint32_t slot);
/* The slot is free: its next mobile answers for itself. */
void core_acts_gone(struct core *core, uint32_t slot);

/* Around the adoption of records by a restart of control: acts that Lua has lost fail. */
void core_acts_lose(struct core *core);
void core_acts_find(struct core *core);

/* Ends acts whose time is over; returns when that is to be called next. */
int64_t core_acts_step(struct core *core);

#endif
