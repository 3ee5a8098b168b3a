/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/loop.h"
#include "control/core/core.h"
#include "control/live/acts.h"
#include "control/live/reload.h"
#include "control/lua/lua_host.h"

#include "control/base/clock.h"
#include "control/base/privileges.h"
#include "control/base/wake.h"
#include "control/live/live.h"
#include "control/live/tables.h"
#include "control/live/ports.h"
#include "control/live/restart.h"
#include "control/sessions/sessions_records.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/worker.h"

#include <errno.h>
#include <rte_pause.h>
#include <rte_ring.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define LIVE_WORKER_GAP_NS 100000

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
    if (atomic_load_explicit(&lw->is_polling, memory_order_relaxed) || wait_ns < LEAST_SLEEP_NS) {
        rte_pause();
        return;
    }
    nap(lw, wait_ns);
    *sleep_ns = moment_min(2 * *sleep_ns, atomic_load_explicit(&lw->max_sleep_ns, memory_order_relaxed));
}

int live_loop_run_worker(void *arg)
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

#define HURRY_MOST_NS (MOMENT_SECOND / 1000) /* for garbage after a pass */
#define WORK_MOST_NS  (MOMENT_SECOND / 100)  /* longest time without reading signals, in a flood */

/* --- wake-ups --- */

static sigset_t signals_of_ours(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

void live_loop_block_signals(void)
{
    sigset_t set = signals_of_ours();
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN); /* a reader that has gone is an error of the write */
}

