/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/ports.h"

#include "control/links/links.h"

#include "control/base/eal.h"
#include "control/core/core.h"
#include "control/log/log.h"
#include "control/report/totals.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/teid.h"
#include "dataplane/ports/device_name.h"
#include "dataplane/worker/worker.h"

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define ERROR_CHARS        256
#define LINE_CHARS         512
#define NUDGE_EVERY_NS     (MOMENT_SECOND / 10)
#define LOOK_EVERY_NS      (MOMENT_SECOND / 10)
#define SETTLE_NS          (4 * MOMENT_SECOND) /* since the start of the node */
#define WAKE_NS            (MOMENT_SECOND / 50)
#define LOOK_DOWN_EVERY_NS MOMENT_SECOND
#define STEERED_ENOUGH     10000 /* frames from which on the steered ones are judged */
#define LEAST_MTU_OCTETS   576U
#define USUAL_MTU_OCTETS   1500

/* --- start --- */

static bool is_af_xdp(const struct live_port *port)
{
    return port->config && device_name_is_kind(port->config->device, "net_af_xdp");
}

static void on_event(const char *name, enum rte_dev_event_type type, void *arg)
{
    struct live_ports *ports = arg;
    if (type != RTE_DEV_EVENT_REMOVE || atomic_load(&ports->is_removed))
        return;
    snprintf(ports->removed, sizeof(ports->removed), "%s", name);
    atomic_store(&ports->is_removed, true);
}

/* The driver of a port that waits for its peer sleeps until that has connected; signals end the program then.
 */
static bool open_waiting(struct device *device, const char *side, const char *name, char *error, size_t cap)
{
    char path[DEVICE_NAME_PATH_CHARS];
    sigset_t ends, before;
    if (!device_name_waits(name, path))
        return device_open(device, name, error, cap);
    fprintf(stderr, "gbflow: %s.port '%s': waits until a vhost peer connects to %s\n", side, name, path);
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &ends, &before);
    bool is_open = device_open(device, name, error, cap);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_open;
}

static bool open_one(struct live_port *port, enum msg_port number, const struct live_config_port *config)
{
    char error[ERROR_CHARS];
    const char *side = number == MSG_PORT_GN ? "gn" : "gb";
    *port = (struct live_port){.number = number, .side = side, .config = config};
    port->is_open = open_waiting(&port->device, side, config->device, error, sizeof(error));
    if (!port->is_open)
        fprintf(stderr, "gbflow: %s.port '%s': %s\n", side, config->device, error);
    return port->is_open;
}

bool live_ports_open(struct live_ports *ports, const struct live_config *config)
{
    rte_dev_event_callback_register(NULL, on_event, ports);
    if (!open_one(&ports->gn, MSG_PORT_GN, &config->gn) || !open_one(&ports->gb, MSG_PORT_GB, &config->gb))
        return false;
    unsigned gn = ports->gn.device.interface_index, gb = ports->gb.device.interface_index;
    if (gn == 0 || gn != gb)
        return true;
    fprintf(stderr,
            "gbflow: gb.port '%s': its network interface is gn.port's, too; Gn and Gb need one each\n",
            config->gb.device);
    return false;
}

int live_ports_numa_node(const struct live_ports *ports)
{
    int gn = device_numa_node(&ports->gn.device), gb = device_numa_node(&ports->gb.device);
    return gn >= 0 ? gn : gb >= 0 ? gb : SOCKET_ID_ANY;
}

static bool start_one(struct live_port *port, const struct device_wishes *wishes, struct rte_mempool *pool,
                      uint8_t mac[6])
{
    char error[ERROR_CHARS];
    uint16_t mtu_octets = 0;
    if (!device_start(&port->device, wishes, pool, error, sizeof(error))) {
        fprintf(stderr, "gbflow: %s.port '%s': %s\n", port->side, port->config->device, error);
        return false;
    }
    if (port->config->has_mac)
        port->keeps_mac = !device_set_mac(&port->device, mac);
    else
        memcpy(mac, port->device.mac, sizeof(port->device.mac));
    memcpy(port->mac, mac, sizeof(port->mac));
    port->is_short = wishes->mtu_octets > USUAL_MTU_OCTETS &&
                     rte_eth_dev_get_mtu(port->device.id, &mtu_octets) == 0 &&
                     mtu_octets < wishes->mtu_octets;
    port->kernel_mtu = device_interface_mtu(&port->device);
    port->is_narrow = port->kernel_mtu > 0 && port->kernel_mtu < wishes->mtu_octets;
    if (port->kernel_mtu >= wishes->mtu_octets)
        port->is_short = false;         /* the driver does not know better */
    port->is_up = port->is_told = true; /* until the first look */
    return true;
}

