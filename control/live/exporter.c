/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/exporter.h"

#include "control/live/live.h"
#include "control/show/metrics.h"

static const struct metrics_table tables[] = {
    {"node", "node", NULL, "version,program"},
    {"control", "control", NULL, NULL},
    {"workers", "worker", "worker", NULL},
    {"ports", "port", "side,device", "driver,link,spread,offloads,vlan"},
    {"port_counts", "driver", "side,name", NULL},
    {"drops", "drops", "side,of,reason", NULL},
    {"handled", "handled", "side,kind", NULL},
    {"shares", "share", "worker,kind,name", NULL},
    {"llc", "llc", NULL, NULL},
    {"unhandled", "unhandled", "sapi,protocol,message", NULL},
    {"nse", "nsvc", "nsei,nsvci,address", "state,test"},
    {"link", "link", "nsei", NULL},
    {"bvc", "cell", "nsei,bvci", "state,usable"},
    {"class", "class", "class", NULL},
    {"cell_class", "cell_class", "nsei,bvci,class", NULL},
    {"cell_drops", "cell_drops", "nsei,bvci,class,reason", NULL},
    {"cell_waits", "cell_waits", "nsei,bvci,cause", NULL},
    {"aqm", "aqm", "class,scheme,scope,hook", NULL},
    {"pacing", "pacing", "worker", NULL},
    {"compression", "compression", "worker", NULL},
    {"compression_kind", "compression_kind", "kind,direction", NULL},
    {"paths", "path", "sgsn_address,ggsn_address", "state"},
    {"gtpc_counts", "gtpc", NULL, NULL},
#include "control/esp/metrics.def"
    {"counts", "signalling", "name", NULL},
    {"hlr", "hlr", "address,tcp_port", "state"},
    {"pool", "pool", "nris", "offload"},
    {"phone_counts", "phones", "name", NULL},
    {"ms", "mobile", "imsi", "tlli,state,waits_for"},
    {NULL, NULL, NULL, NULL},
};

struct metrics_http *live_exporter_start(struct live *live, const struct live_config *config)
{
    const struct metrics_http_options options = {
        .address = config->metrics.address,
        .port = config->metrics.port,
        .tables = tables,
        .limited = "ms",
        .rows_max = config->metrics.mobiles,
        .start_ns = live->start_ns,
        .ready_table = "bvc",
        .ready_column = "usable",
        .ready_value = "yes",
    };
    return metrics_http_start(&live->telemetry, &options);
}
