/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow bench`: its modes, and the one that runs. */
#include "bench/throughput/modes.h"
#include "control/base/command.h"

#include "bench/throughput/comparison.h"
#include "bench/throughput/dut.h"
#include "bench/throughput/ndr.h"
#include "bench/throughput/node_file.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/report.h"
#include "bench/throughput/slices.h"
#include "bench/throughput/soak.h"
#include "bench/throughput/workers.h"
#include "bench/throughput/preloaded.h"

#include <string.h>

#define STATUS "0 success, 1 the run failed, 2 wrong arguments"
#define FIELDS "JSON fields: docs/benchmarking.md, \"The report in JSON\""

static const struct command_mode names[] = {
    {"preloaded", "N-PDU/s and ns per N-PDU of workers fed from memory"},
    {"workers", "how the rate grows with the number of workers: counted, modelled, measured"},
    {"ndr", "NDR, PDR and latency of a worker between two memif links, and of dpdk-testpmd"},
    {"soak", "loss at 90 % of NDR for 30 minutes; leaks of mbufs and memory"},
    {"stages", "ns, instructions and lines of cache per N-PDU of each stage of a worker's step"},
    {"compare", "two builds of gbflow in alternating slices: is the second one slower?"},
    {"sched", "ns per N-PDU of the scheduler, and of DPDK's rte_sched under the same load"},
    {"generate", "NDR, PDR and latency of a running node: GGSN and BSS in one program; RFC 2544"},
    {"node", "the configuration of a node for generate"},
    {"report", "reports in JSON to one HTML page"},
};

static const struct bench_mode_row rows[] = {
    {"bench preloaded", "gbflow bench preloaded [OPTION]...",
     "Forwarding rate of workers whose Gn and Gb ports are rings in memory. In turn 64 GTP-U frames are put "
     "into "
     "the Gn ring, the worker makes one step, and the frames of the Gb ring are counted and freed. Only the "
     "steps are timed, in windows; a window with a step longer than gap_us is void and measured again. "
     "Prints "
     "ns per N-PDU (median, quartiles and 95 % interval of the median of the windows) and N-PDU/s for each "
     "combination of the LISTs.",
     "gbflow bench preloaded --octets 64 --cipher none,gea3 --json preloaded.json",
     "docs/benchmarking.md, \"preloaded: workers fed from memory\"\n" FIELDS, STATUS, bench_preloaded_mode},
    {"bench workers", "gbflow bench workers [OPTION]...",
     "How the forwarding rate grows with the number of workers. Frames come to their own worker (teid), all "
     "to "
     "one worker (address), or to the workers in turn. Counts, for any number of workers, the frames that "
     "are "
     "steered to another worker, and the lines of cache that pass between workers. Predicts N-PDU/s from "
     "these "
     "counts and from times of one and two CPUs. Measures each number of workers that has CPUs enough, in "
     "interleaved windows, fed from memory.",
     "gbflow bench workers --workers 1,2,4,8,16 --octets 512 --html workers.html",
     "docs/benchmarking.md, \"workers: how the rate grows\"\n" FIELDS, STATUS, bench_workers_mode},
    {"bench ndr", "gbflow bench ndr [OPTION]...",
     "Non-drop rate (NDR) and partial drop rate (PDR, 0.5 %) by search. The workers run in a process of "
     "their own; the generator sends GTP-U over memif and counts the LLC frames that come back. Then "
     "latency at 10, 50 and 90 % of NDR, and NDR of dpdk-testpmd in the worker's place. A trial whose loss "
     "gaps of either process can explain is void and made again.",
     "gbflow bench ndr --octets 512 --cipher none,gea3 --json ndr.json",
     "docs/benchmarking.md, \"ndr: NDR and PDR over memif\"\n" FIELDS, STATUS ", 3 dpdk-testpmd is missing",
     bench_ndr_run},
    {"bench soak", "gbflow bench soak [OPTION]...",
     "Constant offered load for a long time, with the ports of ndr. Each lost N-PDU must lie in a gap of the "
     "worker or of the generator, all others must be accounted for, and at the end no mbuf may be missing "
     "and "
     "no process may have grown by more than 1 MiB.",
     "gbflow bench soak --minutes 30 --rate 90% --json soak.json",
     "docs/benchmarking.md, \"soak: constant load for 30 minutes\"\n" FIELDS, STATUS, bench_soak_run},
    {"bench stages", "gbflow bench stages [OPTION]...",
     "Where the time of a worker's step goes. In turn a window of whole steps, a window of steps that the "
     "harness runs stage by stage, and a window for each stage alone, on data that stay in the nearest "
     "caches. "
     "The sum of the stages alone is the floor; its share of the whole step should be at least half.",
     "gbflow bench stages --octets 512 --cipher gea3 --json stages.json",
     "docs/benchmarking.md, \"stages: where the time goes\"\n" FIELDS, STATUS, bench_stages_run},
    {"bench compare", "gbflow bench compare A B [OPTION]...",
     "Two programs, A and B, each a build of gbflow, run preloaded in alternating slices on the same CPUs. A "
     "round starts both again. Prints how much more time an N-PDU takes B, with a 95 % interval over the "
     "rounds; B is slower or faster if the whole interval is beyond --margin.",
     "gbflow bench compare old/gbflow build/gbflow --octets 64,512",
     "docs/benchmarking.md, \"compare: two builds in alternating slices\"\n" FIELDS,
     "0 success, 1 B is slower or the run failed, 2 wrong arguments", bench_comparison_mode},
    {"bench sched", "gbflow bench sched [OPTION]...",
     "gbflow's scheduler beside DPDK's rte_sched under the same load, in alternating rounds on one CPU. "
     "Prints the "
     "processor time per N-PDU of gbflow, of all steps of rte_sched, and of those of its steps that found a "
     "full "
     "burst; how much of each gbflow takes; and instructions per N-PDU. rte_sched runs on a clock that is "
     "set, and no "
     "step is left out. For scale Linux's htb with fq_codel and pfifo, which needs root and tc.",
     "gbflow bench sched --mobiles 4096 --rounds 9 --html sched.html",
     "docs/benchmarking.md, \"sched: the scheduler beside rte_sched\"\n" FIELDS, STATUS,
     bench_schedulers_run},
    {"bench generate", "gbflow bench generate [OPTION]...",
     "Measures a node that runs by itself (`gbflow serve NODE.lua`): sends GTP-U on one device, plays the "
     "BSS on "
     "another, counts the LLC frames. Searches NDR and PDR, then measures latency at 90 % of NDR; with "
     "--rate it "
     "makes one trial of --seconds. `gbflow bench node` writes NODE.lua; both take the same --mobiles, "
     "--cells, --workers, "
     "--cipher, teids and n201_u. With --rfc2544 a report by N-PDU size; with --serve it starts the node "
     "itself.",
     "gbflow bench generate --rfc2544 --serve --json report.json --html report.html",
     "docs/benchmarking.md, \"generate: a running node\"\ndocs/benchmark-setup.md, \"From the cards to the "
     "page\"\n" FIELDS,
     STATUS ", 3 dpdk-testpmd is missing", bench_generate_run},
    {"bench node", "gbflow bench node NODE.lua [OPTION]...",
     "Writes the configuration of a node for `gbflow serve`, with the mobiles, contexts and cells that "
     "`gbflow "
     "bench generate` has.",
     "gbflow bench node node.lua --mobiles 1000 --cipher gea3",
     "docs/benchmarking.md, \"generate: a running node\"",
     "0 success, 1 the file cannot be written, 2 wrong arguments", bench_node_file_run},
    {"bench report", "gbflow bench report FILE.json... --html FILE",
     "One HTML page of one or more reports (--json of the other modes): tables and plots; nothing is "
     "measured.",
     "gbflow bench report preloaded.json ndr.json --html bench.html",
     "docs/benchmarking.md, \"report: one page\"", "0 success, 1 a report cannot be read, 2 wrong arguments",
     bench_report_html_run},
};