static struct device_wishes wishes_of(const struct live_config_port *config, uint32_t mtu_octets,
                                      const struct node_config *node)
{
    return (struct device_wishes){.queues = (uint16_t)node_config_workers(node),
                                  .mtu_octets = (uint16_t)mtu_octets,
                                  .vlan = config->vlan,
                                  .is_promiscuous = config->is_promiscuous,
                                  .has_offloads = config->has_offloads};
}

bool live_ports_start(struct live_ports *ports, struct node *node)
{
    struct node_config *config = &node->config;
    struct device_wishes gn = wishes_of(&config->live.gn, config->gn.mtu_octets, config);
    struct device_wishes gb = wishes_of(&config->live.gb, config->gb.mtu_octets, config);
    gn.teid_shift = TEID_WORKER_SHIFT;
    if (!start_one(&ports->gn, &gn, node->rx_pool, config->gn.mac) ||
        !start_one(&ports->gb, &gb, node->rx_pool, config->gb.mac))
        return false;
    /* Longer packets on Gn go in fragments; those on Gb are as long as N201-U and its headers make them. */
    unsigned most = ports->gn.kernel_mtu;
    if (most > 0 && most < config->gn.mtu_octets)
        config->gn.mtu_octets = RTE_MAX(most, LEAST_MTU_OCTETS);
    return true;
}

/* The node has no right any more to take its XDP program off the interface. */
static void close_one(struct live_port *port)
{
    char interface[64];
    if (port->is_open)
        device_close(&port->device);
    if (port->is_open && is_af_xdp(port) &&
        device_name_interface(port->config->device, interface, sizeof(interface)))
        fprintf(stderr, "gbflow: an XDP program stays on %s; `ip link set dev %s xdp off` takes it off\n",
                interface, interface);
    port->is_open = false;
}

bool live_ports_keep_buffers(const struct live_ports *ports)
{
    return is_af_xdp(&ports->gn) || is_af_xdp(&ports->gb);
}

void live_ports_close(struct live_ports *ports)
{
    close_one(&ports->gb);
    close_one(&ports->gn);
}

static struct port_settings settings_of(const struct live_port *port)
{
    const struct device *device = &port->device;
    struct port_settings settings = {
        .vlan = device->vlan,
        .has_mac = true,
        /* Virtual devices chain buffers as their peers do. */
        .is_scattered = device->plan.is_scattered || !device_name_is_pci(device->name),
        .is_tagged_by_device = device->plan.tx_offloads & RTE_ETH_TX_OFFLOAD_VLAN_INSERT,
        .sums_udp = device->plan.tx_offloads & RTE_ETH_TX_OFFLOAD_UDP_CKSUM,
    };
    memcpy(settings.mac, port->mac, sizeof(settings.mac));
    return settings;
}

void live_ports_deal(const struct live_ports *ports, unsigned workers, struct node_ports *out)
{
    for (unsigned i = 0; i < workers; i++)
        out[i] = (struct node_ports){.gn = ports->gn.device.id,
                                     .gn_queue = (uint16_t)i,
                                     .gb = ports->gb.device.id,
                                     .gb_queue = (uint16_t)i,
                                     .gn_settings = settings_of(&ports->gn),
                                     .gb_settings = settings_of(&ports->gb)};
}

/* --- log lines --- */

static void warn_of(const struct live_port *port, const struct core *core)
{
    char line[LINE_CHARS];
    uint16_t mtu_octets = 0;
    if (port->keeps_mac) {
        snprintf(line, sizeof(line),
                 "%s.mac: the device keeps its own MAC address; if frames to %s.mac do not arrive, leave "
                 "%s.mac out or set %s.promiscuous",
                 port->side, port->side, port->side, port->side);
        core_log(core, port->side, "warn", line);
    }
    if (port->is_narrow) {
        snprintf(
            line, sizeof(line),
            "%s.mtu: the network interface takes IP packets of %u octets; %s; `ip link set mtu` raises it",
            port->side, port->kernel_mtu,
            port->number == MSG_PORT_GN ? "longer ones are sent in fragments" : "longer ones are lost");
        core_log(core, port->side, "warn", line);
    } else if (port->is_short) {
        rte_eth_dev_get_mtu(port->device.id, &mtu_octets);
        snprintf(
            line, sizeof(line),
            "%s.mtu: the driver is set to IP packets of %u octets, the most it takes; longer ones may be "
            "lost there",
            port->side, mtu_octets);
        core_log(core, port->side, "warn", line);
    }
}

