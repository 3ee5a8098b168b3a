/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/reload.h"
#include "control/config/lua_budget.h"
#include "control/core/core.h"
#include "control/sessions/sessions_gtpc.h"

#include "control/config/lua_config_diff.h"
#include "control/config/mobile_table.h"
#include "control/config/reader.h"
#include "control/core/core_gb.h"
#include "control/core/core_link.h"
#include "control/live/live.h"
#include "dataplane/base/moment.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void order_queues(struct core *core, unsigned worker, const struct context_policy *policy)
{
    const struct sched_params *params = &policy->sched;
    struct msg msg = {.type = MSG_QUEUE_BOUNDS};
    msg.bounds = (struct sched_bounds){.ms_limit_pkts = params->ms_limit_pkts,
                                       .budget_pkts = params->budget_pkts,
                                       .reserve_pkts = params->reserve_pkts,
                                       .flow_quantum_octets = params->flow_quantum_octets};
    core_link_order(core, worker, &msg);
    msg.type = MSG_QUEUE_CLASS;
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        msg.queue_class = (struct msg_queue_class){
            .qclass = k, .weight = params->weights[k], .limit = params->class_limits[k]};
        core_link_order(core, worker, &msg);
    }
}

static void order_times(struct core *core, unsigned worker, const struct context_policy *policy)
{
    struct msg msg = {.type = MSG_LIFETIME, .lifetime = policy->lifetime};
    core_link_order(core, worker, &msg);
    msg = (struct msg){.type = MSG_READY, .ready_ns = policy->ready_ns};
    core_link_order(core, worker, &msg);
}

/* Sends an order per MSG_MS_LIMITS slots, so that the worker can handle packets between them, up to the last
 * slot in use. */
static void order_mobiles(const struct live *live, struct core *core, unsigned worker, uint64_t octets)
{
    struct msg msg = {.type = MSG_MS_LIMIT, .ms_limit = {.count = MSG_MS_LIMITS, .octets = octets}};
    uint32_t end = live->node.config.limits.mobiles;
    while (end > 0 && !live->node.sessions.mobiles[end - 1].in_use)
        end--;
    for (; msg.ms_limit.first < end; msg.ms_limit.first += MSG_MS_LIMITS)
        core_link_order(core, worker, &msg);
}

/* A mobile during a move brings the old limit to a worker that has handled the orders above. */
static void order_moving(const struct live *live, struct core *core, uint64_t octets)
{
    struct msg msg = {.type = MSG_MS_LIMIT, .ms_limit = {.count = 1, .octets = octets}};
    for (uint32_t mobile = 0; mobile < live->node.config.limits.mobiles; mobile++) {
        msg.slot = msg.ms_limit.first = mobile;
        if (mobility_is_moving(&core->mobility, mobile))
            mobility_order_server(&core->mobility, mobile, &msg);
    }
}

static void order_reassemblies(struct core *core, unsigned worker, uint32_t count)
{
    const struct msg msg = {.type = MSG_REASSEMBLIES, .reassemblies = count};
    core_link_order(core, worker, &msg);
}

/* AQM schemes have an order of their own; the order within classes is set at the start. */
static void take_over(struct node_config *to, const struct node_config *from)
{
    struct sched_params params = from->policy.sched;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        params.aqm[k] = to->policy.sched.aqm[k];
    params.fifo_classes = to->policy.sched.fifo_classes;
    params.sfq_classes = to->policy.sched.sfq_classes;
    params.flow_tags = to->policy.sched.flow_tags;
    params.airtime = to->policy.sched.airtime;
    params.credit_octets = to->policy.sched.credit_octets;
    to->policy.sched = params;
    to->policy.lifetime = from->policy.lifetime;
    to->mobiles.ready_ns = from->mobiles.ready_ns;
    to->mobiles.queue_limit_octets = from->mobiles.queue_limit_octets;
}

