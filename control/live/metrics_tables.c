/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/metrics_tables.h"

/* Tables in the order of the answer. A label names an object as long as it exists; states may change. */
const struct metrics_table live_metrics_tables[] = {
    {"node", "node", NULL, "version"},
    {"control", "control", NULL, NULL},
    {"workers", "worker", "worker", NULL},
    {"ports", "port", "side,device", NULL},
    {"drops", "drops", "side,of,reason", NULL},
    {"nse", "nsvc", "nsei,nsvci,address", "state,test"},
    {"link", "link", "nsei", NULL},
    {"bvc", "cell", "nsei,bvci", "state,usable"},
    {"class", "class", "class", NULL},
    {"cell_class", "cell_class", "nsei,bvci,class", NULL},
    {"cell_drops", "cell_drops", "nsei,bvci,class,reason", NULL},
    {"aqm", "aqm", "class,scheme,scope,hook", NULL},
    {"paths", "path", "sgsn_address,ggsn_address", "state"},
    {"gtpc_counts", "gtpc", NULL, NULL},
    {"counts", "signalling", "name", NULL},
    {"phone_counts", "phones", "name", NULL},
    {"ms", "mobile", "tlli", "state"},
    {NULL, NULL, NULL, NULL},
};
