/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/codel_model.h"

#include <math.h>

struct taken {
    int64_t id; /* -1: none */
    bool ok_to_drop;
};

void codel_model_put(struct codel_model *m, uint32_t id, uint32_t octets, double now_s)
{
    uint32_t at = m->last++ % CODEL_MODEL_MAX;
    m->waiting[at].arrival_s = now_s;
    m->waiting[at].octets = octets;
    m->waiting[at].id = id;
    m->octets += octets;
}

static struct taken dodequeue(struct codel_model *m, double now_s)
{
    struct taken r = {-1, false};
    if (m->first == m->last) {
        m->first_above_s = 0;
        return r;
    }
    uint32_t at = m->first++ % CODEL_MODEL_MAX;
    r.id = m->waiting[at].id;
    m->octets -= m->waiting[at].octets;
    if (now_s - m->waiting[at].arrival_s < m->target_s - 1e-10 || m->octets <= m->mtu_octets)
        m->first_above_s = 0;
    else if (m->first_above_s == 0)
        m->first_above_s = now_s + m->interval_s;
    else
        r.ok_to_drop = now_s >= m->first_above_s - 1e-10;
    return r;
}

static double control_law(const struct codel_model *m, double t)
{
    return t + m->interval_s / sqrt(m->count);
}

static struct taken drop_and_next(struct codel_model *m, struct taken r, double now_s)
{
    m->dropped[m->dropped_count++] = (uint32_t)r.id;
    return dodequeue(m, now_s);
}

int64_t codel_model_take(struct codel_model *m, double now_s)
{
    struct taken r = dodequeue(m, now_s);
    if (m->dropping && !r.ok_to_drop) {
        m->dropping = false;
    } else if (m->dropping) {
        while (m->dropping && now_s >= m->drop_next_s - 1e-10) {
            m->count++;
            r = drop_and_next(m, r, now_s);
            if (r.ok_to_drop)
                m->drop_next_s = control_law(m, m->drop_next_s);
            else
                m->dropping = false;
        }
    } else if (r.ok_to_drop) {
        r = drop_and_next(m, r, now_s);
        m->dropping = true;
        uint32_t delta = m->count - m->last_count;
        m->count = delta > 1 && now_s - m->drop_next_s < 16 * m->interval_s ? delta : 1;
        m->drop_next_s = control_law(m, now_s);
        m->last_count = m->count;
    }
    return r.id;
}
