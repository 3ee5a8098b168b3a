/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/ports/device.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME_CHARS 256

bool device_is_pci(const char *name)
{
    const char *colon = strchr(name, ':'), *comma = strchr(name, ',');
    return colon && (!comma || colon < comma);
}

/* Copies the value of an argument ("iface=") in the device's name, cut to cap; false: no such argument. */
static bool argument_of(const char *name, const char *key, char *out, size_t cap)
{
    const char *at = strstr(name, key);
    if (!at || at == name || at[-1] != ',')
        return false;
    at += strlen(key);
    snprintf(out, cap, "%.*s", (int)strcspn(at, ","), at);
    return true;
}

static bool is_tap(const char *name)
{
    return strncmp(name, "net_tap", 7) == 0;
}

bool device_interface(const char *name, char *out, size_t cap)
{
    return argument_of(name, "iface=", out, cap);
}

static bool may_open_packet_sockets(void)
{
    int fd = socket(AF_PACKET, SOCK_RAW, 0);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno != EPERM;
}

/* Tests here those failures that a driver would report only to its own log. */
static bool is_possible(const char *name, char *error, size_t cap)
{
    char interface[64];
    /* net_tap makes the interface. */
    if (!is_tap(name) && device_interface(name, interface, sizeof(interface)) &&
        if_nametoindex(interface) == 0) {
        snprintf(error, cap, "there is no network interface '%s'", interface);
        return false;
    }
    if (strncmp(name, "net_af_packet", 13) == 0 && !may_open_packet_sockets()) {
        snprintf(error, cap, "no permission to open packet sockets (CAP_NET_RAW, or run as root)");
        return false;
    }
    if ((is_tap(name) || strncmp(name, "net_af_xdp", 10) == 0) && geteuid() != 0) {
        snprintf(error, cap, "this kind of device needs root");
        return false;
    }
    return true;
}

static bool find(const char *name, uint16_t *id)
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
    char whole[NAME_CHARS];
    bool is_told = strncmp(name, "net_af_packet", 13) != 0 || strstr(name, ",qdisc_bypass=");
    snprintf(whole, sizeof(whole), "%s%s", name, is_told ? "" : ",qdisc_bypass=0");
    return rte_dev_probe(whole);
}

bool device_open(struct device *device, const char *name, char *error, size_t cap)
{
    struct rte_ether_addr mac;
    if (!is_possible(name, error, cap))
        return false;
    int rc = find(name, &device->id) ? 0 : probe(name);
    if (rc != 0 || !find(name, &device->id)) {
        snprintf(error, cap, "DPDK does not make a port of it (%s)",
                 rc < 0 ? strerror(-rc) : "no driver takes it");
        return false;
    }
    if (rte_eth_macaddr_get(device->id, &mac) < 0) {
        snprintf(error, cap, "the device has no MAC address");
        return false;
    }
    memcpy(device->mac, mac.addr_bytes, sizeof(device->mac));
    return true;
}

static int set_up(uint16_t id, uint16_t queues, struct rte_mempool *pool)
{
    struct rte_eth_conf conf = {0};
    uint16_t rx = DEVICE_DESCRIPTORS, tx = DEVICE_DESCRIPTORS;
    unsigned socket = (unsigned)rte_eth_dev_socket_id(id);
    int rc = rte_eth_dev_configure(id, queues, queues, &conf);

    if (rc == 0)
        rc = rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx, &tx);
    for (uint16_t i = 0; i < queues && rc == 0; i++) {
        rc = rte_eth_rx_queue_setup(id, i, rx, socket, NULL, pool);
        if (rc == 0)
            rc = rte_eth_tx_queue_setup(id, i, tx, socket, NULL);
    }
    return rc == 0 ? rte_eth_dev_start(id) : rc;
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

bool device_start(struct device *device, uint16_t queues, struct rte_mempool *pool, char *error, size_t cap)
{
    struct rte_eth_dev_info info = {.driver_name = ""};
    if (rte_eth_dev_info_get(device->id, &info) == 0 &&
        (info.max_rx_queues < queues || info.max_tx_queues < queues)) {
        uint16_t there = RTE_MIN(info.max_rx_queues, info.max_tx_queues);
        snprintf(error, cap,
                 "the device has %u queue%s for %u workers; raise its number of queues, if its driver has an "
                 "argument for it",
                 there, there == 1 ? "" : "s", queues);
        return false;
    }
    int rc = set_up(device->id, queues, pool);
    device->rx_signal = rc == 0 && strcmp(info.driver_name, "net_tap") == 0 ? find_rx_signal() : 0;
    if (rc < 0)
        snprintf(error, cap, "the device does not start (%s)", strerror(-rc));
    return rc == 0;
}

void device_close(const struct device *device)
{
    rte_eth_dev_stop(device->id);
    rte_eth_dev_close(device->id);
}

void device_set_mac(const struct device *device, const uint8_t mac[6])
{
    struct rte_ether_addr address;
    memcpy(address.addr_bytes, mac, sizeof(address.addr_bytes));
    if (memcmp(device->mac, mac, sizeof(device->mac)) == 0)
        return;
    if (rte_eth_dev_default_mac_addr_set(device->id, &address) < 0)
        rte_eth_promiscuous_enable(device->id);
}