/* Orders all of them at all workers, and enters them in the node's configuration. Limits above those of the
 * start, for which memory was allocated, have been rejected before. */
static void live_reload_limits_apply(struct live *live, const struct node_config *config)
{
    struct core *core = &live->node.core;
    take_over(&live->node.config, config);
    for (unsigned worker = 0; worker < core->workers; worker++) {
        struct context_policy policy = node_policy_of(&live->node.config, worker);
        order_queues(core, worker, &policy);
        order_times(core, worker, &policy);
        order_mobiles(live, core, worker, config->mobiles.queue_limit_octets);
        order_reassemblies(core, worker, config->limits.reassemblies);
    }
    order_moving(live, core, config->mobiles.queue_limit_octets);
    core_tell(core, phones_set, LUA_ARG("ready_timer"),
              LUA_ARG(node_policy_of(&live->node.config, 0).ready_ns));
    sessions_limit(&live->node.sessions, config->limits.mobiles, config->limits.contexts);
}

#define SLICE_NS    (MOMENT_SECOND / 500)
#define ROOM_NS     (10 * MOMENT_SECOND)   /* the most that places of deleted NSEs and cells are waited for */
#define PATIENCE_NS (MOMENT_SECOND / 1000) /* until the next slice, while workers do not answer */

/* --- mobiles --- */

/* An IMSI is one mobile's: a phone that has it gives way, and is refused from now on (lua/gmm/phones.lua). */
static void take_imsi(struct live *live, const char *imsi)
{
    const struct sessions *s = &live->node.sessions;
    uint32_t slot = sessions_find_mobile(s, imsi);
    if (slot == SESSIONS_NONE || !s->mobiles[slot].is_phone)
        return;
    if (live->reload.lines.stream)
        fprintf(live->reload.lines.stream,
                LIVE_RELOAD_WARNING
                "mobiles: IMSI %s: the phone that has it is forgotten, and refused when it attaches "
                "(cause 17); take the mobile out of the list to let the phone attach\n",
                imsi);
    core_tell(&live->node.core, phones_listed, LUA_ARG(imsi));
}

/* Of many mobiles some are named. */
static void tell_refused(struct live_reload *reload, const char *imsi)
{
    if (reload->refused++ < LIVE_RELOAD_REFUSED_LINES && reload->lines.stream)
        fprintf(reload->lines.stream,
                LIVE_RELOAD_WARNING
                "mobiles: IMSI %s: the mobile, or a context of it, has no slot, or its TEID is that of "
                "another one; let phones go or delete other mobiles, and take it out of the list and "
                "put it in again\n",
                imsi);
}

static void add_mobile(struct live *live, const struct lua_config_diff *diff, uint32_t number)
{
    struct node_config_mobile listed = diff->config.list[number];
    listed.cell = live_reload_gb_cell(live, diff, listed.cell);
    if (!sessions_listed_add(&live->node.sessions, &diff->config, &listed))
        tell_refused(&live->reload, listed.imsi);
    uint32_t slot = sessions_find_mobile(&live->node.sessions, listed.imsi);
    if (slot != SESSIONS_NONE)
        core_gb_ms_radio(&live->node.core, slot, diff->L, number);
    for (uint32_t k = 0; k < listed.context_count; k++)
        links_add_context(&live->links, &diff->config, &diff->config.contexts[listed.first_context + k]);
}

static void change_class(struct live *live, const struct lua_config_diff_class *class)
{
    const struct lua_config_diff *diff = &live->reload.diff;
    const struct node_config_mobile *listed = &diff->config.list[class->mobile];
    const struct node_config_context *context =
        &diff->config.contexts[listed->first_context + class->context];
    sessions_gtpc_change(&live->node.sessions, listed->imsi, context->nsapi, context->qclass);
}

/* --- other differences --- */

