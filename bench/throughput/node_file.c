/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/node_file.h"
#include "bench/throughput/console.h"
#include "bench/throughput/gb_peer.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/sink.h"
#include "bench/throughput/values.h"

#include "bench/throughput/fixture.h"
#include "control/base/command.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RING_BITS   10 /* log2 of the frames in a memif ring */
#define BUFFERS     65535
#define ADDRESS_MAX 16

void bench_node_file_device(char out[BENCH_NODE_FILE_CHARS], const char *socket, unsigned id, bool is_server)
{
    snprintf(out, BENCH_NODE_FILE_CHARS, "net_memif%u,role=%s,id=%u,socket=%s,socket-abstract=yes,rsize=%u",
             id, is_server ? "server" : "client", id, socket, RING_BITS);
}

static const char *dotted(char out[ADDRESS_MAX], uint32_t ip)
{
    snprintf(out, ADDRESS_MAX, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 0xff, ip >> 8 & 0xff, ip & 0xff);
    return out;
}

static void put_mac(FILE *file, const char *before, const uint8_t mac[6], const char *behind)
{
    fprintf(file, "%s\"%02x:%02x:%02x:%02x:%02x:%02x\"%s", before, mac[0], mac[1], mac[2], mac[3], mac[4],
            mac[5], behind);
}

static void put_ports(FILE *file, const struct bench_plan *plan)
{
    static const uint8_t gn_mac[] = BENCH_GB_PEER_GN_MAC;
    char gn[BENCH_NODE_FILE_CHARS], gb[BENCH_NODE_FILE_CHARS], address[ADDRESS_MAX];
    bench_node_file_device(gn, plan->link, 0, true);
    bench_node_file_device(gb, plan->link, 1, true);
    fprintf(file, "  gn = { port = \"%s\"", plan->eal.gn.device[0] ? plan->eal.gn.device : gn);
    if (plan->eal.gn.device[0])
        fprintf(file, ", mtu = \"%d octets\"", BENCH_NODE_FILE_GN_MTU);
    put_mac(file, ", peer_mac = ", gn_mac, " },\n");
    fprintf(file, "  gb = { address = \"%s\", udp_port = %d, port = \"%s\" },\n",
            dotted(address, BENCH_GB_PEER_SGSN_IP), BENCH_GB_PEER_PORT,
            plan->eal.gb.device[0] ? plan->eal.gb.device : gb);
}

static void put_cells(FILE *file)
{
    fprintf(file,
            "local function cells(first, count)\n"
            "  local list = {}\n"
            "  for i = first, first + count - 1 do\n"
            "    list[#list + 1] = { bvci = %d + i, cell_id = { mcc = \"001\", mnc = \"01\", lac = 1, rac = "
            "1, ci = "
            "i } }\n"
            "  end\n"
            "  return list\n"
            "end\n\n",
            BENCH_GB_PEER_BVCI);
}

/* One key for all mobiles: the cost of ciphering is the same. */
static void put_key(FILE *file, uint8_t cipher)
{
    const struct llc_cipher_params key = bench_sink_cipher(cipher, 0);
    if (!cipher)
        return;
    fprintf(file, "local ciphering = { algorithm = \"%s\", iov_ui = 0x%08" PRIx32 ", kc = \"",
            bench_value_cipher_name(cipher), key.iov_ui);
    for (unsigned i = 0; i < key.kc_octets; i++)
        fprintf(file, "%02x", key.kc[i]);
    fputs("\" }\n", file);
}

/* Few Lua instructions and little memory for each mobile: reading a configuration limits both, to some 50000
 * mobiles. */
static void put_mobiles(FILE *file, const struct bench_plan *plan, const struct bench_point *point)
{
    struct bench_traffic_params traffic = bench_fixture_traffic(plan, point, 0);
    char sgsn[ADDRESS_MAX], ggsn[ADDRESS_MAX];
    fprintf(file,
            "local list, format = {}, string.format\n"
            "local function add(nsei, first, last, cell, cell_count)\n"
            "  for block = first // 256, last // 256 do\n"
            "    local net = format(\"%u.%%d.%%d.\", %u + (block >> 8), block & 255)\n"
            "    for d = math.max(0, first - 256 * block), math.min(255, last - 256 * block) do\n"
            "      local i = 256 * block + d\n"
            "      list[i + 1] = {\n"
            "        imsi = \"0010\" .. 10000000000 + i, tlli = 0x%08x + i, nsei = nsei,\n"
            "        bvci = cell + (i - first) %% cell_count,%s\n",
            BENCH_TRAFFIC_ADDRESS >> 24, BENCH_TRAFFIC_ADDRESS >> 16 & 0xff, BENCH_SINK_TLLI,
            point->cipher ? " ciphering = ciphering," : "");
    fprintf(
        file,
        "        contexts = { { nsapi = 5, sgsn_address = \"%s\", ggsn_address = \"%s\", ggsn_teid = i + 1,\n"
        "          %saddress = net .. d } },\n"
        "      }\n"
        "    end\n"
        "  end\n"
        "end\n",
        dotted(sgsn, traffic.sgsn_ip), dotted(ggsn, traffic.ggsn_ip),
        plan->is_foreign ? "teid = i + 1, " : "");
    for (unsigned i = 0; i < point->workers; i++) {
        const uint32_t first = bench_fixture_first(point->mobiles, i, point->workers);
        fprintf(file, "add(%u, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ")\n", BENCH_GB_PEER_NSEI + i,
                first, first + bench_fixture_part(point->mobiles, i, point->workers) - 1,
                BENCH_GB_PEER_BVCI + bench_fixture_first(point->cells, i, point->workers),
                bench_fixture_part(point->cells, i, point->workers));
    }
    fputs("\n", file);
}

