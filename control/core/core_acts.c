/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_acts.h"

#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WHO        "control"
#define LINE_CHARS (3 * CORE_ACTS_TEXT_CHARS)
#define MARGIN_NS  (2 * MOMENT_SECOND) /* beyond the timers of a machine */

/* --- the log --- */

static void log_act(const struct core *core, const struct core_act *act, const char *how, const char *text)
{
    char line[LINE_CHARS];
    snprintf(line, sizeof(line), "act %" PRIu64 ": %s: %s%s", act->id, act->what, how, text);
    core_log_always(core, WHO, line);
}

void core_acts_log(const struct core *core, const struct core_act *act)
{
    char text[ASKER_CHARS];
    asker_name(text, &act->asker);
    log_act(core, act, "asked for ", text);
}

/* --- the list --- */

static struct core_act *place(struct core_acts *acts)
{
    struct core_act *oldest = NULL;
    for (struct core_act *act = acts->list; act < acts->list + CORE_ACTS; act++)
        if (act->state != CORE_ACT_PENDING && (!oldest || act->id < oldest->id))
            oldest = act;
    return oldest;
}

struct core_act *core_acts_new(struct core *core, const char *what, const struct asker *asker)
{
    struct core_act *act = place(&core->acts);
    if (!act)
        return NULL;
    *act = (struct core_act){.state = CORE_ACT_PENDING,
                             .id = ++core->acts.count,
                             .asker = *asker,
                             .began_ns = core->now,
                             .ends_ns = MOMENT_NEVER,
                             .left = 1};
    snprintf(act->what, sizeof(act->what), "%s", what);
    return act;
}

/* The results of the parts, in one text. */
static void add_result(struct core_act *act, const char *text)
{
    size_t used = strlen(act->result);
    snprintf(act->result + used, sizeof(act->result) - used, "%s%s", used > 0 ? "; " : "", text);
}

void core_acts_end(struct core *core, struct core_act *act, bool is_done, const char *text)
{
    add_result(act, text);
    act->has_failed |= !is_done;
    if (--act->left > 0)
        return;
    act->state = act->has_failed ? CORE_ACT_FAILED : CORE_ACT_DONE;
    act->ends_ns = core->now;
    log_act(core, act, act->has_failed ? "not done: " : "done: ", act->result);
}

void core_acts_tell(struct core *core, struct core_act *act, const char *text)
{
    add_result(act, text);
    act->state = CORE_ACT_DRY;
    act->ends_ns = core->now;
}

/* --- Lua --- */

const char *core_acts_word(const struct core_event_order *order, const char *name)
{
    for (unsigned i = 0; i < order->count; i++)
        if (strcmp(order->words[i].name, name) == 0)
            return order->words[i].value;
    return NULL;
}

static bool is_link(const struct core_event_order *order)
{
    const char *verb = core_acts_word(order, "verb");
    return strcmp(verb, "nsvc") == 0 || strcmp(verb, "bvc") == 0;
}

bool core_acts_plan(const struct core *core, const struct core_event_order *order,
                    struct core_event_plan *plan)
{
    struct lua_field words[CORE_EVENT_WORDS + 1];
    *plan = (struct core_event_plan){.text = "an error in Lua; see the log"};
    core_event_order_fields(order, words);
    if (is_link(order))
        core_read(core, gb_plan, core_event_plan_fields, plan, LUA_RECORD(words, order));
    else if (core_has(core, phones))
        core_read(core, phones_plan, core_event_plan_fields, plan, LUA_RECORD(words, order));
    else
        snprintf(
            plan->text, sizeof(plan->text),
            "this node has no phones (key `phones`); it knows mobiles of mobiles.list by its configuration "
            "alone: change that and reload");
    return plan->parts > 0;
}

void core_acts_begin(struct core *core, struct core_act *act, const struct core_event_order *order,
                     const struct core_event_plan *plan)
{
    struct lua_field words[CORE_EVENT_WORDS + 1];
    core_event_order_fields(order, words);
    act->left = plan->parts;
    act->ends_ns = core->now + plan->most_ns + MARGIN_NS;
    if (is_link(order))
        core_tell(core, gb_act, LUA_RECORD(words, order), LUA_ARG(act->id));
    else
        core_tell(core, phones_act, LUA_RECORD(words, order), LUA_ARG(act->id));
}

static struct core_act *pending_of(struct core *core, uint64_t id)
{
    for (struct core_act *act = core->acts.list; act < core->acts.list + CORE_ACTS; act++)
        if (act->state == CORE_ACT_PENDING && act->id == id)
            return act;
    return NULL;
}

void core_acts_acted(struct core *core, struct core_intent *intent)
{
    struct core_act *act = pending_of(core, intent->id);
    if (act)
        core_acts_end(core, act, intent->is_done, intent->text);
}

static bool is_page_of(const struct core_act *act, uint32_t slot)
{
    return act->state == CORE_ACT_PENDING && act->is_page && act->slot == slot;
}

void core_acts_paged(struct core *core, uint32_t slot)
{
    for (struct core_act *act = core->acts.list; act < core->acts.list + CORE_ACTS; act++)
        act->is_paged |= is_page_of(act, slot);
}

void core_acts_reached(struct core *core, uint32_t slot)
{
    for (struct core_act *act = core->acts.list; act < core->acts.list + CORE_ACTS; act++)
        if (is_page_of(act, slot))
            core_acts_end(core, act, true,
                          act->is_paged ? "the mobile has answered"
                                        : "the mobile is in READY, so no page was needed");
}

void core_acts_gone(struct core *core, uint32_t slot)
{
    for (struct core_act *act = core->acts.list; act < core->acts.list + CORE_ACTS; act++)
        if (is_page_of(act, slot))
            core_acts_end(core, act, false, "the mobile is gone");
}

/* Fails, whatever parts are left. */
static void fail(struct core *core, struct core_act *act, const char *text)
{
    act->left = 1;
    core_acts_end(core, act, false, text);
}

/* --- a restart of control --- */

void core_acts_lose(struct core *core)
{
    for (struct core_act *act = core->acts.list; act < core->acts.list + CORE_ACTS; act++)
        act->is_kept = false;
}

void core_acts_kept(struct core *core, struct core_intent *intent)
{
    struct core_act *act = pending_of(core, intent->id);
    if (act)
        act->is_kept = true;
}

void core_acts_find(struct core *core)
{
    for (struct core_act *act = core->acts.list; act < core->acts.list + CORE_ACTS; act++) {
        if (act->state != CORE_ACT_PENDING || act->is_page)
            continue;
        if (!act->is_kept)
            fail(core, act,
                 "control has restarted meanwhile and does not know the outcome; look with `gbflow show`");
        else /* the timers of its machine begin again */
            act->ends_ns += core->now - act->began_ns;
    }
}

/* --- time --- */

int64_t core_acts_step(struct core *core)
{
    int64_t next_ns = MOMENT_NEVER;
    for (struct core_act *act = core->acts.list; act < core->acts.list + CORE_ACTS; act++) {
        if (act->state == CORE_ACT_PENDING && act->ends_ns <= core->now)
            fail(core, act, "no outcome in its time; look with `gbflow show`");
        if (act->state == CORE_ACT_PENDING)
            next_ns = moment_min(next_ns, act->ends_ns);
    }
    return next_ns;
}
