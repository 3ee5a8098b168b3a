/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/ports/device.h"
#include "dataplane/ports/device_name.h"
#include "dataplane/ports/gate.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool device_find(const char *name, uint16_t *id)
{
    char bare[RTE_ETH_NAME_MAX_LEN];
    snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(name, ","), name);
    return rte_eth_dev_get_port_by_name(bare, id) == 0;
}

/*
 * By default DPDK's af_packet driver bypasses the kernel's queueing discipline. Frames sent while the link
 * has no carrier then stay in the socket's ring and leave when the carrier returns: all NS PDUs of the
 * outage, ahead of the answer to the peer's first one; osmo-pcu does not accept that.
 */
static int probe(const char *name)
{
    char whole[DEVICE_NAME_CHARS];
    bool is_told = !device_name_is_kind(name, "net_af_packet") || strstr(name, ",qdisc_bypass=");
    snprintf(whole, sizeof(whole), "%s%s", name, is_told ? "" : ",qdisc_bypass=0");
    return rte_dev_probe(whole);
}

/* The cause that a driver does not tell. */
static const char *hint_of(const char *name)
{
    if (device_name_is_pci(name))
        return "; is it bound to vfio-pci, and not in use? dpdk-devbind.py --status-dev net";
    return device_name_is_kind(name, "net_af_xdp") && strstr(name, ",queue_count=")
               ? "; the interface needs as many combined channels as queue_count (ethtool -l)"
               : "; the driver refuses an argument, or does not find what it names (docs/serve.md)";
}

bool device_open(struct device *device, const char *name, char *error, size_t cap)
{
    struct rte_ether_addr mac;
    if (!device_name_is_pci(name) && device_find(name, &device->id)) {
        snprintf(error, cap, "DPDK has a device of this name already, by an EAL argument; take another name");
        return false;
    }
    if (!device_name_check(name, error, cap))
        return false;
    gate_begin_events();
    int rc = device_name_is_pci(name) && device_find(name, &device->id) ? 0 : probe(name);
    if (rc != 0 || !device_find(name, &device->id)) {
        snprintf(error, cap, "DPDK does not make a port of it (%s)%s",
                 rc < 0 ? strerror(-rc) : "no driver takes it", hint_of(name));
        return false;
    }
    if (rte_eth_macaddr_get(device->id, &mac) < 0) {
        snprintf(error, cap, "the device has no MAC address");
        return false;
    }
    char interface[IF_NAMESIZE];
    memcpy(device->mac, mac.addr_bytes, sizeof(device->mac));
    device->name = name;
    device->interface_index =
        device_name_interface(name, interface, sizeof(interface)) ? if_nametoindex(interface) : 0;
    return true;
}

/* --- what a port gets --- */

#define RSS_ADDRESSES                                                                                        \
    (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_FRAG_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_IPV6 |            \
     RTE_ETH_RSS_FRAG_IPV6 | RTE_ETH_RSS_NONFRAG_IPV6_UDP)

#define RSS_PORTS (RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV6_UDP)

#define FRAME_BESIDES_OCTETS (RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN)

/* The longest IP packet of the device, by either of the two limits that drivers state. */
static uint16_t most_mtu(const struct rte_eth_dev_info *info)
{
    uint32_t most = info->max_mtu ? info->max_mtu : UINT16_MAX;
    const uint32_t besides = RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN; /* as ethdev reckons */
    if (info->max_rx_pktlen > besides && most == UINT16_MAX)
        most = RTE_MIN(most, info->max_rx_pktlen - besides);
    return (uint16_t)RTE_MIN(most, (uint32_t)UINT16_MAX);
}

/* Only a longer packet than the usual is asked of the driver: a port receives packets of the usual length,
 * too, where the node is to send only shorter ones. */
static void plan_mtu(struct device_plan *plan, const struct rte_eth_dev_info *info,
                     const struct device_wishes *wishes, uint16_t buffer_octets)
{
    bool can_scatter = info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
    uint16_t most = most_mtu(info), fitting = (uint16_t)(buffer_octets - FRAME_BESIDES_OCTETS);
    if (wishes->mtu_octets <= RTE_ETHER_MTU)
        return;
    plan->mtu_octets = RTE_MIN(wishes->mtu_octets, most);
    plan->is_scattered = plan->mtu_octets > fitting && can_scatter;
    if (plan->mtu_octets > fitting && !can_scatter)
        plan->mtu_octets = fitting;
    if (plan->mtu_octets <= RTE_ETHER_MTU)
        plan->mtu_octets = 0;
    if (plan->is_scattered)
        plan->rx_offloads |= RTE_ETH_RX_OFFLOAD_SCATTER;
}

