/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic models. A kind of traffic is one struct app_ops, in one file, and one row of traffic.def. Reading a
 * scenario, starting and ending, the text report, summary.json and series.csv ask the struct: none of them
 * knows a kind by its name.
 *
 * A model acts by the timers and sockets of its hosts (sim/host.h), which call it when something is due.
 */
#ifndef APP_RUN_TRAFFIC_H
#define APP_RUN_TRAFFIC_H

#include "app/run/page_times.h"
#include "app/run/run.h"
#include "control/lua/lua_fields.h"
#include "control/report/field.h"

#define APP_OPS_ROWS 4 /* of results and of series, the end included */

struct app_ops {
    const char *name; /* of the kind, its key in a scenario: "ping" */

    /* Keys of its own and the members of its settings that they are read into; NULL: it has none. All kinds
     * have start, stop, content and what a transport has: members of struct scenario_config_traffic. */
    const struct lua_field *settings;
    size_t settings_octets;

    bool has_trace;  /* its packets stand in a file: the keys `file`, `to` and `every` */
    bool has_script; /* its exchanges stand in a file: the key `file` */
    bool is_probe;   /* it measures: a mobile with nothing else has no load to share (fairness) */
    bool is_up;      /* the mobile sends the payload that its connection counts */
    bool has_many;   /* connections in an item, which series number */

    /* Length of its longest IP packet; NULL: that of its transport. */
    uint32_t (*packet_octets)(const struct scenario_config_traffic *item);

    /* Returns the model of an item, which begins by itself at the item's time; its hosts outlive it. NULL:
     * out of memory, or no room on a host. end() frees it, and hosts make no step afterwards. */
    void *(*start)(struct run_app *app);
    void (*end)(const struct run_app *app);

    void (*print)(const struct run_app *app); /* its line of the text report */

    /* Each of these may be NULL: the kind has no such thing. */
    bool (*record)(const struct run_app *app, struct app_record_tcp *out); /* of all its connections, false:
                                                                              before its start */
    /* Pages begun after the warm-up, until their last octet or their first object; without it their ages at
     * the end of the run. */
    void (*add_pages)(const struct run_app *app, enum page_end end, struct page_times *times);
    /* Round-trip times of the probes that were answered. Returns how many were sent. */
    uint32_t (*add_pings)(const struct run_app *app, struct samples *rtts);
    /* Answer times of the requests begun after the warm-up that were answered. Returns how many were sent. */
    uint32_t (*add_answers)(const struct run_app *app, struct samples *times);
    void (*put)(const struct run_app *app, struct field_sink *sink); /* its records of `results` */

    /* Rows of summary.json, whose record is a struct summary, and of series.csv; an empty row ends them. */
    struct field results[APP_OPS_ROWS], series[APP_OPS_ROWS];
};

#define TRAFFIC(kind, file) extern const struct app_ops traffic_##kind;
#include "app/run/traffic.def"
#undef TRAFFIC

#define TRAFFIC_FIRST_PORT 8000

/* The port of an item at the server, and at its mobile's host: one for each item of a mobile. */
static inline uint16_t traffic_port(const struct run_app *app)
{
    return (uint16_t)(TRAFFIC_FIRST_PORT + app->number);
}

/* The stream of random numbers of an item. */
static inline uint64_t traffic_stream(const struct run_app *app)
{
    return (uint64_t)(app - app->mobile->run->apps);
}

/* Calls ops->put() of each item of kinds with this put(), in the scenario's order: of a list of results. */
static inline void traffic_put_all(const struct scenario_run *r, struct field_sink *sink,
                                   void (*put)(const struct run_app *app, struct field_sink *sink))
{
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++)
        if (r->apps[i].config->ops->put == put)
            put(&r->apps[i], sink);
}

#endif
