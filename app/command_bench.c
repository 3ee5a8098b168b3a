/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "bench/throughput/options.h"
#include "bench/throughput/report.h"
#include "bench/throughput/fixture.h"
#include "bench/throughput/points.h"
#include "bench/throughput/compare.h"
#include "bench/throughput/dut.h"
#include "bench/throughput/generate.h"
#include "bench/throughput/html.h"
#include "bench/throughput/ndr.h"
#include "bench/throughput/pair.h"
#include "bench/throughput/slices.h"
#include "bench/throughput/soak.h"
#include "bench/throughput/stages.h"
#include "control/base/eal.h"
#include "control/base/eal_live.h"

#include <string.h>
#include <sys/prctl.h>

static const char usage[] =
    "usage: gbflow bench preloaded|pair|ndr|soak|stages|generate [OPTION]...\n"
    "       gbflow bench compare A B [OPTION]...\n"
    "       gbflow bench compare --self-check [OPTION]...\n"
    "       gbflow bench report FILE.json... --html FILE\n"
    "\n"
    "preloaded measures how many N-PDUs a second workers carry that are fed from memory: GTP-U frames are "
    "written into\n"
    "buffers, the worker makes a step, what it sent on Gb is counted and freed. Only the steps are measured, "
    "in windows;\n"
    "one in which the machine was away (a step above --gap-us) is void and counted. Prints the median of the "
    "windows, the\n"
    "middle half of them, and between which values the true median lies with 95 %; and what the turn with "
    "generator and\n"
    "sink takes. Lists (A,B) measure every combination.\n"
    "\n"
    "compare measures two programs, A and B, preloaded and in turn, and says whether B is slower. "
    "--self-check compares\n"
    "this program with itself ten times, and ten times with itself made slower by 5 % (--plant).\n"
    "\n"
    "pair measures, in turn, two workers in one process and two processes with one worker each at the same "
    "time.\n"
    "\n"
    "ndr puts a worker into a process of its own behind memif links, and searches the highest rates at which "
    "nothing is\n"
    "lost (NDR) and 0.5 % (PDR), latency at 10, 50 and 90 % of NDR, and NDR of dpdk-testpmd in the worker's "
    "place. Trials\n"
    "in which either process was away for 100 us are void.\n"
    "\n"
    "soak offers 90 % of NDR for 30 minutes: every N-PDU that is lost must lie in a gap of either process, "
    "and memory and\n"
    "buffers must be as before.\n"
    "\n"
    "stages tells where a worker's time goes: each stage of its step alone, with all data in the caches, and "
    "in the step;\n"
    "the sum of the first is the floor, its share of the whole should be half at least. Windows take turns "
    "with such of\n"
    "whole steps.\n"
    "\n"
    "generate measures a node that runs by itself, from outside: it sends GTP-U on one device, is the BSS on "
    "another, and\n"
    "counts what comes. It searches as ndr does, or sends --rate for --seconds.\n"
    "\n"
    "  --octets LIST    of an N-PDU: 64 to 1500, or imix (7 of 64, 4 of 512, 1 of 1400) (64,512,1400; "
    "compare, pair: 64, soak: imix,\n"
    "                   generate: one, 64)\n"
    "  --cipher LIST    none, gea3, gea4 (none)\n"
    "  --mobiles LIST   with one PDP context each (100000)\n"
    "  --cells N        of all workers (1000)\n"
    "  --workers LIST   each with an NSE, a core, and its part of mobiles and cells (1)\n"
    "  --zipf S         popularity of mobiles falls as rank to the power of -S (0: all alike)\n"
    "  --open PERCENT   cells' buckets let so much of the offered octets pass (wide open)\n"
    "  --aqm NAME       a scheme of `gbflow aqm list` with its defaults, or none (codel)\n"
    "  --scope WHAT     of AQM: class_of_nse, class_of_bvc, ms or flow (ms)\n"
    "  --n201-u N       octets of an LLC frame's information at most (500)\n"
    "  --foreign        TEIDs that somebody else chose: each goes through a hash\n"
    "  --check-fcs      open each frame that was sent: N(U), FCS, deciphered if need be\n"
    "  --windows N      to measure, without gaps (100); compare, pair: of a slice (20)\n"
    "  --window-ms N    how long each is, at least (1)\n"
    "  --gap-us N       a step that takes longer voids its window, or ndr's trial (100)\n"
    "  --plant PERCENT  steps take so much longer, by waiting: to check what measures (0)\n"
    "  --rounds N       compare, pair: starts of both sides (12)\n"
    "  --slices N       compare, pair: of each side in a round (16)\n"
    "  --margin PERCENT compare: differences up to it are of no interest (1)\n"
    "  --least PERCENT  pair: fail if two workers reach less of the processes' sum\n"
    "  --searches N     ndr: of each combination (3; soak: 1)\n"
    "  --seconds N      ndr: a search ends after so long (60)\n"
    "  --trial-ms N     ndr: of a trial (20)\n"
    "  --minutes N      soak: how long, parts of one, too (30)\n"
    "  --share PERCENT  soak: of NDR (90); --rate N, generate, too: N-PDUs a second instead, without a "
    "search\n"
    "  --no-roofline    ndr: without testpmd\n"
    "  --seed N         of the traffic (1)\n"
    "  --cores LIST     CPUs of the workers (the last ones); ndr: of workers, then generator; generate: its "
    "own\n"
    "  --huge           take huge pages, or fail; --no-huge: neither DPDK's nor transparent ones;\n"
    "                   --no-dpdk-huge: not DPDK's\n"
    "  --node FILE      generate: only write the configuration of the node that fits, for gbflow serve\n"
    "  --gn, --gb DEV   generate: DPDK devices (ends of memif links); --node-gn, --node-gb: the node's\n"
    "  --link NAME      generate: of the memif links (gbflow-generate)\n"
    "  --gn-mac, --gb-mac MAC  generate: of the node (all that hear; Gb: found out)\n"
    "  --json FILE      report to write (fields: docs/benchmarking.md)\n"
    "  --html FILE      a page of it to write; report makes one of several reports\n"
    "  --quiet          no progress\n"
    "\n"
    "Exit status: 0 success, 1 the run failed (compare: or B is slower), 2 wrong arguments.\n";

