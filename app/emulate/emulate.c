/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/report.h"

#include "control/base/clock.h"
#include "app/emulate/lua_emulate.h"
#include "control/lua/lua_host.h"
#include "control/config/lua_config.h"

#include <signal.h>
#include <stdio.h>

#define LOG_LINES_PER_S 20

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
    fprintf(stderr, "gbflow: running; NSE %u, %u cells, %u mobiles\n", e->config.nsei, e->config.cell_count,
            e->config.mobile_count);
    emulate_loop_run(e);
    emulate_report_print(e);
    return e->options->json && !emulate_report_write(e, e->options->json) ? 1 : 0;
}

int emulate_run(const struct emulate_options *options)
{
    struct emulate e = {.options = options, .epoll_fd = -1, .signal_fd = -1, .timer_fd = -1};
    log_init(&e.log, stderr, LOG_LINES_PER_S);
    e.log.is_verbose = options->is_verbose;
    e.log.wall_ns = clock_wall_ns;
    log_set_format(&e.log, "auto");
    int status = load(&e) ? start_and_run(&e) : 2;
    emulate_loop_close(&e);
    emulate_bss_free(&e);
    emulate_phones_free(e.phones);
    emulate_config_free(&e.config);
    return status;
}
