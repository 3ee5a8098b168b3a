/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reload applies a changed configuration to a running node by messages to the workers. Unchanged parts are
 * not affected. A process of its own tries the text (reader.h), then a thread reads and compares it; the
 * control thread applies the differences in slices between other work, so that PDUs are answered meanwhile.
 */
#ifndef CONTROL_LIVE_RELOAD_H
#define CONTROL_LIVE_RELOAD_H

#include "control/config/lua_config_diff.h"
#include "control/config/reader.h"
#include "control/live/capabilities.h"
#include "dataplane/base/teid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct live;
struct metrics_http;
struct sched_aqm;

enum live_reload_stage {
    LIVE_RELOAD_IDLE,
    LIVE_RELOAD_READ,    /* by the thread */
    LIVE_RELOAD_ROOM,    /* until places of deleted NSEs and cells are free, if they are needed */
    LIVE_RELOAD_MARK,    /* mobiles to remove: `next` of the list */
    LIVE_RELOAD_SWEEP,   /* their contexts: `next` of the PDP slots */
    LIVE_RELOAD_CLASSES, /* contexts over GTP-C: `next` of the list */
    LIVE_RELOAD_BEGIN,   /* added NSEs and cells, in one piece */
    LIVE_RELOAD_PARK,    /* mobiles of deleted cells, while is_parking */
    LIVE_RELOAD_CHANGE,  /* the rest but mobiles, in one piece */
    LIVE_RELOAD_ADD,     /* mobiles: `next` of the list */
    LIVE_RELOAD_SETTLE,  /* until the workers have answered all orders */
    LIVE_RELOAD_RELEASE, /* memory, by the thread */
    LIVE_RELOAD_STAGES,
};

/* Most work of a slice: items of a stage, and orders to workers without an answer. An answer to a peer
 * waits behind no more orders than these. */
#define LIVE_RELOAD_ITEMS  64
#define LIVE_RELOAD_ORDERS 512

enum live_reload_result { LIVE_RELOAD_APPLIED, LIVE_RELOAD_FAILED, LIVE_RELOAD_REFUSED };

#define LIVE_RELOAD_COUNTS        12
#define LIVE_RELOAD_REFUSED_LINES 16 /* the most that name mobiles without room */
#define LIVE_RELOAD_WARNING       "warning: "

/* Lines about a reload, in the order in which they came, and the counts of the last one that was applied or
 * compared; complete at its end. */
struct live_reload_lines {
    uint32_t counts[LIVE_RELOAD_COUNTS];
    char *text;
    size_t octets;
    FILE *stream; /* of text, while lines come */
};

/* Parts that the thread of a reload makes. The parts that they replace are released by the next thread. */
struct live_reload_parts {
    struct sched_aqm *aqm[TEID_WORKERS]; /* other AQM schemes; from their exchange on, the former ones */
    struct metrics_http *metrics;        /* another server of metrics; then the former one */
    char *effective;                     /* of struct live; then the former ones */
    struct live_capabilities_next next;
};

struct live_reload {
    struct reader reader;
    enum live_reload_stage stage;
    uint32_t next;
    pthread_t thread;     /* in the stages READ and RELEASE */
    atomic_bool is_ready; /* written by the thread at its end; control joins it then */
    int64_t room_until;   /* the end of the stage ROOM */
    bool is_parking;
    bool is_right;                  /* written by the thread before is_ready */
    bool is_trial;                  /* differences are only told */
    bool is_asked;                  /* a client waits for the answer */
    bool has_parts;                 /* a capability differs, which its line says */
    uint32_t refused;               /* added mobiles without room, or not with all contexts */
    uint32_t imsis_taken;           /* added mobiles to whom a phone with their IMSI has given way */
    uint32_t marks;                 /* core->marks at the end of the stage SETTLE */
    enum live_reload_result result; /* of the last one that has ended */
    struct live_reload_lines lines; /* likewise */
    struct live_reload_parts parts;
    struct lua_config_diff diff;
    char *text; /* the new configuration */
};

/* Begins to read the configuration file again; all differences will be applied, or none if the file has an
 * error or a change that a running node cannot make. Log lines tell the result. Only while idle. */
void live_reload_start(struct live *live, bool is_trial);

/* For `gbflow reload`: the result and the lines of the last reload, the caller's; NULL: no memory. */
struct json_t *live_reload_answer(const struct live *live);

/* Does at most a slice of the work of a reload. Returns the time of the next slice, or MOMENT_NEVER while
 * there is no reload or its thread works. */
int64_t live_reload_step(struct live *live, int64_t now);

/* Whether a reload's thread has ended and waits for live_reload_step(). */
bool live_reload_is_ready(const struct live *live);

/* Ends a reload that is under way, and the process for reading. */
void live_reload_stop(struct live *live);

/* After the workers have stopped. */
void live_reload_free(struct live_reload *reload);

/* reload_lines.c. */
void live_reload_lines_begin(struct live *live);
/* The keys that differ, and counts of the changes. */
void live_reload_lines_tell(struct live *live);
void live_reload_lines_end(struct live *live, enum live_reload_result result);

/* reload_parts.c. In the thread: makes what the differences need. False, with a line on stderr: it cannot. */
bool live_reload_prepare(struct live *live);
void live_reload_release(struct live_reload_parts *parts);
/* In the control thread. */
void live_reload_apply_parts(struct live *live);

/*
 * The Gb part of a changed configuration: NSEs, cells and NS-VCs that are added, deleted or changed. NSEs are
 * identified by NSEI, cells by BVCI in their NSE. In the running node each keeps its index until it is
 * deleted; the index is used again later. An index in the new configuration may differ from that in the node.
 */

/* Whether what is added fits only once workers have confirmed the end of deleted NSEs, cells and NS-VCs. */
bool live_reload_gb_waits(const struct live *live, const struct lua_config_diff *diff);

/* Whether added and deleted entities fit the limits together, and the mobiles of deleted cells fit the tables
 * of other workers; takes the memory that live_reload_gb_apply() needs. False, with a line on stderr: they do
 * not, or there is no memory. */
bool live_reload_gb_has_room(struct live *live, const struct lua_config_diff *diff);

/* Applies the differences in two parts: what is added, and NS-VCs that go; then the rest, when
 * live_reload_gb_park() has re-homed the mobiles of deleted cells. begin is true if there are such cells.
 */
bool live_reload_gb_begin(struct live *live, const struct lua_config_diff *diff);
void live_reload_gb_apply(struct live *live, const struct lua_config_diff *diff);

/* Re-homes some of the mobiles of deleted cells, in a short time. False: that were the last ones. */
bool live_reload_gb_park(struct live *live);

/* The index in the running node of a cell (index) of the new configuration, once that is applied. */
uint16_t live_reload_gb_cell(const struct live *live, const struct lua_config_diff *diff, uint16_t cell);

#endif
