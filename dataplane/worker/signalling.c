/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/signalling.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/worker.h"

#include "dataplane/base/moment.h"
#include "dataplane/context/gb.h"
#include "dataplane/sched/link.h"

#include <rte_mbuf.h>
#include <stdint.h>

#define RETRY_NS 10000 /* the port has no room */

static_assert(SIGNALLING_WAITING <= UINT8_MAX, "counted in gb_nse.signals");

/* Whether a frame may be sent now; else sets the instant in its NSE. */
static bool can_go(struct gb_nse *nse, uint32_t ns_octets, int64_t now)
{
    if (sched_link_can_signal(&nse->sched, ns_octets, now))
        return true;
    nse->signal_ns = bucket_earliest_ns(&nse->sched.signalling, ns_octets);
    return false;
}

static void signalling_put(struct worker *w, struct gb_nse *nse, struct rte_mbuf *frame, uint32_t ns_octets,
                           int64_t now)
{
    sched_link_signal(&nse->sched, ns_octets, now);
    tap_burst_put(w->tap, &frame, 1, TAP_SIGNALLING, now);
    port_send(&w->gb, frame);
}

int signalling_send(struct worker *w, struct gb_nse *nse, struct rte_mbuf *frame, uint32_t ns_octets,
                    int64_t now)
{
    struct signalling *s = &w->signalling;
    ns_octets = guards_signalling_octets(w, nse, ns_octets);
    if (nse->signals == 0 && can_go(nse, ns_octets, now)) {
        signalling_put(w, nse, frame, ns_octets, now);
        return 0;
    }
    if (nse->signals >= SIGNALLING_WAITING - s->count) {
        w->stats.gb_signalling_lost++;
        rte_pktmbuf_free(frame);
        return -1;
    }
    s->frames[s->count++] = (struct signalling_frame){frame, nse, ns_octets};
    nse->signals++;
    return 0;
}

static int64_t first_ns(const struct signalling *s)
{
    int64_t next_ns = MOMENT_NEVER;
    for (uint32_t i = 0; i < s->count; i++)
        next_ns = moment_min(next_ns, s->frames[i].nse->signal_ns);
    return next_ns;
}

int64_t signalling_next_ns(const struct worker *w, int64_t now)
{
    int64_t next_ns = first_ns(&w->signalling);
    return next_ns <= now ? now + RETRY_NS : next_ns;
}

unsigned signalling_release(struct worker *w, int64_t now)
{
    struct signalling *s = &w->signalling;
    uint32_t kept = 0;
    if (first_ns(s) > now)
        return 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct signalling_frame *frame = &s->frames[i];
        struct gb_nse *nse = frame->nse;
        if (nse->signal_ns > now || port_room(&w->gb) == 0 || !can_go(nse, frame->ns_octets, now)) {
            s->frames[kept++] = *frame;
            continue;
        }
        nse->signals--;
        signalling_put(w, nse, frame->mbuf, frame->ns_octets, now);
    }
    unsigned sent = s->count - kept;
    s->count = kept;
    return sent;
}

void signalling_end(struct worker *w, const struct gb_nse *nse, int64_t now)
{
    struct signalling *s = &w->signalling;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct rte_mbuf *mbuf = s->frames[i].mbuf;
        if (s->frames[i].nse != nse) {
            s->frames[kept++] = s->frames[i];
        } else if (port_room(&w->gb) > 0) {
            tap_burst_put(w->tap, &mbuf, 1, TAP_SIGNALLING, now);
            port_send(&w->gb, mbuf);
        } else {
            w->stats.gb_signalling_lost++;
            rte_pktmbuf_free(mbuf);
        }
    }
    s->count = kept;
}

void signalling_free(struct worker *w)
{
    for (uint32_t i = 0; i < w->signalling.count; i++)
        rte_pktmbuf_free(w->signalling.frames[i].mbuf);
    w->signalling.count = 0;
    for (uint32_t i = 0; w->context.nsvcs && i < w->context.limits.nsvcs; i++)
        rte_pktmbuf_free(w->context.nsvcs[i].waiting);
}
