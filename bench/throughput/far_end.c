/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/arguments.h"
#include "bench/throughput/console.h"
#include "bench/throughput/node_file.h"
#include "bench/throughput/far_end.h"
#include "bench/throughput/values.h"

#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/ports/device_name.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMANDS          "testpmd.txt"
#define TESTPMD_MEGABYTES 256
#define TESTPMD_MBUFS     16383
#define ETHER_OVERHEAD    18 /* header and FCS */
#define STOP_MS           10000
#define SECOND_PORT_US    500000
#define LOG_OCTETS        2000 /* of the log's begin, which says that the node runs */

/* --- commands --- */

/* The node's device of a port; which: 0 Gn, 1 Gb. Only --serve knows others than the memif links. */
static const char *node_device(char out[BENCH_NODE_FILE_CHARS], const struct bench_plan *plan, unsigned which)
{
    const char *given = which == 0 ? plan->node_gn : plan->node_gb;
    if (given[0])
        return given;
    bench_node_file_device(out, plan->link, which, true);
    return out;
}

/* The generator's ports are not memif links, so that the node's are not known here. */
static bool is_unknown(const struct bench_plan *plan)
{
    return (plan->eal.gn.device[0] || plan->eal.gb.device[0]) && (!plan->node_gn[0] || !plan->node_gb[0]);
}

static bool has_pci(const struct bench_plan *plan)
{
    return is_unknown(plan) || device_name_is_pci(plan->node_gn) || device_name_is_pci(plan->node_gb);
}

static void put_port(struct bench_arguments *a, const struct bench_plan *plan, unsigned which)
{
    char device[BENCH_NODE_FILE_CHARS];
    const char *name = node_device(device, plan, which);
    if (is_unknown(plan))
        name = which == 0 ? "GN_DEVICE" : "GB_DEVICE";
    bench_arguments_text(a, is_unknown(plan) || device_name_is_pci(name) ? "-a" : "--vdev");
    bench_arguments_text(a, name);
}

/* Lcore 0 has the prompt, lcore 1 forwards, on the node's CPU. */
static void put_testpmd(struct bench_arguments *a, const struct bench_plan *plan, const char *commands)
{
    bench_arguments_put(a, "dpdk-testpmd --lcores");
    if (plan->node_core == UINT32_MAX)
        bench_arguments_text(a, "0,1");
    else
        bench_arguments_put(a, "0@%u,1@%u", plan->node_core, plan->node_core);
    if (has_pci(plan) || eal_live_has_huge_pages(&plan->eal, (size_t)TESTPMD_MEGABYTES << 20))
        bench_arguments_text(a, "--in-memory");
    else
        bench_arguments_put(a, "--no-huge -m %d", TESTPMD_MEGABYTES);
    if (!has_pci(plan))
        bench_arguments_text(a, "--no-pci");
    bench_arguments_put(a, "--no-telemetry --iova-mode=va --file-prefix %s-t", plan->eal.eal_prefix);
    put_port(a, plan, 0);
    put_port(a, plan, 1);
    bench_arguments_put(a, "-- --forward-mode=io --auto-start --nb-cores=1 --burst=64 --total-num-mbufs=%d",
                        TESTPMD_MBUFS);
    bench_arguments_text(a, "--no-mlockall");
    if (commands)
        bench_arguments_put(a, "--cmdline-file=%s", commands);
    else if (has_pci(plan))
        bench_arguments_put(a, "--max-pkt-len=%d", ETHER_OVERHEAD + BENCH_NODE_FILE_GN_MTU);
}

static void print_node(FILE *out, const struct bench_plan *plan, const struct bench_point *point)
{
    fprintf(out, "  gbflow bench node node.lua --mobiles %u --cells %u --cipher %s --set n201_u=%u%s",
            point->mobiles, point->cells, bench_value_cipher_name(point->cipher), plan->n201_u,
            plan->is_foreign ? " --set teids=foreign" : "");
    if (point->workers > 1)
        fprintf(out, " --workers %u", point->workers);
    if (is_unknown(plan))
        fputs(" --gn GN_DEVICE --gb GB_DEVICE", out);
    else
        fprintf(out, " --set link=%s", plan->link);
    fputs("\n  gbflow serve node.lua\n", out);
}

void bench_far_end_print(FILE *out, const struct bench_plan *plan, const struct bench_point *point,
                         bool is_testpmd)
{
    static struct bench_arguments a;
    if (!is_testpmd) {
        print_node(out, plan, point);
        return;
    }
    a = (struct bench_arguments){.count = 0};
    put_testpmd(&a, plan, NULL);
    fputs(" ", out);
    for (unsigned i = 0; i < a.count; i++)
        fprintf(out, " %s", a.list[i]);
    fputs("\n", out);
}

/* --- the process --- */

static bool write_node(struct bench_far_end *f, const struct bench_plan *plan,
                       const struct bench_point *point, char path[PATH_MAX])
{
    struct bench_plan node = *plan;
    snprintf(path, PATH_MAX, "%s/node.lua", f->folder);
    memcpy(node.eal.gn.device, plan->node_gn, sizeof(node.eal.gn.device));
    memcpy(node.eal.gb.device, plan->node_gb, sizeof(node.eal.gb.device));
    return bench_node_file_write(path, &node, point);
}