static const struct bench_modes modes = {
    .list = {.command = "bench",
             .noun = "MODE",
             .head = "usage: gbflow bench MODE [OPTION]...\n\n"
                     "Throughput, loss and latency of the downlink, from GTP-U on Gn to NS on Gb.\n\n"
                     "MODE is one of:\n",
             .tail = "\ngbflow bench MODE --help (or -h) has the mode's options.\n"
                     "Methods, fields of the reports: docs/benchmarking.md.\nExit status: " STATUS ".\n",
             .modes = names,
             .count = sizeof(names) / sizeof(names[0])},
    .rows = rows,
    .first = BENCH_PRELOADED,
};

/* Processes of other modes. */
static const struct {
    const char *name;
    enum bench_mode mode;
    struct bench_mode_row row;
} hidden[] = {
    {"slices",
     BENCH_SLICES,
     {.command = "bench slices",
      .about = "usage: started by `gbflow bench compare` and gbflow-fitness; protocol:\n"
               "bench/throughput/slices.h\n",
      .run = bench_slices_run}},
    {"dut",
     BENCH_DUT,
     {.command = "bench dut",
      .about = "usage: started by `gbflow bench ndr` and `gbflow bench soak`; see\nbench/throughput/dut.h\n",
      .run = bench_dut_run}},
};

int command_bench(int argc, char **argv)
{
    for (unsigned i = 0; argc >= 2 && i < sizeof(hidden) / sizeof(hidden[0]); i++)
        if (strcmp(argv[1], hidden[i].name) == 0)
            return bench_mode_hidden(&hidden[i].row, hidden[i].mode, argc - 1, argv + 1);
    return bench_mode_main(&modes, argc, argv);
}
