/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/worker.h"

#include "control/base/privileges.h"
#include "dataplane/base/moment.h"

#include <rte_pause.h>
#include <rte_ring.h>
#include <sys/prctl.h>

#define FIRST_SLEEP_NS 10000
#define LEAST_SLEEP_NS 5000 /* shorter sleeps are not worth a system call */
#define SLACK_NS       1000 /* timer slack of the kernel */

/* Sleeps at most until next_ns, or until control calls. */
static void nap(struct live_worker *lw, int64_t wait_ns)
{
    wake_sleep_begin(&lw->wake);
    if (rte_ring_empty(lw->worker->rings.to_worker)) {
        wake_sleep(&lw->wake, wait_ns);
        lw->stats.sleeps++;
    }
    wake_sleep_end(&lw->wake);
}

static void note_gap(struct live_worker *lw, int64_t gap_ns)
{
    lw->stats.gaps += gap_ns >= LIVE_WORKER_GAP_NS;
    lw->stats.longest_ns = moment_max(lw->stats.longest_ns, gap_ns);
}

static void pass_time(struct live_worker *lw, int64_t *sleep_ns, int64_t left_ns)
{
    int64_t wait_ns = moment_min(*sleep_ns, left_ns);
    if (lw->is_polling || wait_ns < LEAST_SLEEP_NS) {
        rte_pause();
        return;
    }
    nap(lw, wait_ns);
    *sleep_ns = moment_min(2 * *sleep_ns, lw->max_sleep_ns);
}

int live_worker_run(void *arg)
{
    struct live_worker *lw = arg;
    struct worker *w = lw->worker;
    int64_t sleep_ns = FIRST_SLEEP_NS, before_ns = clock_counter_ns(lw->clock);
    uint64_t sleeps = 0;

    prctl(PR_SET_TIMERSLACK, SLACK_NS);
    if (lw->drops_capabilities)
        privileges_drop_capabilities();
    while (!atomic_load_explicit(lw->stop, memory_order_relaxed)) {
        int64_t now = clock_counter_ns(lw->clock);
        if (sleeps == lw->stats.sleeps)
            note_gap(lw, now - before_ns);
        else
            lw->stats.slept_ns += now - before_ns;
        sleeps = lw->stats.sleeps;
        before_ns = now;
        int64_t next_ns = worker_step(w, now);
        lw->stats.passes++;
        if (!rte_ring_empty(w->rings.to_control))
            wake_call(lw->control);
        if (next_ns > now) {
            pass_time(lw, &sleep_ns, next_ns - now);
        } else {
            lw->stats.busy_passes++;
            sleep_ns = FIRST_SLEEP_NS;
        }
    }
    return 0;
}
