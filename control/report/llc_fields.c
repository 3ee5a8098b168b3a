/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/llc_fields.h"

#include "control/report/fields.h"
#include "dataplane/base/drop.h"

struct reports {
    json_t *counters, *unhandled;
};

static void add(void *arg, const struct lua_llc_count *count)
{
    struct reports *reports = arg;
    if (count->name) {
        fields_put_count(reports->counters, count->name, count->count);
        return;
    }
    json_t *kind = json_object();
    fields_put_count(kind, "sapi", count->sapi);
    fields_put_count(kind, "protocol", count->protocol);
    fields_put_count(kind, "message", count->message);
    fields_put_count(kind, "frames", count->count);
    json_array_append_new(reports->unhandled, kind);
}

static json_t *drops(const struct worker_stats *stats)
{
    static const enum drop reasons[] = {DROP_UNKNOWN_TLLI, DROP_LLC_MALFORMED, DROP_LLC_UNSUPPORTED,
                                        DROP_LLC_FCS,      DROP_LLC_CIPHERING, DROP_LLC_DECIPHER,
                                        DROP_LLC_OLD};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        fields_put_count(object, drop_name(reasons[i]), stats->gb_drops[reasons[i]]);
    return object;
}

json_t *llc_fields(const struct core *core, const struct worker_stats *stats)
{
    struct reports reports = {json_object(), json_array()};
    fields_put_count(reports.counters, "up", stats->ul_llc_frames);
    fields_put_count(reports.counters, "regained", stats->ul_regained);
    fields_put_count(reports.counters, "orders", stats->llc_orders);
    fields_put(reports.counters, "drops", drops(stats));
    lua_llc_counts(&core->llc, add, &reports);
    fields_put(reports.counters, "unhandled", reports.unhandled);
    return reports.counters;
}
