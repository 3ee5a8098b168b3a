/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/live.h"

#include "control/base/command.h"
#include "control/base/eal.h"
#include "control/base/live_claims.h"
#include "control/live/loop.h"
#include "control/report/totals.h"
#include "control/base/privileges.h"
#include "control/live/exporter.h"
#include "control/live/tables.h"
#include "control/sessions/sessions_records.h"
#include "control/config/lua_budget.h"
#include "control/config/lua_config_diff.h"
#include "control/config/plugin_folder.h"
#include "control/core/core.h"
#include "control/core/core_gtpc.h"
#include "dataplane/ports/gate.h"

#include <errno.h>
#include <rte_cycles.h>
#include <rte_launch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTLE_PASSES 1000

/* --- workers --- */

static bool start_worker(struct live *live, struct worker *worker)
{
    unsigned number = live->worker_count;
    struct live_worker *lw = &live->workers[number];
    *lw = (struct live_worker){.worker = worker,
                               .clock = &live->clock,
                               .control = &live->wake,
                               .stop = &live->stop,
                               .is_polling = live->node.config.live.is_polling,
                               .drops_capabilities = !live->options->user,
                               .max_sleep_ns = live->node.config.live.max_sleep_ns,
                               .lcore = EAL_LIVE_LCORE(number)};
    if (!wake_init(&lw->wake) || rte_eal_remote_launch(live_loop_run_worker, lw, lw->lcore) < 0) {
        fprintf(stderr, "gbflow: worker %u does not start\n", number);
        wake_fini(&lw->wake);
        return false;
    }
    live->worker_count++;
    return true;
}

static bool start_workers(struct live *live)
{
    for (unsigned i = 0; i < live->node.worker_count; i++)
        if (!start_worker(live, live->node.workers[i]))
            return false;
    return true;
}

static void stop_workers(struct live *live)
{
    atomic_store(&live->stop, true);
    for (unsigned i = 0; i < live->worker_count; i++) {
        wake_call(&live->workers[i].wake);
        rte_eal_wait_lcore(live->workers[i].lcore);
        wake_fini(&live->workers[i].wake);
    }
}

/* Runs further steps until the xworker rings are empty, so that in = out + dropped + queued holds. */
static void live_settle(struct live *live)
{
    struct node *node = &live->node;
    for (unsigned pass = 0; pass < SETTLE_PASSES && node->worker_count > 1; pass++) {
        for (unsigned i = 0; i < node->worker_count; i++)
            worker_step(node->workers[i], clock_counter_ns(&live->clock));
        if (totals_of_all(node->workers, node->worker_count).is_conserved)
            return;
    }
}

/* --- the whole --- */

static void call_control(void *wake)
{
    wake_call(wake);
}

/* DPDK's socket stays beside the node's own one, for DPDK's tools. */
static bool start_telemetry(struct live *live)
{
    const struct telemetry_source source = {.kind = TELEMETRY_NODE,
                                            .tables = live_tables,
                                            .record = live,
                                            .orders = live_tables_orders,
                                            .wake = call_control,
                                            .arg = &live->wake};
    telemetry_init(&live->telemetry, &source);
    return telemetry_socket_open(&live->tables, live->node.config.live.eal_prefix, &source) &&
           live_loop_watch(live, live->tables.fd);
}

static void start_control(struct live *live)
{
    struct node *node = &live->node;
    struct links_tunnels tunnels = {0};
    live->clock = clock_counter_start(rte_get_tsc_hz());
    log_init(&live->log, stderr, node->config.live.log_lines_per_s);
    live->log.own.levels.others = live->options->is_verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN;
    live->log.wall_ns = clock_wall_ns;
    live->log.format = live->log_format;
    if (live->options->log_level)
        log_levels_set(&live->log.own.levels, live->options->log_level);
    live->log_levels = live->log.own.levels;
    node->core.log = &live->log;
    core_log_trace(&node->core);
    node->core.spent_ns = clock_thread_ns;
    live_capabilities_serve(&live->capabilities, &tunnels);
    links_init(&live->links, node, &tunnels, 0);
    live_loop_serve_hlr(live);
    core_start(&node->core, 0);
    live_ports_tell(&live->ports, node);
    live->log.own.whole_ns = 0; /* the lines of the start take no later one's place */
}