static size_t memory_octets(const struct bench_plan *plan)
{
    struct bench_points points = {.plan = plan};
    size_t most = 0;
    do {
        struct bench_point point = bench_points_point(&points);
        size_t octets = bench_fixture_memory_octets(plan, &point);
        most = octets > most ? octets : most;
    } while (bench_points_next(&points));
    return most;
}

static enum bench_points_outcome measure(struct json_stream *json, const struct bench_plan *plan,
                                         const struct bench_point *point)
{
    struct bench_preloaded result;
    if (!bench_preloaded_run(plan, point, &result))
        return BENCH_POINTS_STOP;
    bench_report_row(&result);
    bench_report_trial(json, plan, &result);
    return result.fault ? BENCH_POINTS_BAD : BENCH_POINTS_GOOD;
}

static int run_preloaded(const struct bench_plan *plan)
{
    if (!eal_live_start(&plan->eal, bench_plan_most_workers(plan), memory_octets(plan)))
        return COMMAND_FAILED;
    int status = bench_points_run(plan, &(struct bench_points_mode){bench_report_head, measure});
    eal_stop();
    return status;
}

static const struct {
    const char *name;
    enum bench_options_mode mode;
    int (*run)(const struct bench_plan *plan);
} modes[] = {
    {"preloaded", BENCH_OPTIONS_PRELOADED, run_preloaded},
    {"slices", BENCH_OPTIONS_SLICES, bench_slices_run},
    {"pair", BENCH_OPTIONS_PAIR, bench_pair_run},
    {"compare", BENCH_OPTIONS_COMPARE, bench_compare_run},
    {"ndr", BENCH_OPTIONS_NDR, bench_ndr_run},
    {"soak", BENCH_OPTIONS_SOAK, bench_soak_run},
    {"generate", BENCH_OPTIONS_GENERATE, bench_generate_run},
    {"stages", BENCH_OPTIONS_STAGES, bench_stages_run},
    {"device", BENCH_OPTIONS_DEVICE, bench_dut_run},
};

static int run_mode(unsigned i, int argc, char **argv)
{
    static struct bench_plan plan;
    int status = bench_options_parse(&plan, modes[i].mode, argc, argv);
    if (!command_accepted(usage, &status))
        return status;
    if (!eal_live_check(&plan.eal))
        return COMMAND_USAGE;
    if (plan.has_no_thp)
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if (!bench_html_begin(&plan))
        return COMMAND_FAILED;
    return bench_html_end(&plan, modes[i].run(&plan));
}

int command_bench(int argc, char **argv)
{
    for (unsigned i = 0; argc >= 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            return run_mode(i, argc - 1, argv + 1);
    if (argc >= 2 && strcmp(argv[1], "report") == 0)
        return bench_html_become(argc - 1, argv + 1);
    int status =
        argc >= 2 && strcmp(argv[1], "--help") == 0
            ? COMMAND_HELP
            : command_wrong(
                  "bench",
                  "it takes what to measure: preloaded, compare, pair, ndr, soak, stages or generate", "");
    command_accepted(usage, &status);
    return status;
}
