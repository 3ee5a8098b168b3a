/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/tables.h"

#include "control/base/utf8.h"
#include "control/live/acts.h"
#include "control/live/live.h"
#include "control/live/restart.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define LIVE_CAPABILITY(name) extern const struct field name##_show_tables[];
#include "control/live/capabilities.def"
#undef LIVE_CAPABILITY

const struct field live_tables[] = {
    FIELD_ROWS(0, show_node_tables),
    FIELD_ROWS(0, show_gb_tables),
    FIELD_ROWS(0, show_flows_tables),
    FIELD_ROWS(0, show_sessions_tables),
    FIELD_ROWS(0, show_compression_tables),
    FIELD_ROWS(0, show_workers_tables),
    FIELD_ROWS(0, show_links_tables),
#define LIVE_CAPABILITY(name)                                                                                \
    FIELD_ROWS(offsetof(struct live, capabilities.states) + LIVE_CAPABILITY_##name * sizeof(void *),         \
               name##_show_tables),
#include "control/live/capabilities.def"
#undef LIVE_CAPABILITY
    FIELD_ROWS(0, show_log_tables),
    FIELD_ROWS(0, live_acts_tables),
    FIELD_END,
};

/* --- orders --- */

static const char *stop_capture(void *record, const char *unused_parameters)
{
    struct live *live = record;
    bool is_on = live->capture.is_on;
    (void)unused_parameters;
    live_capture_stop(live);
    return is_on ? NULL : "no capture is running";
}

static const char *restart_control(void *record, const char *unused_parameters)
{
    return live_restart_begin(record, CORE_RESTART_ORDER);
}

/* For one client at a time: its answer is that of its own reload or comparison. */
static bool is_reload_pending(const void *record)
{
    const struct live *live = record;
    const struct live_reload *reload = &live->reload;
    bool is_over = reload->stage == LIVE_RELOAD_IDLE || reload->stage == LIVE_RELOAD_RELEASE;
    return live->is_reload_due || live->is_trial_due || (reload->is_asked && !is_over);
}

/* With the parameter "compare" the differences are only told. One that SIGHUP has begun is waited for. */
static const char *reload(void *record, const char *parameters)
{
    struct live *live = record;
    bool is_trial = parameters && strcmp(parameters, "compare") == 0;
    if (parameters && parameters[0] && !is_trial)
        return "parameter: compare, or none";
    if (live->restart.stage != LIVE_RESTART_IDLE)
        return "a restart of control is in progress; try again when it has ended";
    if (is_reload_pending(live))
        return "a reload or a comparison of another client is in progress; try again when it has ended";
    *(is_trial ? &live->is_trial_due : &live->is_reload_due) = true;
    return NULL;
}

static const char *find_file(void *unused_record, const char *unused_parameters)
{
    return NULL;
}

/* The name of the configuration file for a client in another folder. */
static struct json_t *answer_file(const void *record)
{
    const struct live *live = record;
    char path[PATH_MAX];
    return json_pack("{s:o}", "file",
                     utf8_json(realpath(live->options->node, path) ? path : live->options->node));
}

static struct json_t *answer_reload(const void *record)
{
    return live_reload_answer(record);
}

static const char *start_capture(void *record, const char *parameters)
{
    return live_capture_start(record, parameters);
}

static bool is_capture_pending(const void *record)
{
    return live_capture_is_pending(record);
}

const struct telemetry_order live_tables_orders[] = {
    {.name = "restart_control",
     .what = "Restarts control, while the workers forward",
     .act = restart_control},
    {.name = "reload",
     .what = "Reads the configuration again and applies what differs. Parameter: compare",
     .act = reload,
     .is_pending = is_reload_pending,
     .answer = answer_reload},
    {.name = "config_file",
     .what = "The name of the configuration file",
     .act = find_file,
     .is_read_only = true,
     .answer = answer_file},
    {.name = "capture_start",
     .what = "Starts a capture. Parameters: TLLI,BVCI,COUNT,FILE",
     .act = start_capture},
    {.name = "capture_stop",
     .what = "Stops the capture",
     .act = stop_capture,
     .is_pending = is_capture_pending},
    {.name = "log_levels",
     .what = "Sets levels of the log. Parameters: LEVEL or CATEGORY=LEVEL,...",
     .act_for = show_log_set},
    {.name = "log_follow", .follow = show_log_follow, .leave = show_log_leave},
    {.name = "act",
     .what = "Acts on a phone, NS-VC or cell. Parameters: key=KEY,verb=VERB,...",
     .act_for = live_acts_take},
    {.name = "subscriber",
     .what = "Tells all of one subscriber. Parameter: its IMSI, TLLI, P-TMSI or address",
     .tell = show_subscriber_tell},
    {.name = "acted", .what = "Tells the state of an act. Parameter: its key", .tell = live_acts_tell},
    {.name = NULL},
};