static bool live_start(struct live *live)
{
    struct node *node = &live->node;
    struct node_ports ports[TEID_WORKERS] = {0};
    unsigned workers = node_config_workers(&node->config);
    uid_t user;

    if (!privileges_user(live->options->user, &user))
        return false;
    gate_admit(user);
    live->has_eal = eal_live_start(&node->config.live, workers, node_memory_octets(&node->config));
    if (!live->has_eal || !live_ports_open(&live->ports, &node->config.live) ||
        !node_take_buffers(node, live_ports_numa_node(&live->ports)) || !live_ports_start(&live->ports, node))
        return false;
    if (!live_capabilities_open(&live->capabilities))
        return false;
    live_ports_deal(&live->ports, workers, ports);
    live_capabilities_deal(&live->capabilities, workers, ports);
    if (!node_start_on(node, ports))
        return false;
    if (!waits_new(&live->waits, node->config.limits.mobiles, node->workers[0]->context.limits.bvcs)) {
        fprintf(stderr, "gbflow: no memory for the times for which mobiles wait; lower limits.mobiles\n");
        return false;
    }
    start_control(live);
    return start_telemetry(live) && start_workers(live);
}

/* --- the whole run --- */

static int report(const struct live *live)
{
    live_report_print(live);
    if (live->options->json && !live_report_write(live, live->options->json))
        return 1;
    return 0;
}

/* After the rights have been dropped: its thread has none. */
static bool start_metrics(struct live *live)
{
    const struct live_config *config = &live->node.config.live;
    if (!config->metrics.is_on)
        return true;
    live->metrics = live_exporter_start(live, config);
    return live->metrics != NULL;
}

static int start_and_run(struct live *live)
{
    bool is_started = outlet_stderr_begin(&live->output) && live_start(live) &&
                      privileges_drop(live->options->user) && start_metrics(live);
    if (is_started) {
        fprintf(stderr, "gbflow: running; Gn on %s, Gb on %s\n", live->node.config.live.gn.device,
                live->node.config.live.gb.device);
        notify_send(&live->notify, "READY=1\nSTATUS=running");
        live_loop_run(live);
    }
    notify_send(&live->notify, "STOPPING=1");
    telemetry_stop(&live->telemetry); /* a thread of the reload may wait for the end of a server of metrics */
    live_reload_stop(live);
    live_restart_stop(&live->restart);
    telemetry_socket_close(&live->tables);
    metrics_http_stop(live->metrics);
    stop_workers(live);
    live_reload_free(&live->reload);
    live_settle(live);
    sessions_records_end_all(&live->node.sessions);
    live_capture_close(live);
    return is_started ? report(live) | live->has_failed : 1;
}

static int live_end(struct live *live, int status)
{
    reader_stop(&live->reload.reader);
    restart_counter_close(&live->restarts,
                          core_ask(&live->node.core, gtpc_is_empty, !core_has(&live->node.core, gtpc)));
    live_capabilities_stop(&live->capabilities);
    watch_free(live->watch);
    waits_free(&live->waits);
    live_ports_close(&live->ports);
    bool are_kept = live_ports_keep_buffers(&live->ports);
    live_capabilities_close(&live->capabilities);
    unsigned lost = node_free(&live->node);
    if (lost > 0 && !are_kept)
        fprintf(stderr, "gbflow: defect: %u mbufs leaked\n", lost);
    outlet_stderr_end(&live->output);
    if (live->has_eal)
        eal_stop();
    live_loop_close(live);
    lua_config_diff_text_free(live->text);
    free(live->effective);
    live_claims_release(&live->claims);
    notify_close(&live->notify);
    return status;
}

