/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/aqm_fields.h"

#include "control/report/node_fields.h"
#include "dataplane/sched/aqm.h"

static const char *scope_of(const struct sched *sched, enum qclass qclass)
{
    static const char *const scopes[] = {[SCHED_AQM_CLASS_OF_NSE] = "class_of_nse",
                                         [SCHED_AQM_CLASS_OF_BVC] = "class_of_bvc",
                                         [SCHED_AQM_MS] = "ms",
                                         [SCHED_AQM_FLOW] = "flow"};
    return scopes[sched->params.aqm[qclass].scope];
}

static void add(struct aqm_counts *sum, const struct aqm_counts *counts)
{
    sum->asked += counts->asked;
    sum->marked += counts->marked;
    sum->dropped += counts->dropped;
    sum->unmarkable += counts->unmarkable;
}

bool aqm_fields_of(struct worker *const *workers, unsigned count, enum qclass qclass, struct aqm_fields *out)
{
    const struct sched *first = &workers[0]->context.sched;
    const struct aqm_setup *setup = sched_aqm_setup(first, qclass);
    if (!setup)
        return false;
    *out = (struct aqm_fields){
        .class = qclass_name(qclass), .scheme = setup->ops->name, .scope = scope_of(first, qclass)};
    for (unsigned i = 0; i < count; i++) {
        setup = sched_aqm_setup(&workers[i]->context.sched, qclass);
        add(&out->enqueue, &setup->counts[qclass][AQM_AT_ENQUEUE]);
        add(&out->dequeue, &setup->counts[qclass][AQM_AT_DEQUEUE]);
    }
    return true;
}

void aqm_fields_each(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    struct aqm_fields row;
    for (enum qclass k = 0; k < QCLASS_COUNT; k++)
        if (aqm_fields_of(node->workers, node->worker_count, k, &row))
            field_put(sink, row.class, &row);
}

#define COUNT(name, member, sentence) FIELD(struct aqm_counts, COUNTER, name, "N-PDUs", member, sentence)

const struct field aqm_fields_counts[] = {
    COUNT("offered", asked, "N-PDUs shown to the scheme; N-PDUs neither marked nor dropped pass."),
    COUNT("marked", marked, "N-PDUs that the scheme let pass with CE set (RFC 3168)."),
    COUNT("dropped", dropped, "N-PDUs that the scheme dropped."),
    COUNT("dropped_not_ect", unmarkable,
          "Dropped N-PDUs that the scheme would have marked if they were ECN-capable (Not-ECT, RFC 3168)."),
    FIELD_END,
};

const struct field aqm_fields_scheme[] = {
    FIELD(struct aqm_fields, LABEL, "scheme", "", scheme, "Name of the AQM scheme (gbflow aqm list)."),
    FIELD(struct aqm_fields, LABEL, "scope", "", scope,
          "Scope of an instance of the scheme: class_of_nse, class_of_bvc, ms or flow."),
    FIELD_END,
};

const struct field aqm_fields[] = {
    FIELD_ROWS(0, aqm_fields_scheme),
    FIELD_INSIDE(OBJECT, "enqueue", offsetof(struct aqm_fields, enqueue), aqm_fields_counts,
                 "The scheme's answers when N-PDUs are enqueued."),
    FIELD_INSIDE(OBJECT, "dequeue", offsetof(struct aqm_fields, dequeue), aqm_fields_counts,
                 "The scheme's answers when the first segment of an N-PDU is about to be sent."),
    FIELD_END,
};