static void plan_offloads(struct device_plan *plan, const struct rte_eth_dev_info *info,
                          const struct device_wishes *wishes)
{
    uint64_t rx = RTE_ETH_RX_OFFLOAD_UDP_CKSUM, tx = RTE_ETH_TX_OFFLOAD_UDP_CKSUM;
    if (!wishes->has_offloads)
        return;
    if (wishes->vlan) {
        rx |= RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
        tx |= RTE_ETH_TX_OFFLOAD_VLAN_INSERT;
    }
    plan->rx_offloads |= rx & info->rx_offload_capa;
    plan->tx_offloads |= tx & info->tx_offload_capa;
}

bool device_plan_make(struct device_plan *plan, const struct rte_eth_dev_info *info,
                      const struct device_wishes *wishes, uint16_t buffer_octets)
{
    *plan = (struct device_plan){0};
    if (info->max_rx_queues < wishes->queues || info->max_tx_queues < wishes->queues)
        return false;
    plan_mtu(plan, info, wishes, buffer_octets);
    plan_offloads(plan, info, wishes);
    if (wishes->queues > 1) {
        plan->rss_types = info->flow_type_rss_offloads & RSS_ADDRESSES;
        plan->reta_entries = plan->rss_types ? info->reta_size : 0;
    }
    return true;
}

const char *device_spread_text(enum device_spread spread)
{
    static const char *const texts[] = {
        [DEVICE_SPREAD_ONE] = "one queue",
        [DEVICE_SPREAD_DRIVER] = "as the driver deals them",
        [DEVICE_SPREAD_HOSTS] = "RSS over addresses",
        [DEVICE_SPREAD_ADDRESSES] = "RSS over addresses and ports",
        [DEVICE_SPREAD_TEID] = "RSS over the TEID",
        [DEVICE_SPREAD_OWN] = "to the worker that the TEID names",
    };
    return texts[spread];
}

void device_offloads_text(const struct device_plan *plan, char out[DEVICE_OFFLOADS_CHARS])
{
    const struct {
        bool is_used;
        const char *name;
    } offloads[] = {
        {plan->rx_offloads & RTE_ETH_RX_OFFLOAD_UDP_CKSUM, "udp-checksum-rx"},
        {plan->tx_offloads & RTE_ETH_TX_OFFLOAD_UDP_CKSUM, "udp-checksum-tx"},
        {plan->rx_offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP, "vlan-strip"},
        {plan->tx_offloads & RTE_ETH_TX_OFFLOAD_VLAN_INSERT, "vlan-insert"},
        {plan->is_scattered, "scatter"},
    };
    size_t used = 0;
    for (size_t i = 0; i < RTE_DIM(offloads); i++)
        if (offloads[i].is_used)
            used += (size_t)snprintf(out + used, DEVICE_OFFLOADS_CHARS - used, "%s%s", used ? " " : "",
                                     offloads[i].name);
    if (used == 0)
        snprintf(out, DEVICE_OFFLOADS_CHARS, "none");
}

/* --- start --- */

static int set_up_queues(uint16_t id, const struct rte_eth_dev_info *info, const struct device_wishes *wishes,
                         const struct device_plan *plan, struct rte_mempool *pool)
{
    uint16_t rx = DEVICE_DESCRIPTORS, tx = DEVICE_DESCRIPTORS;
    unsigned socket = (unsigned)rte_eth_dev_socket_id(id);
    struct rte_eth_rxconf rx_conf = info->default_rxconf;
    struct rte_eth_txconf tx_conf = info->default_txconf;
    rx_conf.offloads = plan->rx_offloads;
    tx_conf.offloads = plan->tx_offloads;
    int rc = rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx, &tx);
    for (uint16_t i = 0; i < wishes->queues && rc == 0; i++) {
        rc = rte_eth_rx_queue_setup(id, i, rx, socket, &rx_conf, pool);
        if (rc == 0)
            rc = rte_eth_tx_queue_setup(id, i, tx, socket, &tx_conf);
    }
    return rc;
}

/* Queues in turn over the table, so that none gets more entries than another by more than one. */
static void spread_table(uint16_t id, uint16_t entries, uint16_t queues)
{
    struct rte_eth_rss_reta_entry64 table[RTE_ETH_RSS_RETA_SIZE_512 / RTE_ETH_RETA_GROUP_SIZE] = {0};
    if (entries == 0 || entries > RTE_ETH_RSS_RETA_SIZE_512)
        return;
    for (uint16_t i = 0; i < entries; i++) {
        table[i / RTE_ETH_RETA_GROUP_SIZE].mask |= UINT64_C(1) << i % RTE_ETH_RETA_GROUP_SIZE;
        table[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE] = (uint16_t)(i % queues);
    }
    rte_eth_dev_rss_reta_update(id, table, entries); /* else the driver's own table, mostly the same */
}