static void set_timer(void *arg, const char *group, const char *name, int64_t value)
{
    struct live *live = arg;
    core_tell(&live->node.core, gb_set_duration, LUA_ARG(group), LUA_ARG(name), LUA_ARG(value));
    if (strncmp(name, "t3313", strlen("t3313")) == 0)
        core_tell(&live->node.core, phones_set, LUA_ARG(name), LUA_ARG(value));
}

/* --- the thread --- */

static void end_thread(struct live *live)
{
    atomic_store(&live->reload.is_ready, true);
    wake_call(&live->wake);
}

static bool read_and_compare(struct live *live)
{
    struct live_reload *reload = &live->reload;
    reload->text = lua_config_diff_text(live->options->node);
    const struct lua_config_diff_texts texts = {live->options->node, live->text, reload->text};
    return reload->text && reader_try(&reload->reader, texts.path, reload->text) &&
           lua_config_diff_new(&reload->diff, &texts, &live->node.config) && live_reload_prepare(live);
}

static void *read_text(void *arg)
{
    struct live *live = arg;
    outlet_stderr_divert(live->reload.lines.stream);
    live->reload.is_right = read_and_compare(live);
    outlet_stderr_divert(NULL);
    end_thread(live);
    return NULL;
}

static void *release(void *arg)
{
    struct live *live = arg;
    live_reload_release(&live->reload.parts);
    lua_config_diff_free(&live->reload.diff);
    lua_config_diff_text_free(live->reload.text);
    live->reload.text = NULL;
    end_thread(live);
    return NULL;
}

/* Without a thread the control thread does the work. */
static void start_thread(struct live *live, enum live_reload_stage stage, void *(*work)(void *))
{
    live->reload.stage = stage;
    atomic_store(&live->reload.is_ready, false);
    if (pthread_create(&live->reload.thread, NULL, work, live) == 0)
        return;
    work(live);
    live->reload.thread = pthread_self();
}

static void join(struct live_reload *reload)
{
    if (!pthread_equal(reload->thread, pthread_self()))
        pthread_join(reload->thread, NULL);
}

/* --- the whole --- */

static void enter(struct live_reload *reload, enum live_reload_stage stage)
{
    reload->stage = stage;
    reload->next = reload->imsis_taken = 0;
}

static void judge(struct live *live)
{
    struct live_reload *reload = &live->reload;
    FILE *lines = reload->lines.stream;
    outlet_stderr_divert(lines);
    bool has_room = reload->is_right && live_reload_gb_has_room(live, &reload->diff);
    outlet_stderr_divert(NULL);
    reload->has_parts = has_room && live_capabilities_tell(&live->capabilities, &reload->parts.next, lines);
    if (has_room && !reload->is_trial) {
        enter(reload, LIVE_RELOAD_MARK);
        return;
    }
    if (has_room)
        live_reload_lines_tell(live);
    else if (lines)
        fputs("rejected; the previous configuration stays in force\n", lines);
    live_reload_lines_end(live, has_room           ? LIVE_RELOAD_APPLIED
                                : reload->is_right ? LIVE_RELOAD_FAILED
                                                   : LIVE_RELOAD_REFUSED);
    start_thread(live, LIVE_RELOAD_RELEASE, release);
}

/* After all orders of the reload. */
static void order_marks(struct live *live)
{
    const struct msg msg = {.type = MSG_MARK};
    live->reload.marks = live->node.core.marks + live->node.core.workers;
    core_link_order_others(&live->node.core, TEID_WORKERS, &msg);
}

static void change(struct live *live)
{
    const struct lua_config_diff *diff = &live->reload.diff;
    live_reload_gb_apply(live, diff);
    live_reload_apply_parts(live);
    if (diff->has_limits)
        live_reload_limits_apply(live, &diff->config);
    if (diff->has_timers)
        lua_config_diff_timers(diff, live, set_timer);
    enter(&live->reload, LIVE_RELOAD_ADD);
}