bool live_loop_watch(const struct live *live, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return fd >= 0 && epoll_ctl(live->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool live_loop_open(struct live *live)
{
    sigset_t set = signals_of_ours();
    live->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    tcp_client_init(&live->hlr, live->epoll_fd);
    resolver_init(&live->dns, live->epoll_fd);
    live->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    live->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (live->epoll_fd >= 0 && wake_init(&live->wake) && live_loop_watch(live, live->wake.fd) &&
        live_loop_watch(live, live->signal_fd) && live_loop_watch(live, live->timer_fd) &&
        live_capabilities_watch(&live->capabilities, live->epoll_fd))
        return true;
    fprintf(stderr, "gbflow: cannot open the file descriptors of the event loop: %s\n", strerror(errno));
    return false;
}

void live_loop_close(struct live *live)
{
    const int fds[] = {live->epoll_fd, live->signal_fd, live->timer_fd};
    resolver_fini(&live->dns);
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        if (fds[i] > 0)
            close(fds[i]);
    wake_fini(&live->wake);
    tcp_client_fini(&live->hlr);
}

static void set_timer(const struct live *live, int64_t wait_ns)
{
    struct itimerspec timer = {
        .it_value = {.tv_sec = wait_ns / MOMENT_SECOND, .tv_nsec = wait_ns % MOMENT_SECOND}};
    timerfd_settime(live->timer_fd, 0, &timer, NULL);
}

static void take_signals(struct live *live)
{
    struct signalfd_siginfo info;
    while (read(live->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (info.ssi_signo == SIGHUP)
            live->is_hup_due = true;
        else
            live->signal = (int)info.ssi_signo;
}

/* --- the HLR of phones --- */

static void hlr_open(void *arg, const char *address, uint16_t port)
{
    tcp_client_open(arg, address, port);
}

static void hlr_send(void *arg, const char *octets, size_t count)
{
    tcp_client_send(arg, octets, count);
}

static void hlr_close(void *arg)
{
    tcp_client_close(arg);
}

static void dns_ask(void *arg, uint64_t id, const char *name, const char *servers, bool is_ipv6)
{
    resolver_ask(arg, id, name, servers, is_ipv6);
}

void live_loop_serve_hlr(struct live *live)
{
    live->node.core.dns = (struct core_dns){.arg = &live->dns, .ask = dns_ask};
    live->node.core.hlr =
        (struct core_hlr){.arg = &live->hlr, .open = hlr_open, .send = hlr_send, .close = hlr_close};
}

static void on_up(void *arg)
{
    core_tell(arg, phones_hlr_up);
}

static void on_down(void *arg)
{
    core_tell(arg, phones_hlr_down);
}

static void on_octets(void *arg, const void *octets, size_t count)
{
    core_tell(arg, phones_hlr_octets, LUA_OCTETS(octets, count));
}

/* Returns `now` if it did something. */
static int64_t step_hlr(struct live *live, int64_t now)
{
    struct core *core = &live->node.core;
    const struct tcp_client_events events = {
        .arg = core, .on_up = on_up, .on_down = on_down, .on_octets = on_octets};
    core->now = moment_max(core->now, now);
    return tcp_client_step(&live->hlr, &events) ? now : MOMENT_NEVER;
}

static void on_resolved(void *arg, uint64_t id, const char *address)
{
    core_tell(arg, phones_resolved, LUA_ARG(id), LUA_ARG(address));
}

static int64_t step_dns(struct live *live, int64_t now)
{
    int64_t wait_ns = resolver_step(&live->dns, on_resolved, &live->node.core);
    return wait_ns == INT64_MAX ? MOMENT_NEVER : now + wait_ns;
}

/* --- the loop --- */

static bool has_news(const struct live *live)
{
    for (unsigned i = 0; i < live->worker_count; i++)
        if (!rte_ring_empty(live->workers[i].worker->rings.to_control))
            return true;
    return live_reload_is_ready(live) || live_restart_is_ready(live) || telemetry_is_asked(&live->telemetry);
}

static void call_workers(struct live *live)
{
    for (unsigned i = 0; i < live->worker_count; i++)
        if (!rte_ring_empty(live->workers[i].worker->rings.to_worker))
            wake_call(&live->workers[i].wake);
}

/* A sign of life for systemd's watchdog, while each worker has made a step since the last one. */
static int64_t step_watchdog(struct live *live, int64_t now)
{
    bool is_working = true;
    if (live->notify.every_ns == 0 || now < live->notify.due_ns)
        return notify_alive(&live->notify, false, now);
    for (unsigned i = 0; i < live->worker_count; i++) {
        uint64_t passes = live->workers[i].stats.passes;
        is_working &= passes != live->seen_passes[i];
        live->seen_passes[i] = passes;
    }
    return notify_alive(&live->notify, is_working, now);
}

static int64_t pass(struct live *live, int64_t now)
{
    int64_t next_ns = telemetry_socket_step(&live->tables, now);
    log_tell_followers(&live->log, now);
    next_ns = moment_min(next_ns, links_step(&live->links, now));
    next_ns = moment_min(next_ns, live_ports_step(&live->ports, &live->links, now));
    next_ns = moment_min(next_ns, live_capture_step(live, now));
    next_ns = moment_min(next_ns, live_reload_step(live, now));
    next_ns = moment_min(next_ns, step_hlr(live, now));
    next_ns = moment_min(next_ns, step_dns(live, now));
    next_ns = moment_min(next_ns, step_watchdog(live, now));
    next_ns = moment_min(next_ns, show_state_sample(live, now));
    next_ns = moment_min(next_ns, live_capabilities_step(&live->capabilities, now));
    next_ns = moment_min(next_ns, core_step(&live->node.core, now));
    next_ns = moment_min(next_ns, live_acts_step(live));
    next_ns = moment_min(next_ns, sessions_records_step(&live->node.sessions, now));
    live_restart_step(live);
    call_workers(live);
    telemetry_answer(&live->telemetry);
    return next_ns;
}

/* How long the control thread was at one thing, without the time in which it had no processor. */
static void note_pass(struct live *live, int64_t *since_ns)
{
    int64_t now_ns = clock_thread_ns();
    live->pass_most_ns = moment_max(live->pass_most_ns, now_ns - *since_ns);
    *since_ns = now_ns;
}

/* Collects Lua's garbage in busy time, for a part of the time of the work before. */
static void hurry(struct live *live, int64_t work_ns)
{
    int64_t since_ns = clock_thread_ns();
    unsigned percent;
    do
        percent = lua_host_hurry(live->node.L);
    while (percent > 0 && clock_thread_ns() - since_ns < moment_min(work_ns * percent / 100, HURRY_MOST_NS));
}

/* Does due work, or in a flood a part of it; returns the next deadline. */
static int64_t work(struct live *live)
{
    int64_t end_ns = clock_counter_ns(&live->clock) + WORK_MOST_NS, since_ns = clock_thread_ns();
    for (;;) {
        int64_t now = clock_counter_ns(&live->clock), next_ns = pass(live, now);
        hurry(live, clock_thread_ns() - since_ns);
        note_pass(live, &since_ns);
        if (next_ns > now || now > end_ns)
            return next_ns;
    }
}

/* Collects Lua's garbage while there is no other work. */
static void tidy(struct live *live, int64_t next_ns)
{
    int64_t now, since_ns = clock_thread_ns();
    while (!has_news(live) && (now = clock_counter_ns(&live->clock)) < next_ns &&
           lua_host_tidy(live->node.L, now))
        note_pass(live, &since_ns);
}

static void sleep_until(struct live *live, int64_t next_ns)
{
    struct epoll_event events[4];
    wake_sleep_begin(&live->wake);
    if (!has_news(live)) {
        int64_t wait_ns = next_ns - clock_counter_ns(&live->clock);
        set_timer(live, next_ns == MOMENT_NEVER ? 0 : moment_max(wait_ns, 1));
        epoll_wait(live->epoll_fd, events, sizeof(events) / sizeof(events[0]), -1);
    }
    wake_sleep_end(&live->wake);
    take_signals(live);
}

/* A program that rotates the file of charging records reloads the node afterwards. */
static void reopen_records(struct live *live)
{
    struct records *records = &live->node.records;
    int error = records_are_on(records) ? records_reopen(records) : 0;
    if (error != 0)
        fprintf(stderr, "gbflow: phones.records.file '%s': %s; the file opened before stays in use\n",
                records->config.file, strerror(error));
}

static bool can_reload(const struct live *live)
{
    return (live->is_hup_due || live->is_reload_due || live->is_trial_due) &&
           live->reload.stage == LIVE_RELOAD_IDLE && live->restart.stage == LIVE_RESTART_IDLE;
}

/* A client's goes first: SIGHUP's has no one who waits. */
static void start_reload(struct live *live)
{
    bool is_trial = live->is_trial_due, is_asked = is_trial || live->is_reload_due;
    if (!is_trial)
        reopen_records(live);
    if (is_asked)
        live->is_reload_due = live->is_trial_due = false;
    else
        live->is_hup_due = false;
    live->reload.is_asked = is_asked;
    live_reload_start(live, is_trial);
}

void live_loop_run(struct live *live)
{
    lua_host_defer(live->node.L);
    if (!lua_host_watch(live->node.L, live->node.config.limits.lua_call_ns, "limits.lua_call"))
        fprintf(stderr, "gbflow: warning: limits.lua_call is not in force: %s\n", strerror(errno));
    while (live->signal == 0 && !live->has_failed) {
        live->has_failed = live_ports_is_removed(&live->ports, &live->node);
        if (can_reload(live))
            start_reload(live);
        int64_t next_ns = work(live);
        if (can_reload(live))
            continue;
        tidy(live, next_ns);
        sleep_until(live, moment_min(next_ns, lua_host_look_ns(live->node.L)));
    }
}