/* In the child: not of the terminal's process group, whose Ctrl-C is for this process alone. */
static void become(const struct bench_far_end *f, struct bench_arguments *a, int input_fd)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(input_fd, STDIN_FILENO);
    dup2(f->log.fd, STDOUT_FILENO);
    dup2(f->log.fd, STDERR_FILENO);
    if (f->is_testpmd)
        execvp(a->list[0], a->list);
    else
        execv("/proc/self/exe", a->list);
    dprintf(STDERR_FILENO, "%s: %s\n", a->list[0], strerror(errno));
    _exit(127);
}

/* For testpmd: the MTU itself, which it would reckon from --max-pkt-len wrongly for some drivers
 * (net_vmxnet3). */
static bool write_commands(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file, "port stop all\nport config mtu 0 %d\nport config mtu 1 %d\nport start all\n",
            BENCH_NODE_FILE_GN_MTU, BENCH_NODE_FILE_GN_MTU);
    return fclose(file) == 0;
}

static bool put_command(struct bench_far_end *f, struct bench_arguments *a, const struct bench_plan *plan,
                        const struct bench_point *point)
{
    char path[PATH_MAX];
    if (f->is_testpmd) {
        snprintf(path, sizeof(path), "%s/" COMMANDS, f->folder);
        put_testpmd(a, plan, has_pci(plan) && write_commands(path) ? path : NULL);
        return true;
    }
    if (!write_node(f, plan, point, path))
        return false;
    bench_arguments_put(a, "gbflow serve %s", path);
    return true;
}

bool bench_far_end_start(struct bench_far_end *f, const struct bench_plan *plan,
                         const struct bench_point *point, bool is_testpmd)
{
    static struct bench_arguments a;
    int ends[2];
    *f = (struct bench_far_end){
        .input_fd = -1, .is_testpmd = is_testpmd, .log = {.fd = -1}, .folder = "/tmp/gbflow-bench-XXXXXX"};
    a = (struct bench_arguments){.count = 0};
    if (!mkdtemp(f->folder)) {
        bench_error("%s: %s", f->folder, strerror(errno));
        f->folder[0] = 0;
        return false;
    }
    if (!bench_process_log_open(&f->log, plan->out, is_testpmd ? "testpmd" : "node") ||
        !put_command(f, &a, plan, point) || pipe2(ends, O_CLOEXEC) < 0)
        return false;
    fflush(NULL);
    f->pid = fork();
    if (f->pid == 0)
        become(f, &a, ends[0]);
    close(ends[0]);
    f->input_fd = ends[1];
    if (f->pid > 0)
        return true;
    bench_error("%s cannot be started: %s", a.list[0], strerror(errno));
    f->pid = 0;
    return false;
}

const char *bench_far_end_name(const struct bench_far_end *f)
{
    return f->is_testpmd ? "dpdk-testpmd" : "gbflow serve";
}

bool bench_far_end_is_well(struct bench_far_end *f)
{
    int status = 0;
    if (f->pid <= 0 || waitpid(f->pid, &status, WNOHANG) == 0)
        return !f->log.ended[0];
    f->pid = 0;
    bench_process_log_end(&f->log, status);
    bench_progress_end();
    bench_error("%s %s", bench_far_end_name(f), f->log.ended);
    return false;
}

bool bench_far_end_runs(const struct bench_far_end *f)
{
    char text[LOG_OCTETS + 1];
    FILE *file = f->is_testpmd ? NULL : fopen(f->log.path, "r"); /* testpmd's output comes late */
    if (!file)
        return f->is_testpmd;
    text[fread(text, 1, LOG_OCTETS, file)] = 0;
    fclose(file);
    return strstr(text, "gbflow: running") != NULL;
}

bool bench_far_end_is_listening(const char *socket)
{
    char line[256];
    bool is_there = false;
    FILE *file = fopen("/proc/net/unix", "r");
    while (file && !is_there && fgets(line, sizeof(line), file))
        is_there = strstr(line, socket) != NULL;
    if (file)
        fclose(file);
    if (is_there)
        usleep(SECOND_PORT_US);
    return is_there;
}

/* SIGTERM, then SIGKILL. */
static void far_end_end(pid_t pid)
{
    kill(pid, SIGTERM);
    for (unsigned i = 0; i < STOP_MS; i++) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return;
        usleep(1000);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

void bench_far_end_stop(struct bench_far_end *f)
{
    char path[PATH_MAX];
    if (f->input_fd >= 0)
        close(f->input_fd);
    if (f->pid > 0)
        far_end_end(f->pid);
    if (f->folder[0]) {
        snprintf(path, sizeof(path), "%s/node.lua", f->folder);
        unlink(path);
        snprintf(path, sizeof(path), "%s/" COMMANDS, f->folder);
        unlink(path);
        rmdir(f->folder);
    }
    bench_process_log_close(&f->log);
    *f = (struct bench_far_end){.input_fd = -1, .log = {.fd = -1}};
}