static bool is_live(struct node_config *config)
{
    const char *missing = !config->live.gn.device[0] ? "gn" : !config->live.gb.device[0] ? "gb" : NULL;
    if (missing) {
        fprintf(stderr, "gbflow: %s.port: missing; set it to a DPDK device, which a live node needs\n",
                missing);
        return false;
    }
    if (strcmp(config->live.gn.device, config->live.gb.device) == 0) {
        fprintf(stderr, "gbflow: gb.port: '%s' is gn.port, too; Gn and Gb need a device each\n",
                config->live.gb.device);
        return false;
    }
    return eal_live_check(&config->live);
}

static bool claim(struct live *live)
{
    const struct node_config *config = &live->node.config;
    char address[ADDRESS_BOOK_TEXT_CHARS] = "";
    address_book_text(&config->addresses, config->gb.address, address);
    return live_claims_take(&live->claims, &config->live, address, config->gb.udp_port);
}

/* Sets defaults of a live node: next hops without a configured MAC address are resolved. */
static void make_live(struct live *live)
{
    struct node_config *config = &live->node.config;
    config->live.is_on = true;
    restart_counter_open(&live->restarts, config->live.restart_file);
    config->live.restarts = live->restarts.value;
    if (!config->live.has_gn_peer_mac)
        memset(config->gn.peer_mac, 0, sizeof(config->gn.peer_mac));
}

/* Adds EAL arguments of the command line to those of the configuration. */
static bool add_arguments(struct live_config *config, char *const *arguments)
{
    for (; arguments && *arguments; arguments++) {
        if (config->argument_count == LIVE_CONFIG_ARGUMENTS ||
            strlen(*arguments) >= LIVE_CONFIG_ARGUMENT_CHARS) {
            command_error("", "'%s': at most %d EAL arguments, of %d characters; leave some out", *arguments,
                          LIVE_CONFIG_ARGUMENTS, LIVE_CONFIG_ARGUMENT_CHARS - 1);
            return false;
        }
        snprintf(config->arguments[config->argument_count++], LIVE_CONFIG_ARGUMENT_CHARS, "%s", *arguments);
    }
    return true;
}

/* At the start, since the report is written at the end of a run of weeks. */
static bool can_write(const char *path)
{
    bool is_there = path && access(path, F_OK) == 0;
    FILE *file = path ? fopen(path, "a") : NULL;
    if (path && !file)
        fprintf(stderr, "gbflow: --json %s: %s\n", path, strerror(errno));
    if (file)
        fclose(file);
    if (file && !is_there)
        unlink(path);
    return !path || file;
}

int live_run(const struct live_options *options)
{
    static struct live live; /* too large for a stack */
    static struct watch watch;
    live = (struct live){.options = options,
                         .watch = &watch,
                         .tables = TELEMETRY_SOCKET_CLOSED,
                         .restarts = {.fd = -1},
                         .start_ns = clock_wall_ns()};
    program_file_init(&live.program, "/proc/self/exe");
    privileges_hide_memory();
    notify_open(&live.notify);
    if (log_set_format(&live.log, options->log_format ? options->log_format : "auto"))
        live.log_format = live.log.format;
    if (!node_load(&live.node, options->node) || !is_live(&live.node.config) ||
        !add_arguments(&live.node.config.live, options->eal_arguments))
        return live_end(&live, 2);
    if (!can_write(options->json) || !eal_live_has_descriptors(node_config_workers(&live.node.config)) ||
        !claim(&live) || !records_open(&live.node.records, &live.node.config.live.records))
        return live_end(&live, 1);
    plugin_folder_allow(false); /* a reload loads no code */
    lua_budget_spare();
    live.text = lua_config_diff_text(options->node);
    live.effective = lua_config_diff_effective(live.node.L);
    make_live(&live);
    live_loop_block_signals();
    const struct node_capability_host host = {&live.node, &live.links, options->node, options->user};
    bool is_ready = live.text && reader_start(&live.reload.reader, options->user) &&
                    live_capabilities_start(&live.capabilities, &host) && live_loop_open(&live);
    return live_end(&live, is_ready ? start_and_run(&live) : 1);
}