/* The new text is in force; the previous one is released. */
static void reload_end(struct live *live)
{
    char *previous = live->text;
    live_reload_lines_tell(live);
    live_reload_lines_end(live, LIVE_RELOAD_APPLIED);
    mobile_digest_swap(&live->node.config, &live->reload.diff.config);
    live->text = live->reload.text;
    live->reload.text = previous;
    start_thread(live, LIVE_RELOAD_RELEASE, release);
}

/* A stage of a reload: the number of its items, the work of an item, and the stage after them. */
struct stage {
    uint32_t (*count)(const struct live *live);
    void (*apply)(struct live *live, uint32_t item);
    enum live_reload_stage next;
};

static uint32_t removed_of(const struct live *live)
{
    return live->reload.diff.removed_count;
}

static uint32_t slots_of(const struct live *live)
{
    return live->reload.diff.removed_count > 0 ? live->node.config.limits.contexts : 0;
}

static uint32_t classes_of(const struct live *live)
{
    return live->reload.diff.class_count;
}

static uint32_t one(const struct live *unused_live)
{
    return 1;
}

static uint32_t added_of(const struct live *live)
{
    return live->reload.diff.added_count;
}

static void apply_mark(struct live *live, uint32_t item)
{
    sessions_listed_mark(&live->node.sessions, live->reload.diff.removed[item]);
}

static void apply_sweep(struct live *live, uint32_t item)
{
    sessions_listed_sweep(&live->node.sessions, item);
}

static void apply_class(struct live *live, uint32_t item)
{
    change_class(live, &live->reload.diff.classes[item]);
}

static uint32_t steps_of(const struct live *live)
{
    return live->reload.is_parking ? UINT32_MAX : 0;
}

static void apply_begin(struct live *live, uint32_t unused_item)
{
    live->reload.is_parking = live_reload_gb_begin(live, &live->reload.diff);
}

static void apply_park(struct live *live, uint32_t unused_item)
{
    live->reload.is_parking = live_reload_gb_park(live);
}

static void apply_change(struct live *live, uint32_t unused_item)
{
    change(live);
}

static void apply_settle(struct live *live, uint32_t unused_item)
{
    order_marks(live);
}

static bool is_settling(const struct live *live)
{
    const struct live_reload *reload = &live->reload;
    return reload->stage == LIVE_RELOAD_SETTLE && reload->next > 0 && live->node.core.marks != reload->marks;
}

/* Whether workers are about to free the slots that the next mobile needs, perhaps of a phone that gives way
 * to it, once. */
static bool await_slots(struct live *live)
{
    struct live_reload *reload = &live->reload;
    if (reload->stage != LIVE_RELOAD_ADD || reload->next >= added_of(live))
        return false;
    const struct node_config_mobile *listed = &reload->diff.config.list[reload->diff.added[reload->next]];
    if (reload->imsis_taken == reload->next) {
        reload->imsis_taken++;
        take_imsi(live, listed->imsi);
    }
    return sessions_listed_must_wait(&live->node.sessions, listed->context_count);
}

static void apply_added(struct live *live, uint32_t item)
{
    add_mobile(live, &live->reload.diff, live->reload.diff.added[item]);
}

static const struct stage stages[LIVE_RELOAD_STAGES] = {
    [LIVE_RELOAD_MARK] = {removed_of, apply_mark, LIVE_RELOAD_SWEEP},
    [LIVE_RELOAD_SWEEP] = {slots_of, apply_sweep, LIVE_RELOAD_CLASSES},
    [LIVE_RELOAD_CLASSES] = {classes_of, apply_class, LIVE_RELOAD_BEGIN},
    [LIVE_RELOAD_BEGIN] = {one, apply_begin, LIVE_RELOAD_PARK},
    [LIVE_RELOAD_PARK] = {steps_of, apply_park, LIVE_RELOAD_CHANGE},
    [LIVE_RELOAD_CHANGE] = {one, apply_change, LIVE_RELOAD_ADD},
    [LIVE_RELOAD_ADD] = {added_of, apply_added, LIVE_RELOAD_SETTLE},
    [LIVE_RELOAD_SETTLE] = {one, apply_settle, LIVE_RELOAD_RELEASE},
};

