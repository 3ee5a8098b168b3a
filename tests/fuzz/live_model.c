/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/live_model.h"

#include <string.h>

struct live_model_row live_model_rows[LIVE_MODEL_ROWS];
unsigned live_model_row_count;
struct live live_model;
sem_t live_model_wakes;

static void each_row(const void *unused_live, struct field_sink *sink)
{
    for (unsigned i = 0; i < live_model_row_count; i++)
        field_put(sink, NULL, &live_model_rows[i]);
}

static const struct field row_fields[] = {
    FIELD(struct live_model_row, COUNTER, "number", "", number, "A number."),
    FIELD(struct live_model_row, LABEL, "text", "", text, "A text."),
    FIELD_END,
};
static const struct field tables[] = {
    FIELD_INSIDE(LIST, "rows", 0, row_fields, "A table.", .each = each_row),
    FIELD_END,
};

static const char *start_capture(void *live, const char *parameters)
{
    return live_capture_start(live, parameters);
}

static const char *stop_capture(void *live, const char *unused_parameters)
{
    live_capture_stop(live);
    return NULL;
}

static const struct telemetry_order orders[] = {
    {.name = "capture_start", .what = "Starts a capture.", .act = start_capture},
    {.name = "capture_stop", .what = "Stops the capture.", .act = stop_capture},
    {.name = NULL},
};

/* No socket: a harness sends nothing. */
const char *live_capture_udp_open(struct live_capture_udp *udp, const char *text)
{
    udp->is_on = text[strlen(LIVE_CAPTURE_UDP_PREFIX)] != '\0';
    return udp->is_on ? NULL : "no address";
}

void live_capture_udp_close(struct live_capture_udp *udp)
{
    udp->is_on = false;
}

bool live_capture_udp_send(const struct live_capture_udp *udp, const struct tap_record *record)
{
    return udp->is_on && record->kept_octets > 0;
}

static void wake(void *unused_arg)
{
    sem_post(&live_model_wakes);
}

const struct telemetry_source live_model_source = {
    .tables = tables, .record = &live_model, .orders = orders, .wake = wake};
