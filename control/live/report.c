/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/report.h"

#include "control/report/aqm_fields.h"
#include "control/report/fields.h"
#include "control/report/fields_workers.h"
#include "control/report/totals.h"
#include "dataplane/base/moment.h"

#include <stdio.h>

static void print_drops(const char *where, const uint64_t *drops)
{
    const char *colon = ": ";
    printf("%s dropped", where);
    for (int i = DROP_NONE + 1; i < DROP_COUNT; i++) {
        if (drops[i] == 0)
            continue;
        printf("%s%s %lu", colon, drop_name((enum drop)i), (unsigned long)drops[i]);
        colon = ", ";
    }
    printf("%s\n", *colon == ':' ? ": nothing" : "");
}

void live_report_print(const struct live *live)
{
    const struct node *node = &live->node;
    const struct worker_stats w = totals_stats(node->workers, node->worker_count);
    struct totals t = totals_of_all(node->workers, node->worker_count);

    printf("downlink N-PDUs: in %lu = out %lu + dropped %lu + queued %lu%s\n", (unsigned long)t.in,
           (unsigned long)t.out, (unsigned long)t.dropped, (unsigned long)t.queued,
           t.is_conserved ? "" : " (not accounted for: a defect)");
    printf("uplink N-PDUs: %lu in %lu segments\n", (unsigned long)w.ul_npdu_out,
           (unsigned long)w.ul_segments);
    printf("Gn: %lu frames; Gb: %lu frames, %lu LLC frames sent, %lu NS PDUs to control\n",
           (unsigned long)w.gn_frames, (unsigned long)w.gb_frames, (unsigned long)w.llc_frames,
           (unsigned long)w.punted);
    print_drops("Gn", w.gn_drops);
    print_drops("Gb", w.gb_drops);
}

static json_t *neighbours_of(const struct live_links_side *side)
{
    json_t *object = json_object();
    fields_put_count(object, "arp_answers", side->neighbours.arp_answers);
    fields_put_count(object, "echo_answers", side->neighbours.echo_answers);
    fields_put_count(object, "ignored", side->neighbours.ignored);
    return object;
}

static json_t *npdus_of(const struct totals *t)
{
    json_t *object = json_object();
    fields_put_count(object, "in", t->in);
    fields_put_count(object, "out", t->out);
    fields_put_count(object, "dropped", t->dropped);
    fields_put_count(object, "queued", t->queued);
    return object;
}

static json_t *frames_of(uint64_t received, const uint64_t *drops)
{
    json_t *object = json_object();
    fields_put_count(object, "received", received);
    fields_put(object, "drops", fields_drops(drops, false));
    return object;
}

bool live_report_write(const struct live *live, const char *path)
{
    const struct node *node = &live->node;
    const struct worker_stats w = totals_stats(node->workers, node->worker_count);
    struct totals t = totals_of_all(node->workers, node->worker_count);
    json_t *root = json_object();

    fields_put(root, "schema", json_string("gbflow-serve/2"));
    fields_put(root, "npdu", npdus_of(&t));
    fields_put(root, "drops", fields_drops(w.gn_drops, true));
    fields_put_count(root, "llc_frames", w.llc_frames);
    fields_put_count(root, "uplink_npdus", w.ul_npdu_out);
    fields_put(root, "gn_frames", frames_of(w.gn_frames, w.gn_drops));
    fields_put(root, "gb_frames", frames_of(w.gb_frames, w.gb_drops));
    fields_put(root, "aqm", aqm_fields(node->workers, node->worker_count));
    fields_put(root, "gn", fields_gn(&w, live->node.sessions.lost));
    fields_put(root, "gn_neighbours", neighbours_of(&live->links.sides[MSG_PORT_GN]));
    fields_put(root, "gb_neighbours", neighbours_of(&live->links.sides[MSG_PORT_GB]));
    fields_workers_put(root, node);
    fields_put_seconds(root, "duration_s", clock_counter_ns(&live->clock));
    return fields_write(root, path);
}
