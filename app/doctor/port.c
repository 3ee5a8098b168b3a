/* SPDX-License-Identifier: BSD-3-Clause */
/* A port as its driver describes it, started for a moment: what a node would get of it. */
#include "app/doctor/doctor.h"

#include "app/doctor/finding.h"

#include "control/base/eal.h"
#include "dataplane/base/teid.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/device.h"
#include "dataplane/ports/device_name.h"

#include <rte_ethdev.h>
#include <string.h>

#define NAME          "port"
#define MEMORY_OCTETS (64u << 20)
#define ERROR_CHARS   200
#define MOST_MTU      9600

#define BUFFERS 8191 /* net_af_xdp gives thousands to the kernel */

static unsigned buffers_for(unsigned queues)
{
    return queues * DEVICE_DESCRIPTORS + BUFFERS;
}

static void examine_driver(struct findings *d, const struct device *device,
                           const struct rte_eth_dev_info *info)
{
    char firmware[32] = "";
    int node = device_numa_node(device);
    char where[24] = "";
    if (rte_eth_dev_fw_version_get(device->id, firmware, sizeof(firmware)) != 0)
        firmware[0] = 0;
    if (node >= 0)
        snprintf(where, sizeof(where), ", NUMA node %d", node);
    finding_ok(d, NAME, "%.*s: driver %s%s%s%s, %u receive and %u transmit queues",
               (int)strcspn(device->name, ","), device->name, device_driver(device),
               firmware[0] ? ", firmware " : "", firmware, where, info->max_rx_queues, info->max_tx_queues);
}

static void examine_spread(struct findings *d, const struct device *device, unsigned workers)
{
    const char *text = device_spread_text(device->spread);
    if (device->queues < workers)
        finding_unusable(d, NAME,
                         "lower workers, or give the device more queues if its driver has an argument for it",
                         "it has %u queue%s for %u workers, and is refused", device->queues,
                         device->queues == 1 ? "" : "s", workers);
    else if (device->spread != DEVICE_SPREAD_ONE && device->spread != DEVICE_SPREAD_OWN)
        finding_warn(d, NAME, "docs/sharding.md: which frames are passed on between workers, and what to do",
                     "received frames of %u workers: %s, not by TEID", workers, text);
    else
        finding_ok(d, NAME, "received frames of %u worker%s: %s", workers, workers == 1 ? "" : "s", text);
}

static void examine_plan(struct findings *d, const struct device *device)
{
    char offloads[DEVICE_OFFLOADS_CHARS];
    uint16_t mtu_octets = 0;
    rte_eth_dev_get_mtu(device->id, &mtu_octets);
    device_offloads_text(&device->plan, offloads);
    finding_ok(d, NAME, "offloads, if all are wanted: %s; MTU up to %u", offloads, mtu_octets);
}

static void examine(struct findings *d, struct device *device, struct rte_mempool *pool, unsigned workers)
{
    char error[ERROR_CHARS];
    struct rte_eth_dev_info info = {.driver_name = ""};
    if (rte_eth_dev_info_get(device->id, &info) < 0)
        return;
    examine_driver(d, device, &info);
    unsigned most = RTE_MIN(info.max_rx_queues, info.max_tx_queues);
    const struct device_wishes wishes = {.queues = (uint16_t)RTE_MIN(workers, most),
                                         .mtu_octets = MOST_MTU,
                                         .vlan = 1,
                                         .has_offloads = true,
                                         .teid_shift = TEID_WORKER_SHIFT};
    if (!device_start(device, &wishes, pool, error, sizeof(error))) {
        finding_unusable(d, NAME, "another device, or another argument of it", "it does not start: %s",
                         error);
        return;
    }
    examine_spread(d, device, workers);
    examine_plan(d, device);
}

void doctor_port_examine(struct findings *d, const char *name, unsigned workers)
{
    struct device device;
    char error[ERROR_CHARS] = "out of memory", path[DEVICE_NAME_PATH_CHARS];
    if (device_name_waits(name, path)) {
        finding_warn(d, NAME, "start the node: it says what it got",
                     "%.*s: its driver waits for a peer at %s", (int)strcspn(name, ","), name, path);
        return;
    }
    if (!eal_start_device(name, MEMORY_OCTETS + buffers_for(workers) * (POOL_DATA_OCTETS + 512u))) {
        finding_unusable(d, NAME, "end the process that uses the device, or run as root",
                         "DPDK does not start");
        return;
    }
    struct rte_mempool *pool = pool_new("doctor", buffers_for(workers));
    if (pool && device_open(&device, name, error, sizeof(error))) {
        examine(d, &device, pool, workers);
        device_close(&device);
    } else {
        finding_unusable(d, NAME, "docs/benchmark-setup.md: binding of cards; docs/serve.md: virtual devices",
                         "%.*s: %s", (int)strcspn(name, ","), name, error);
    }
    rte_mempool_free(pool);
    eal_leave();
}