/* Memory and processors of another NUMA node cost time for each frame. */
static void warn_of_nodes(const struct live_port *port, const struct node *node)
{
    char line[LINE_CHARS];
    int there = device_numa_node(&port->device);
    for (unsigned i = 0; there >= 0 && i < node->worker_count; i++) {
        unsigned here = rte_lcore_to_socket_id(EAL_LIVE_LCORE(i));
        if (here == (unsigned)there)
            continue;
        snprintf(
            line, sizeof(line),
            "worker %u runs on NUMA node %u, the device is on node %d; set live.cores to CPUs of node %d", i,
            here, there, there);
        core_log(&node->core, port->side, "warn", line);
    }
}

static void tell_one(const struct live_port *port, const struct node *node)
{
    char line[LINE_CHARS], offloads[DEVICE_OFFLOADS_CHARS];
    const struct device *device = &port->device;
    uint16_t mtu_octets = 0;
    rte_eth_dev_get_mtu(device->id, &mtu_octets);
    device_offloads_text(&device->plan, offloads);
    snprintf(line, sizeof(line), "%s, driver %s, %u queue%s, received frames: %s, MTU %u, offloads: %s",
             port->config->device, device_driver(device), device->queues, device->queues == 1 ? "" : "s",
             device_spread_text(device->spread), mtu_octets, offloads);
    core_log(&node->core, port->side, "info", line);
    warn_of(port, &node->core);
    warn_of_nodes(port, node);
}

void live_ports_tell(const struct live_ports *ports, const struct node *node)
{
    tell_one(&ports->gn, node);
    tell_one(&ports->gb, node);
}

/* --- links --- */

static struct port *port_of(struct worker *w, const struct live_port *port)
{
    return port->number == MSG_PORT_GN ? &w->gn : &w->gb;
}

static void wake(const struct live_port *port, const struct node *node)
{
    for (unsigned i = 0; i < node->worker_count; i++)
        port_wake(port_of(node->workers[i], port));
}

static void set_down(const struct live_port *port, const struct node *node)
{
    for (unsigned i = 0; i < node->worker_count; i++)
        port_set_down(port_of(node->workers[i], port), !port->is_up);
}

uint64_t live_port_lost(const struct live_port *port, const struct node *node)
{
    uint64_t lost = 0;
    for (unsigned i = 0; i < node->worker_count; i++)
        lost += port_of(node->workers[i], port)->lost;
    return lost;
}

static bool is_virtio_user(const struct live_port *port)
{
    return device_name_is_kind(port->config->device, "net_virtio_user");
}

/* The peers of some devices cannot come back. */
static const char *remedy_of(const struct live_port *port)
{
    const char *device = port->config->device;
    if (is_virtio_user(port) && !strstr(device, ",server=1"))
        return "; the driver does not connect again: restart gbflow, or let this port listen (server=1)";
    if (device_name_is_kind(device, "net_memif") && strstr(device, ",role=client"))
        return "; the driver does not connect again: restart gbflow, or let this port listen (role=server)";
    return "";
}

/* Once, or again until the limit of log lines lets it pass. */
static void tell_link(struct live_port *port, const struct node *node)
{
    char line[LINE_CHARS];
    if (port->is_gone)
        snprintf(line, sizeof(line),
                 "the network interface of '%s' has gone; restart gbflow when it is there again",
                 port->config->device);
    else if (!port->is_up)
        snprintf(line, sizeof(line),
                 port->number == MSG_PORT_GN
                     ? "the link is down: uplink N-PDUs are dropped, signalling is not sent%s"
                     : "the link is down: N-PDUs wait in their queues, signalling is not sent%s",
                 remedy_of(port));
    else if (port->speed_mbps)
        snprintf(line, sizeof(line), "the link is up, %u Mbit/s", port->speed_mbps);
    else
        snprintf(line, sizeof(line), "the link is up");
    uint64_t left_out = node->core.log->own.left_out;
    core_log(&node->core, port->side, port->is_gone ? "error" : "warn", line);
    port->is_told = node->core.log->own.left_out == left_out;
}