/* Pause frames would let a slow receiver stop the port, and with it frames for others. */
static void stop_pauses(uint16_t id)
{
    struct rte_eth_fc_conf flow = {0};
    if (rte_eth_dev_flow_ctrl_get(id, &flow) == 0 && flow.mode != RTE_ETH_FC_NONE) {
        flow.mode = RTE_ETH_FC_NONE;
        rte_eth_dev_flow_ctrl_set(id, &flow);
    }
}

static int set_up(struct device *device, const struct rte_eth_dev_info *info,
                  const struct device_wishes *wishes, struct rte_mempool *pool)
{
    const struct device_plan *plan = &device->plan;
    struct rte_eth_conf conf = {
        .rxmode = {.mtu = plan->mtu_octets, .offloads = plan->rx_offloads},
        .txmode = {.offloads = plan->tx_offloads},
        /* net_virtio_user takes a peer that comes again only with it. */
        .intr_conf = {.lsc = device_name_is_kind(device->name, "net_virtio_user") &&
                             *info->dev_flags & RTE_ETH_DEV_INTR_LSC},
    };
    if (plan->rss_types) {
        conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
        conf.rx_adv_conf.rss_conf.rss_hf = plan->rss_types;
    }
    int rc = rte_eth_dev_configure(device->id, wishes->queues, wishes->queues, &conf);
    if (rc == 0)
        rc = set_up_queues(device->id, info, wishes, plan, pool);
    if (rc == 0)
        rc = rte_eth_dev_start(device->id);
    if (rc == 0) {
        spread_table(device->id, plan->reta_entries, wishes->queues);
        stop_pauses(device->id);
    }
    return rc;
}

/* The kind of RSS that the started port has; the best that its driver takes. */
static enum device_spread settle_spread(const struct device *device, const struct device_wishes *wishes)
{
    if (wishes->queues == 1)
        return DEVICE_SPREAD_ONE;
    if (wishes->teid_shift && device_steer_to_workers(device->id, wishes->queues, wishes->teid_shift))
        return DEVICE_SPREAD_OWN;
    if (wishes->teid_shift && device_steer_by_hash(device->id, wishes->queues))
        return DEVICE_SPREAD_TEID;
    uint64_t types = device->plan.rss_types;
    return types == 0          ? DEVICE_SPREAD_DRIVER
           : types & RSS_PORTS ? DEVICE_SPREAD_ADDRESSES
                               : DEVICE_SPREAD_HOSTS;
}

/*
 * The driver takes the first real-time signal without a handler, and the program uses none itself. If more of
 * these signals wait than the process may have (RLIMIT_SIGPENDING), the kernel sends SIGIO instead, which
 * would end the process.
 */
static int find_rx_signal(void)
{
    struct sigaction action;
    signal(SIGIO, SIG_IGN);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
            action.sa_handler != SIG_IGN)
            return number;
    return 0;
}

void device_nudge(const struct device *device)
{
    if (device->rx_signal)
        raise(device->rx_signal);
}

/* Devices whose peer or kernel uses each queue that an argument made, whether a worker polls it or not. */
static bool deals_to_all(const char *name)
{
    return device_name_is_kind(name, "net_af_packet") || device_name_is_kind(name, "net_af_xdp") ||
           device_name_is_kind(name, "net_vhost");
}

