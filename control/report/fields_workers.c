/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/fields_workers.h"

#include "control/report/fields.h"
#include "control/report/totals.h"

static json_t *npdu(const struct worker *worker)
{
    struct totals t = totals_of(worker);
    json_t *object = json_object();
    fields_put_count(object, "in", t.in);
    fields_put_count(object, "joined", t.joined);
    fields_put_count(object, "out", t.out);
    fields_put_count(object, "dropped", t.dropped);
    fields_put_count(object, "queued", t.queued);
    fields_put_count(object, "left", t.left);
    return object;
}

static json_t *frames(uint64_t received, uint64_t steered_out, uint64_t steered_in)
{
    json_t *object = json_object();
    fields_put_count(object, "received", received);
    fields_put_count(object, "steered_out", steered_out);
    fields_put_count(object, "steered_in", steered_in);
    return object;
}

static json_t *worker_of(const struct worker *worker)
{
    const struct worker_stats *w = &worker->stats;
    json_t *object = json_object();
    fields_put(object, "npdu", npdu(worker));
    fields_put(object, "gn", frames(w->gn_frames, w->gn_steered_out, w->gn_steered_in));
    fields_put(object, "gb", frames(w->gb_frames, w->gb_steered_out, w->gb_steered_in));
    fields_put_count(object, "llc_frames", w->llc_frames);
    return object;
}

static json_t *mobility_of(const struct mobility *m)
{
    json_t *object = json_object();
    fields_put_count(object, "moved", m->moved);
    fields_put_count(object, "refused", m->refused);
    fields_put_count(object, "frames_kept", m->frames_kept);
    fields_put_count(object, "frames_dropped", m->frames_dropped);
    fields_put_count(object, "strangers", m->strangers);
    return object;
}

void fields_workers_put(json_t *object, const struct node *node)
{
    json_t *list = json_array();
    if (node->worker_count <= 1) {
        json_decref(list);
        return;
    }
    for (unsigned i = 0; i < node->worker_count; i++)
        json_array_append_new(list, worker_of(node->workers[i]));
    fields_put(object, "workers", list);
    fields_put(object, "mobility", mobility_of(&node->core.mobility));
}
