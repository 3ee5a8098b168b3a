/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/acts.h"

#include "control/base/asker.h"
#include "control/core/core.h"
#include "control/core/core_acts.h"
#include "control/live/live.h"
#include "control/live/tables.h"
#include "control/report/field.h"
#include "control/sessions/sessions.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/msg.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define WORDS_CHARS  512
#define REFUSE_CHARS 512
#define PAGE_LOOK_NS (MOMENT_SECOND / 10)
#define WORKER_NS    (2 * MOMENT_SECOND) /* in which a worker tells whether a mobile is in READY */

/* --- the words of an order --- */

struct request {
    char text[WORDS_CHARS]; /* of the words */
    struct core_event_order order;
};

static bool is_word(const char *text)
{
    static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    return text[0] && text[strspn(text, good)] == '\0';
}

/* The words of each verb: those that it needs, and those that it may have. */
static const struct {
    const char *verb, *needs, *takes;
} verbs[] = {
    {"page", "imsi", ""},
    {"detach", "imsi", "reattach"},
    {"deactivate", "imsi", "nsapi"},
    {"forget", "imsi", ""},
    {"nsvc", "nsvci act", "nsei"},
    {"bvc", "bvci act", "nsei"},
    {"offload", "", "phones to now stop"},
    {"drain", "", ""},
};

/* Whether a list of words, parted by blanks, has one. */
static bool has_name(const char *list, const char *name)
{
    size_t chars = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == chars && strncmp(at, name, chars) == 0)
            return true;
    return false;
}

static bool is_right(const struct core_event_order *order, const char *name, const char *value,
                     const char *takes)
{
    if (has_name("imsi nsapi nsvci bvci nsei phones to", name) && value[strspn(value, "0123456789")])
        return false;
    return strlen(value) < CORE_ACTS_KEY_CHARS && core_acts_word(order, name) == value &&
           (has_name("key verb dry", name) || has_name(takes, name));
}

/* Each word once, those of the verb and no other, numbers in decimal digits. */
static bool has_right_words(const struct core_event_order *order)
{
    const char *verb = core_acts_word(order, "verb");
    char takes[WORDS_CHARS];
    unsigned missing = 0;
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(verbs[i].verb, verb) != 0)
            continue;
        snprintf(takes, sizeof(takes), "%s %s", verbs[i].needs, verbs[i].takes);
        for (unsigned k = 0; k < order->count; k++)
            if (!is_right(order, order->words[k].name, order->words[k].value, takes))
                return false;
        for (const char *at = verbs[i].needs; *at; at += strcspn(at, " "), at += *at == ' ') {
            char name[CORE_ACTS_KEY_CHARS];
            snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, " "), at);
            missing += core_acts_word(order, name) == NULL;
        }
        return missing == 0;
    }
    return false;
}