const char *live_port_link_text(const struct live_port *port)
{
    if (port->is_gone)
        return "gone";
    return !port->is_up ? "down" : port->was_up ? "up" : "starting";
}

/* More than half of a side's frames came to another worker than theirs. */
static bool is_steered(const struct live_port *port, const struct node *node)
{
    const struct worker_stats sum = totals_stats(node->workers, node->worker_count);
    bool is_gn = port->number == MSG_PORT_GN;
    uint64_t frames = is_gn ? sum.gn_frames : sum.gb_frames;
    uint64_t steered = is_gn ? worker_stats_gn_steered(&sum) : worker_stats_gb_steered(&sum);
    return frames >= STEERED_ENOUGH && steered > frames / 2;
}

static void warn_of_steering(struct live_port *port, const struct node *node)
{
    char line[LINE_CHARS];
    if (port->was_steered || !is_steered(port, node))
        return;
    port->was_steered = true;
    snprintf(
        line, sizeof(line),
        "more than half of the frames come to another worker than theirs (received frames: %s), and cost "
        "a second pass; `gbflow show workers` counts them, docs/sharding.md has remedies",
        device_spread_text(port->device.spread));
    core_log(&node->core, port->side, "warn", line);
}

/* Returns when to look again: net_virtio_user writes lines of its own at each look without a peer. */
static int64_t look_at(struct live_port *port, struct links *links, int64_t now)
{
    const struct node *node = links->node;
    if (port->look_ns > now)
        return port->look_ns;
    warn_of_steering(port, node);
    enum device_link link = device_look(&port->device, &port->speed_mbps);
    /* Frames of control go first: the kernel tells the first one that the link was down, and keeps it
     * (net_af_packet).
     */
    if (link == DEVICE_LINK_UP && !port->is_up && !port->is_waking) {
        port->is_waking = true;
        wake(port, node);
        links_announce(links, port->number);
        return port->look_ns = now + WAKE_NS;
    }
    port->is_waking = false;
    bool is_up = link == DEVICE_LINK_UP, is_gone = link == DEVICE_LINK_GONE;
    if (link == DEVICE_LINK_DOWN && !port->was_up && now < SETTLE_NS)
        return port->look_ns = now + LOOK_EVERY_NS; /* cards need seconds after their start */
    port->was_up |= is_up;
    bool is_news = is_up != port->is_up || is_gone != port->is_gone;
    port->downs += port->is_up && port->was_up && !is_up;
    if (!is_up)
        port->speed_mbps = 0;
    port->is_up = is_up;
    port->is_gone = is_gone;
    port->look_ns = now + (!is_up && is_virtio_user(port) ? LOOK_DOWN_EVERY_NS : LOOK_EVERY_NS);
    if (is_news)
        set_down(port, node);
    if (is_news && is_up)
        links_announce(links, port->number);
    if (is_news || !port->is_told)
        tell_link(port, node);
    return port->look_ns;
}

static int64_t nudge(struct live_ports *ports, int64_t now)
{
    const struct device *gn = &ports->gn.device, *gb = &ports->gb.device;
    if (!gn->rx_signal && !gb->rx_signal)
        return MOMENT_NEVER;
    if (ports->nudge_ns > now)
        return ports->nudge_ns;
    device_nudge(gn->rx_signal ? gn : gb); /* one signal serves all devices */
    ports->nudge_ns = now + NUDGE_EVERY_NS;
    return ports->nudge_ns;
}

static void tell_refused(struct live_ports *ports, const struct node *node)
{
    char line[LINE_CHARS] = "a peer of net_memif is refused: ";
    size_t octets = strlen(line);
    if (!gate_refused(&ports->refusals))
        return;
    gate_refusal_text(&ports->refusals, line + octets, sizeof(line) - octets);
    core_log(&node->core, "control", "warn", line);
}

int64_t live_ports_step(struct live_ports *ports, struct links *links, int64_t now)
{
    tell_refused(ports, links->node);
    int64_t next_ns = nudge(ports, now);
    next_ns = moment_min(next_ns, look_at(&ports->gn, links, now));
    return moment_min(next_ns, look_at(&ports->gb, links, now));
}

bool live_ports_is_removed(struct live_ports *ports, const struct node *node)
{
    if (!atomic_load(&ports->is_removed))
        return false;
    char line[LINE_CHARS];
    snprintf(line, sizeof(line), "the network card '%s' was taken out; the node ends", ports->removed);
    core_log(&node->core, "control", "error", line);
    return true;
}
