/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/emulate.h"
#include "app/emulate/lua_emulate.h"
#include "app/emulate/phones.h"

#include "app/emulate/config.h"
#include "bss/bss.h"
#include "control/base/words.h"
#include "control/base/clock.h"
#include "control/config/lua_config.h"
#include "control/log/log.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/u64_map.h"
#include "sim/ms_stack.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define LOG_LINES_PER_S 20

static void emulate_loop_run(struct emulate *e);
static bool emulate_loop_open(struct emulate *e);
static void emulate_loop_close(struct emulate *e);
static void open_telemetry(struct emulate *e);

static bool load(struct emulate *e)
{
    struct lua_State *L = lua_host_new(lua_modules);
    if (!L) {
        fprintf(stderr, "gbflow: out of memory for the Lua state\n");
        return false;
    }
    bool is_right = lua_emulate_load(L, e->options->bss, &e->config, &e->phones);
    if (!e->phones)
        lua_host_free(L);
    return is_right;
}

static int start_and_run(struct emulate *e)
{
    if (!emulate_bss_new(e) || !emulate_loop_open(e))
        return 1;
    e->start_ns = clock_now_ns();
    open_telemetry(e);
    fprintf(stderr, "gbflow: running; NSE %u, %u cell%s, %u mobile%s\n", e->config.nsei, e->config.cell_count,
            words_plural(e->config.cell_count), e->config.mobile_count, words_plural(e->config.mobile_count));
    emulate_loop_run(e);
    emulate_report_print(e);
    return e->options->json && !emulate_report_write(e, e->options->json) ? 1 : 0;
}

void emulate_config_free(struct emulate_config *config)
{
    free(config->nsvcs);
    free(config->cells);
    free(config->mobiles);
    free(config->devices);
    scenario_config_free(&config->air);
    *config = (struct emulate_config){0};
}

int emulate_run(const struct emulate_options *options)
{
    struct emulate e = {.options = options,
                        .epoll_fd = -1,
                        .signal_fd = -1,
                        .timer_fd = -1,
                        .telemetry = TELEMETRY_SOCKET_CLOSED};
    log_init(&e.log, stderr, LOG_LINES_PER_S);
    e.log.own.levels.others = options->is_verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN;
    e.log.wall_ns = clock_wall_ns;
    log_set_format(&e.log, "auto");
    int status = load(&e) ? start_and_run(&e) : 2;
    emulate_loop_close(&e);
    emulate_bss_free(&e);
    emulate_phones_free(e.phones);
    emulate_config_free(&e.config);
    return status;
}

#define BURST      64 /* packets of one descriptor at a time */
#define EVENTS     64
#define PDU_OCTETS 65536

enum kind { KIND_SOCKET, KIND_TUN, KIND_SIGNAL, KIND_TIMER, KIND_TELEMETRY };

static int64_t now_of(const struct emulate *e)
{
    return clock_now_ns() - e->start_ns;
}

/* --- descriptors --- */

static bool emulate_watch(const struct emulate *e, int fd, enum kind kind, uint32_t index)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)kind << 32 | index};
    return fd >= 0 && epoll_ctl(e->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static int *closed_fds(uint32_t count)
{
    int *fds = malloc(count * sizeof(*fds));
    for (uint32_t i = 0; fds && i < count; i++)
        fds[i] = -1;
    return fds;
}

static bool open_sockets(struct emulate *e)
{
    for (uint32_t i = 0; i < e->config.nsvc_count; i++) {
        e->sockets[i] = emulate_bss_open(&e->config.nsvcs[i]);
        if (!emulate_watch(e, e->sockets[i], KIND_SOCKET, i))
            return false;
    }
    return true;
}

static bool open_tuns(struct emulate *e)
{
    for (uint32_t i = 0; i < e->config.device_count; i++) {
        const struct emulate_config_device *device = &e->config.devices[i];
        e->tuns[i] = emulate_tun_open(device, e->config.mobiles);
        if (!emulate_watch(e, e->tuns[i], KIND_TUN, i))
            return false;
        for (uint32_t m = 0; m < device->mobile_count; m++)
            e->mobiles[device->first_mobile + m].tun = e->tuns[i];
        if (device->is_of_phones)
            emulate_phones_open(e->phones, e->tuns[i]);
    }
    return true;
}

static bool open_own(struct emulate *e)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    e->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    e->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    e->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (e->epoll_fd >= 0 && emulate_watch(e, e->signal_fd, KIND_SIGNAL, 0) &&
        emulate_watch(e, e->timer_fd, KIND_TIMER, 0))
        return true;
    fprintf(stderr, "gbflow: cannot open the file descriptors of the event loop: %s\n", strerror(errno));
    return false;
}

/* Without it the BSS runs all the same. */
static void open_telemetry(struct emulate *e)
{
    const struct telemetry_source source = {
        .kind = TELEMETRY_BSS, .tables = emulate_tables, .record = e, .orders = emulate_orders};
    if (telemetry_socket_open(&e->telemetry, e->options->prefix, &source) &&
        !emulate_watch(e, e->telemetry.fd, KIND_TELEMETRY, 0))
        telemetry_socket_close(&e->telemetry);
}