/* An NSE for each worker. */
static void put_nses(FILE *file, const struct bench_point *point)
{
    static const uint8_t gb_mac[] = BENCH_GB_PEER_GB_MAC;
    char bss[ADDRESS_MAX];
    fputs("  nses = {\n", file);
    for (unsigned i = 0; i < point->workers; i++) {
        fprintf(file,
                "    { nsei = %u, worker = %u, cells = cells(%" PRIu32 ", %" PRIu32
                "),\n      nsvcs = { { nsvci = %u, address = \"%s\", udp_port = %u",
                BENCH_GB_PEER_NSEI + i, i, bench_fixture_first(point->cells, i, point->workers),
                bench_fixture_part(point->cells, i, point->workers), BENCH_GB_PEER_NSVCI + i,
                dotted(bss, BENCH_GB_PEER_BSS_IP), BENCH_GB_PEER_PORT + i);
        put_mac(file, ", mac = ", gb_mac, " } } },\n");
    }
    fputs("  },\n", file);
}

static void put_node(FILE *file, const struct bench_plan *plan, const struct bench_point *point)
{
    char cores[32] = "", prefix[32] = "gbflow-generate";
    if (plan->node_core != UINT32_MAX)
        snprintf(cores, sizeof(cores), ", cores = { %u }", plan->node_core);
    if (plan->is_served)
        snprintf(prefix, sizeof(prefix), "gbflow-served%d", (int)getpid());
    fputs("return {\n", file);
    put_ports(file, plan);
    if (point->workers > 1)
        fprintf(file, "  workers = %u,\n", point->workers);
    put_nses(file, point);
    fprintf(file,
            "  mobiles = { source = \"list\", list = list, n201_u = \"%u octets\", ready_timer = "
            "\"infinite\" },\n",
            plan->n201_u);
    if (plan->aqm.choice.ops)
        fprintf(file, "  queues = { aqm = { scheme = \"%s\", scope = \"%s\" } },\n",
                plan->aqm.choice.ops->name, bench_value_scope_name(plan));
    fprintf(file,
            "  limits = { mobiles = %" PRIu32 ", contexts = %" PRIu32 ", npdu_buffers = %d },\n"
            "  live = { idle = \"poll\"%s },\n"
            "  eal = { prefix = \"%s\", huge_pages = \"%s\" },\n"
            "}\n",
            point->mobiles, point->mobiles, BUFFERS, cores, prefix,
            plan->eal.pages == LIVE_CONFIG_PAGES_HUGE     ? "yes"
            : plan->eal.pages == LIVE_CONFIG_PAGES_NORMAL ? "no"
                                                          : "auto");
}

bool bench_node_file_write(const char *path, const struct bench_plan *plan, const struct bench_point *point)
{
    FILE *file = fopen(path, "w");
    bool is_done = file != NULL;
    if (file) {
        fputs(
            "-- For `gbflow serve`: the node that `gbflow bench generate` sends to. On other devices, change "
            "gn.port and gb.port.\n\n",
            file);
        put_cells(file);
        put_key(file, point->cipher);
        put_mobiles(file, plan, point);
        put_node(file, plan, point);
        is_done = ferror(file) == 0;
        is_done = fclose(file) == 0 && is_done;
    }
    if (!is_done)
        bench_error("%s: %s", path, strerror(errno));
    return is_done;
}

int bench_node_file_run(const struct bench_plan *plan)
{
    const struct bench_point point = bench_plan_point(&(struct bench_points){.plan = plan});
    return bench_node_file_write(plan->files[0], plan, &point) ? COMMAND_OK : COMMAND_FAILED;
}