bool device_start(struct device *device, const struct device_wishes *wishes, struct rte_mempool *pool,
                  char *error, size_t cap)
{
    struct rte_eth_dev_info info = {.driver_name = ""};
    uint16_t buffer_octets = (uint16_t)(rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM);
    int rc = rte_eth_dev_info_get(device->id, &info);
    if (rc == 0 && deals_to_all(device->name) && info.max_rx_queues > wishes->queues) {
        snprintf(
            error, cap,
            "the device has %u queues for %u worker%s, and frames come to each of them; give it one for each "
            "worker",
            info.max_rx_queues, wishes->queues, wishes->queues == 1 ? "" : "s");
        return false;
    }
    if (rc == 0 && !device_plan_make(&device->plan, &info, wishes, buffer_octets)) {
        uint16_t there = RTE_MIN(info.max_rx_queues, info.max_tx_queues);
        snprintf(error, cap,
                 "the device has %u queue%s for %u workers; raise its number of queues, if its driver has an "
                 "argument for it, or lower workers",
                 there, there == 1 ? "" : "s", wishes->queues);
        return false;
    }
    struct gate_refusals refusals = {.count = 0};
    gate_refused(&refusals); /* those before */
    gate_expect_queues(wishes->queues);
    if (rc == 0)
        rc = set_up(device, &info, wishes, pool);
    if (rc < 0 && gate_refused(&refusals)) {
        size_t octets = (size_t)snprintf(error, cap, "the peer that listens at its socket is refused: ");
        gate_refusal_text(&refusals, error + octets, cap - octets);
        return false;
    }
    if (rc < 0) {
        bool is_client =
            device_name_is_kind(device->name, "net_memif") && !strstr(device->name, ",role=server");
        snprintf(error, cap, "the device does not start (%s)%s", strerror(-rc),
                 is_client ? "; start its peer first, or let this port listen (role=server)" : "");
        return false;
    }
    device->queues = wishes->queues;
    device->vlan = wishes->vlan;
    device->spread = settle_spread(device, wishes);
    device->rx_signal = strcmp(info.driver_name, "net_tap") == 0 ? find_rx_signal() : 0;
    if (wishes->is_promiscuous && (rc = rte_eth_promiscuous_enable(device->id)) < 0)
        snprintf(error, cap, "the device cannot be promiscuous (%s)", strerror(-rc));
    return !wishes->is_promiscuous || rc == 0;
}

const char *device_driver(const struct device *device)
{
    struct rte_eth_dev_info info = {.driver_name = NULL};
    return rte_eth_dev_info_get(device->id, &info) == 0 && info.driver_name ? info.driver_name : "";
}

int device_numa_node(const struct device *device)
{
    return rte_eth_dev_socket_id(device->id);
}

/* The carrier of an interface, at once; -1: its driver cannot tell. */
static int carrier_of(int fd, struct ifreq *request)
{
    struct ethtool_value value = {.cmd = ETHTOOL_GLINK};
    request->ifr_data = (char *)&value;
    return ioctl(fd, SIOCETHTOOL, request) < 0 ? -1 : value.data != 0;
}

/* The kernel's view of an interface. Drivers of virtual devices mostly take it to be up. */
static enum device_link look_at_interface(const char *interface)
{
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return DEVICE_LINK_UP;
    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
    int rc = ioctl(fd, SIOCGIFFLAGS, &request);
    bool is_gone = rc < 0 && errno == ENODEV, is_up = rc < 0 || request.ifr_flags & IFF_UP;
    bool is_running = rc < 0 || request.ifr_flags & IFF_RUNNING; /* late by up to a second */
    int carrier = is_gone ? 0 : carrier_of(fd, &request);
    close(fd);
    if (is_gone)
        return DEVICE_LINK_GONE;
    return is_up && (carrier >= 0 ? carrier : is_running) ? DEVICE_LINK_UP : DEVICE_LINK_DOWN;
}

unsigned device_interface_mtu(const struct device *device)
{
    struct ifreq request = {0};
    int fd = device->interface_index ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return 0;
    bool is_known =
        if_indextoname(device->interface_index, request.ifr_name) && ioctl(fd, SIOCGIFMTU, &request) == 0;
    close(fd);
    return is_known && request.ifr_mtu > 0 ? (unsigned)request.ifr_mtu : 0;
}

enum device_link device_look(const struct device *device, uint32_t *speed_mbps)
{
    struct rte_eth_link link = {.link_status = RTE_ETH_LINK_UP};
    char interface[IF_NAMESIZE];
    *speed_mbps = 0;
    if (rte_eth_link_get_nowait(device->id, &link) == 0 && link.link_status != RTE_ETH_LINK_UP)
        return DEVICE_LINK_DOWN;
    if (link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
        *speed_mbps = link.link_speed;
    if (device->interface_index == 0 || !device_name_interface(device->name, interface, sizeof(interface)))
        return DEVICE_LINK_UP;
    /* One of the same name is another interface, with which the device is not connected. */
    return if_nametoindex(interface) == device->interface_index ? look_at_interface(interface)
                                                                : DEVICE_LINK_GONE;
}

void device_close(const struct device *device)
{
    gate_end_events();
    rte_eth_dev_stop(device->id);
    rte_eth_dev_close(device->id);
}

bool device_set_mac(const struct device *device, const uint8_t mac[6])
{
    struct rte_ether_addr address;
    memcpy(address.addr_bytes, mac, sizeof(address.addr_bytes));
    return memcmp(device->mac, mac, sizeof(device->mac)) == 0 ||
           rte_eth_dev_default_mac_addr_set(device->id, &address) == 0;
}