static bool is_applying(const struct live_reload *reload)
{
    return stages[reload->stage].count != NULL;
}

/* An item, or the step to the next stage. */
static void apply_next(struct live *live)
{
    struct live_reload *reload = &live->reload;
    const struct stage *stage = &stages[reload->stage];
    if (reload->next < stage->count(live))
        stage->apply(live, reload->next++);
    else if (stage->next == LIVE_RELOAD_RELEASE)
        reload_end(live);
    else
        enter(reload, stage->next);
}

/* Ends with the last item, or when the slice is full by items, orders or time. It has no item while workers
 * have not answered: on a busy machine they may get no time at all.
 * Slots without a context are no items: they cost nothing. */
static int64_t apply_slice(struct live *live, int64_t now)
{
    struct live_reload *reload = &live->reload;
    struct core *core = &live->node.core;
    uint64_t before = core->seq;
    unsigned items = 0;
    while (is_applying(reload)) {
        if (core_link_unanswered(core) >= LIVE_RELOAD_ORDERS || is_settling(live) || await_slots(live))
            return now + PATIENCE_NS;
        apply_next(live);
        items += core->seq != before || reload->stage != LIVE_RELOAD_SWEEP;
        before = core->seq;
        if (items >= LIVE_RELOAD_ITEMS || clock_counter_ns(&live->clock) - now > SLICE_NS)
            return now;
    }
    return MOMENT_NEVER;
}

/* Whether places of what an earlier reload deleted are needed, and workers are about to free them. */
static bool must_wait(const struct live *live, int64_t now)
{
    const struct live_reload *reload = &live->reload;
    return reload->is_right && now < reload->room_until && live_reload_gb_waits(live, &reload->diff);
}

int64_t live_reload_step(struct live *live, int64_t now)
{
    struct live_reload *reload = &live->reload;
    if (live_reload_is_ready(live)) {
        join(reload);
        enter(reload, reload->stage == LIVE_RELOAD_READ ? LIVE_RELOAD_ROOM : LIVE_RELOAD_IDLE);
        reload->room_until = now + ROOM_NS;
    }
    if (reload->stage == LIVE_RELOAD_ROOM && must_wait(live, now))
        return now + PATIENCE_NS;
    if (reload->stage == LIVE_RELOAD_ROOM)
        judge(live);
    live->links.now = live->node.core.now;
    return is_applying(reload) ? apply_slice(live, now) : MOMENT_NEVER;
}

bool live_reload_is_ready(const struct live *live)
{
    return (live->reload.stage == LIVE_RELOAD_READ || live->reload.stage == LIVE_RELOAD_RELEASE) &&
           atomic_load(&live->reload.is_ready);
}

void live_reload_start(struct live *live, bool is_trial)
{
    live->reload.is_trial = is_trial;
    live->reload.refused = 0;
    live_reload_lines_begin(live);
    start_thread(live, LIVE_RELOAD_READ, read_text);
}

void live_reload_stop(struct live *live)
{
    struct live_reload *reload = &live->reload;
    reader_stop(&reload->reader);
    if (reload->stage == LIVE_RELOAD_READ || reload->stage == LIVE_RELOAD_RELEASE) {
        mobile_table_stop();
        lua_budget_stop();
        join(reload);
    }
    if (reload->stage != LIVE_RELOAD_IDLE && reload->stage != LIVE_RELOAD_RELEASE) {
        lua_config_diff_free(&reload->diff);
        lua_config_diff_text_free(reload->text);
    }
    reload->stage = LIVE_RELOAD_IDLE;
}

void live_reload_free(struct live_reload *reload)
{
    live_reload_release(&reload->parts);
    if (reload->lines.stream)
        fclose(reload->lines.stream);
    free(reload->lines.text);
    reload->lines = (struct live_reload_lines){0};
}
