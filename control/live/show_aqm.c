/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/show_aqm.h"

#include "control/report/aqm_fields.h"
#include "control/live/live.h"

static void put_row(const struct live *live, struct show_page *page, enum qclass qclass, enum aqm_point point)
{
    const struct worker *first = live->workers[0].worker;
    struct aqm_counts sum = {0};
    if (!show_page_row(page))
        return;
    for (unsigned i = 0; i < live->worker_count; i++)
        aqm_fields_add(&sum, live->workers[i].worker, qclass, point);
    show_page_text(page, qclass_name(qclass));
    show_page_text(page, aqm_fields_scheme(first, qclass));
    show_page_text(page, aqm_fields_scope(first, qclass));
    show_page_text(page, point == AQM_AT_ENQUEUE ? "enqueue" : "dequeue");
    show_page_number(page, sum.asked);
    show_page_number(page, sum.marked);
    show_page_number(page, sum.dropped);
    show_page_number(page, sum.unmarkable);
}

void live_show_aqm(const struct live *live, struct show_page *page)
{
    for (enum qclass k = 0; k < QCLASS_COUNT; k++) {
        if (!aqm_fields_scheme(live->workers[0].worker, k))
            continue;
        put_row(live, page, k, AQM_AT_ENQUEUE);
        put_row(live, page, k, AQM_AT_DEQUEUE);
    }
}