/* False: the parameters are no list of NAME=VALUE with a key, a verb and its words. */
static bool live_acts_read(struct request *request, const char *parameters)
{
    struct core_event_order *order = &request->order;
    char *rest = NULL;
    order->count = 0;
    if (!parameters || snprintf(request->text, WORDS_CHARS, "%s", parameters) >= WORDS_CHARS)
        return false;
    for (char *word = strtok_r(request->text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(word, '=');
        if (!value || order->count == CORE_EVENT_WORDS)
            return false;
        *value++ = '\0';
        if (!is_word(word) || !is_word(value))
            return false;
        order->words[order->count].name = word;
        order->words[order->count++].value = value;
    }
    return core_acts_word(order, "key") && core_acts_word(order, "verb") && has_right_words(order);
}

/* The command in words. */
static void name_it(char out[CORE_ACTS_TEXT_CHARS], const struct core_event_order *order)
{
    int used = snprintf(out, CORE_ACTS_TEXT_CHARS, "%s", core_acts_word(order, "verb"));
    for (unsigned i = 0; i < order->count && used < CORE_ACTS_TEXT_CHARS; i++) {
        const char *name = order->words[i].name;
        if (strcmp(name, "key") != 0 && strcmp(name, "verb") != 0 && strcmp(name, "dry") != 0)
            used += snprintf(out + used, CORE_ACTS_TEXT_CHARS - (size_t)used, " %s=%s", name,
                             order->words[i].value);
    }
}

/* --- paging (TS 24.008 clause 4.7.9.1) --- */

static bool is_being_paged(const struct core_acts *acts, uint32_t slot)
{
    for (const struct core_act *act = acts->list; act < acts->list + CORE_ACTS; act++)
        if (act->state == CORE_ACT_PENDING && act->is_page && act->slot == slot)
            return true;
    return false;
}

static bool plan_page(const struct live *live, const struct core_event_order *order,
                      struct core_event_plan *plan)
{
    const struct sessions *s = &live->node.sessions;
    const char *imsi = core_acts_word(order, "imsi");
    uint32_t slot = imsi ? sessions_find_mobile(s, imsi) : SESSIONS_NONE;
    struct core_event_ms ms = {0};
    bool is_there = slot != SESSIONS_NONE &&
                    core_read(&live->node.core, gb_ms_state, core_event_ms_fields, &ms, LUA_ARG(slot));
    bool is_paged = is_there && is_being_paged(&live->node.core.acts, slot);
    *plan = (struct core_event_plan){.parts = is_there && !ms.is_suspended && !is_paged};
    if (!is_there)
        snprintf(plan->text, sizeof(plan->text),
                 "IMSI %s: no mobile has it; `gbflow show ms` lists the mobiles", imsi ? imsi : "");
    else if (is_paged)
        snprintf(plan->text, sizeof(plan->text),
                 "IMSI %s: an act pages it already; `gbflow show acts` shows it", imsi);
    else if (ms.is_suspended)
        snprintf(plan->text, sizeof(plan->text),
                 "IMSI %s: it is suspended, as in a call; page it when it has resumed", imsi);
    else
        snprintf(plan->text, sizeof(plan->text), "%s",
                 show_state_is_standby(live, slot) ? "PAGING-PS: the mobile is in STANDBY"
                                                   : "nothing: the mobile is in READY, so no page is needed");
    return plan->parts > 0;
}

static void begin_page(struct live *live, const struct core_event_order *order, struct core_act *act)
{
    act->is_page = true;
    act->slot = sessions_find_mobile(&live->node.sessions, core_acts_word(order, "imsi"));
    core_order(&live->node.core, &(struct msg){.type = MSG_MS_WANTED, .slot = act->slot});
}

/* A page ends by MSG_MS_REACHED, or by the end of its machine in Lua. */
static void look_at_page(struct live *live, struct core_act *act)
{
    struct core *core = &live->node.core;
    struct core_event_ms ms;
    if (!core_read(core, gb_ms_state, core_event_ms_fields, &ms, LUA_ARG(act->slot)))
        core_acts_end(core, act, false, "the mobile is gone");
    else if (act->is_paged && !ms.is_paged)
        core_acts_end(core, act, false,
                      "no answer to PAGING-PS and its repetitions (timers.bssgp.t3313, t3313_retries)");
    else if (!ms.is_paged && core->now - act->began_ns >= WORKER_NS)
        core_acts_end(core, act, false, "its worker has not told whether it is in READY; try again");
    else
        act->is_paged = ms.is_paged;
}

static int64_t step_pages(struct live *live)
{
    struct core *core = &live->node.core;
    bool has_page = false;
    for (struct core_act *act = core->acts.list; act < core->acts.list + CORE_ACTS; act++) {
        if (act->state == CORE_ACT_PENDING && act->is_page && core->now >= act->look_ns) {
            act->look_ns = core->now + PAGE_LOOK_NS;
            look_at_page(live, act);
        }
        has_page |= act->state == CORE_ACT_PENDING && act->is_page;
    }
    return has_page ? core->now + PAGE_LOOK_NS : MOMENT_NEVER;
}

int64_t live_acts_step(struct live *live)
{
    int64_t next_ns = step_pages(live);
    return moment_min(next_ns, core_acts_step(&live->node.core));
}

/* --- orders --- */

static bool is_page(const struct core_event_order *order)
{
    return strcmp(core_acts_word(order, "verb"), "page") == 0;
}

static void begin_it(struct live *live, const struct core_event_order *order,
                     const struct core_event_plan *plan, struct core_act *act)
{
    core_acts_log(&live->node.core, act);
    if (is_page(order))
        begin_page(live, order, act);
    else
        core_acts_begin(&live->node.core, act, order, plan);
}

static bool has_key(const struct core_acts *acts, const char *key)
{
    for (const struct core_act *act = acts->list; act < acts->list + CORE_ACTS; act++)
        if (act->state != CORE_ACT_NONE && strcmp(act->key, key) == 0)
            return true;
    return false;
}

const char *live_acts_take(void *record, const char *parameters, const struct asker *asker)
{
    static char refusal[REFUSE_CHARS];
    struct live *live = record;
    struct request request;
    struct core_event_plan plan;
    char what[CORE_ACTS_TEXT_CHARS];
    if (!live_acts_read(&request, parameters))
        return "parameters: not key=KEY,verb=VERB,NAME=VALUE... with the words of the verb, each once, "
               "numbers in digits";
    if (has_key(&live->node.core.acts, core_acts_word(&request.order, "key")))
        return "key: another act has it; choose a new one";
    if (!(is_page(&request.order) ? plan_page(live, &request.order, &plan)
                                  : core_acts_plan(&live->node.core, &request.order, &plan))) {
        snprintf(refusal, sizeof(refusal), "%s", plan.text);
        return refusal;
    }
    name_it(what, &request.order);
    struct core_act *act = core_acts_new(&live->node.core, what, asker);
    if (!act)
        return "too many acts are in progress; `gbflow show acts` lists them: try again when one has ended";
    snprintf(act->key, sizeof(act->key), "%s", core_acts_word(&request.order, "key"));
    if (core_acts_word(&request.order, "dry"))
        core_acts_tell(&live->node.core, act, plan.text);
    else
        begin_it(live, &request.order, &plan, act);
    return NULL;
}

/* --- what there is to show --- */

static const char *const act_states[] = {[CORE_ACT_PENDING] = "pending",
                                         [CORE_ACT_DONE] = "done",
                                         [CORE_ACT_FAILED] = "failed",
                                         [CORE_ACT_DRY] = "dry run"};

json_t *live_acts_tell(void *record, const char *parameters)
{
    const struct core_acts *acts = &((const struct live *)record)->node.core.acts;
    for (const struct core_act *act = acts->list; act < acts->list + CORE_ACTS; act++)
        if (act->state != CORE_ACT_NONE && parameters && strcmp(act->key, parameters) == 0)
            return json_pack("{s:s, s:s}", "state", act_states[act->state], "result", act->result);
    return json_object();
}

struct row {
    uint64_t id, uid, pid;
    const char *what, *state, *result;
    double age_s, took_s;
};

static struct row row_of(const struct core_act *act, int64_t now)
{
    int64_t end_ns = act->state == CORE_ACT_PENDING ? now : act->ends_ns;
    return (struct row){
        .id = act->id,
        .uid = act->asker.is_known ? act->asker.uid : FIELD_NONE,
        .pid = act->asker.is_known ? act->asker.pid : FIELD_NONE,
        .what = act->what,
        .state = act_states[act->state],
        .result = act->result,
        .age_s = (double)(now - act->began_ns) / MOMENT_SECOND,
        .took_s = (double)(end_ns - act->began_ns) / MOMENT_SECOND,
    };
}

static void each_act(const void *record, struct field_sink *sink)
{
    const struct core *core = &((const struct live *)record)->node.core;
    for (uint64_t i = 0; i < CORE_ACTS; i++) {
        const struct core_act *act = &core->acts.list[i];
        if (act->state == CORE_ACT_NONE || !field_wants(sink))
            continue;
        struct row row = row_of(act, core->now);
        field_put(sink, NULL, &row);
    }
}

static const struct field acts_rows[] = {
    FIELD(struct row, LABEL, "id", "", id, "Number of the act, as in the log."),
    FIELD(struct row, LABEL, "act", "", what, "The command and what it was about."),
    FIELD(struct row, LABEL, "state", "", state,
          "pending, done, failed, or dry run: it was only told what it would send."),
    FIELD(struct row, GAUGE, "age_s", "seconds", age_s, "Time since it began."),
    FIELD(struct row, GAUGE, "took_s", "seconds", took_s, "How long it took, or has taken so far."),
    FIELD(struct row, LABEL, "uid", "", uid, "User who asked for it, - at DPDK's socket."),
    FIELD(struct row, LABEL, "pid", "", pid, "Process that asked for it."),
    FIELD(struct row, LABEL, "result", "", result,
          "How it has ended, cut to 120 octets; of a dry run, what would be sent."),
    FIELD_END,
};

const struct field live_acts_tables[] = {
    SHOW_TABLE("acts", each_act, acts_rows, "The latest acts of operators on phones, NS-VCs and cells."),
    FIELD_END,
};
