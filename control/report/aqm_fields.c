/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/aqm_fields.h"

#include "control/report/fields.h"
#include "dataplane/sched/sched_aqm.h"

static const struct sched *sched_of(const struct worker *worker)
{
    return &worker->context.sched;
}

const char *aqm_fields_scheme(const struct worker *worker, enum qclass qclass)
{
    const struct aqm_setup *setup = sched_aqm_setup(sched_of(worker), qclass);
    return setup ? setup->ops->name : NULL;
}

const char *aqm_fields_scope(const struct worker *worker, enum qclass qclass)
{
    static const char *const scopes[] = {[SCHED_AQM_CLASS_OF_NSE] = "class_of_nse",
                                         [SCHED_AQM_CLASS_OF_BVC] = "class_of_bvc",
                                         [SCHED_AQM_MS] = "ms",
                                         [SCHED_AQM_FLOW] = "flow"};
    return scopes[sched_of(worker)->params.aqm[qclass].scope];
}

void aqm_fields_add(struct aqm_counts *sum, const struct worker *worker, enum qclass qclass,
                    enum aqm_point point)
{
    const struct aqm_counts *counts = &sched_aqm_setup(sched_of(worker), qclass)->counts[qclass][point];
    sum->asked += counts->asked;
    sum->marked += counts->marked;
    sum->dropped += counts->dropped;
    sum->unmarkable += counts->unmarkable;
}

static json_t *counts_of(struct worker *const *workers, unsigned count, enum qclass qclass,
                         enum aqm_point point)
{
    struct aqm_counts sum = {0};
    for (unsigned i = 0; i < count; i++)
        aqm_fields_add(&sum, workers[i], qclass, point);
    json_t *object = json_object();
    fields_put_count(object, "asked", sum.asked);
    fields_put_count(object, "marked", sum.marked);
    fields_put_count(object, "dropped", sum.dropped);
    fields_put_count(object, "unmarkable", sum.unmarkable);
    return object;
}

json_t *aqm_fields(struct worker *const *workers, unsigned count)
{
    json_t *object = json_object();
    for (enum qclass k = 0; k < QCLASS_COUNT; k++) {
        const char *scheme = aqm_fields_scheme(workers[0], k);
        if (!scheme)
            continue;
        json_t *row = json_object();
        fields_put(row, "scheme", json_string(scheme));
        fields_put(row, "scope", json_string(aqm_fields_scope(workers[0], k)));
        fields_put(row, "enqueue", counts_of(workers, count, k, AQM_AT_ENQUEUE));
        fields_put(row, "dequeue", counts_of(workers, count, k, AQM_AT_DEQUEUE));
        fields_put(object, qclass_name(k), row);
    }
    return object;
}