/* loop.c: descriptors and time. */
static bool emulate_loop_open(struct emulate *e)
{
    e->sockets = closed_fds(e->config.nsvc_count);
    e->tuns = closed_fds(e->config.device_count);
    return e->sockets && e->tuns && open_own(e) && open_sockets(e) && open_tuns(e);
}

static void close_all(const int *fds, uint32_t count)
{
    for (uint32_t i = 0; fds && i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void emulate_loop_close(struct emulate *e)
{
    const int own[] = {e->epoll_fd, e->signal_fd, e->timer_fd};
    close_all(e->sockets, e->config.nsvc_count);
    close_all(e->tuns, e->config.device_count);
    telemetry_socket_close(&e->telemetry);
    close_all(own, sizeof(own) / sizeof(own[0]));
    free(e->sockets);
    free(e->tuns);
}

/* --- time --- */

static void tell_cells(struct emulate *e)
{
    char text[64];
    for (uint32_t i = 0; i < e->config.cell_count; i++) {
        bool is_up = bss_is_up(e->bss, e->config.air.cells[i].bvci);
        if (is_up == e->are_up[i])
            continue;
        e->are_up[i] = is_up;
        snprintf(text, sizeof(text), "cell %u is %s", e->config.air.cells[i].bvci, is_up ? "up" : "down");
        log_line(&e->log, "bss", is_up ? "info" : "warn", text, e->now);
    }
}

static bool are_all_up(const struct emulate *e)
{
    bool are_up = true;
    for (uint32_t i = 0; i < e->config.cell_count; i++)
        are_up = are_up && bss_is_up(e->bss, e->config.air.cells[i].bvci);
    return are_up;
}

/* The deadline of phones, after what is due; `now` if they sent something. */
static int64_t step_phones(struct emulate *e)
{
    if (!e->phones)
        return MOMENT_NEVER;
    if (are_all_up(e))
        emulate_phones_start(e->phones, &e->log, e->now);
    const struct emulate_phones_air air = emulate_bss_air(e);
    return emulate_phones_step(e->phones, &air, e->now);
}

/* Runs everything that is due; returns the next deadline. */
static int64_t emulate_step(struct emulate *e)
{
    int64_t next_ns;
    do {
        e->now = now_of(e);
        next_ns = moment_min(telemetry_socket_step(&e->telemetry, e->now), bss_step(e->bss, e->now));
        if (e->has_answers) {
            emulate_bss_answer(e);
            next_ns = e->now;
        }
        next_ns = moment_min(next_ns, emulate_bss_links(e));
        next_ns = moment_min(next_ns, step_phones(e));
    } while (next_ns <= e->now);
    tell_cells(e);
    return next_ns;
}

static void set_timer(const struct emulate *e, int64_t next_ns)
{
    int64_t wait_ns = next_ns == MOMENT_NEVER ? 0 : moment_max(next_ns - now_of(e), 1);
    const struct itimerspec timer = {
        .it_value = {.tv_sec = wait_ns / MOMENT_SECOND, .tv_nsec = wait_ns % MOMENT_SECOND}};
    timerfd_settime(e->timer_fd, 0, &timer, NULL);
}

/* --- reception --- */

/* recv() fails with EAGAIN when nothing is left, or with the error of an ICMP message; both end the burst. */
static void take_gb(struct emulate *e, uint32_t nsvc)
{
    uint8_t pdu[PDU_OCTETS];
    for (int i = 0; i < BURST; i++) {
        ssize_t octets = recv(e->sockets[nsvc], pdu, sizeof(pdu), 0);
        if (octets < 0)
            return;
        bss_rx(e->bss, nsvc, pdu, (size_t)octets, e->now);
    }
}

static void take_packets(struct emulate *e, uint32_t device)
{
    uint8_t packet[PDU_OCTETS];
    for (int i = 0; i < BURST; i++) {
        ssize_t octets = read(e->tuns[device], packet, sizeof(packet));
        if (octets <= 0)
            return;
        emulate_bss_packet(e, device, packet, (size_t)octets);
    }
}

static void take_signal(struct emulate *e)
{
    struct signalfd_siginfo info;
    while (read(e->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        e->signal = (int)info.ssi_signo;
}

static void emulate_take(struct emulate *e, uint64_t data)
{
    uint64_t expirations;
    switch ((enum kind)(data >> 32)) {
    case KIND_SOCKET:
        take_gb(e, (uint32_t)data);
        break;
    case KIND_TUN:
        take_packets(e, (uint32_t)data);
        break;
    case KIND_SIGNAL:
        take_signal(e);
        break;
    case KIND_TIMER:
        if (read(e->timer_fd, &expirations, sizeof(expirations)) < 0)
            break;
        break;
    case KIND_TELEMETRY: /* emulate_step() answers */
        break;
    }
}

/* The radio runs up to now before new LLC-PDUs enter it. */
static void emulate_loop_run(struct emulate *e)
{
    struct epoll_event events[EVENTS];
    while (e->signal == 0) {
        set_timer(e, emulate_step(e));
        int count = epoll_wait(e->epoll_fd, events, EVENTS, -1);
        emulate_step(e);
        for (int i = 0; i < count; i++)
            emulate_take(e, events[i].data.u64);
    }
}
