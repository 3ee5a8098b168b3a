/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/doctor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES     "/sys/bus/pci/devices"
#define CLASS_CARD  "0x0200" /* network controller, Ethernet */
#define CARDS       32
#define DRIVER_NONE "none"

struct card {
    const char *address;
    char driver[HOST_TREE_NAME], interface[HOST_TREE_NAME];
    int64_t node;
};

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* The kernel's network interface: below the device, or below the folder that virtio has between them. */
static void find_interface(const struct doctor *d, struct card *card)
{
    static struct host_tree_names names;
    char between[HOST_TREE_NAME] = "";
    card->interface[0] = 0;
    host_tree_list(&d->tree, &names, DEVICES "/%s", card->address);
    for (unsigned i = 0; i < names.count; i++)
        if (strncmp(names.names[i], "virtio", 6) == 0)
            snprintf(between, sizeof(between), "%s", names.names[i]);
    host_tree_list(&d->tree, &names, DEVICES "/%s/%s%snet", card->address, between, between[0] ? "/" : "");
    if (names.count > 0)
        snprintf(card->interface, sizeof(card->interface), "%s", names.names[0]);
}

/* False: the PCI device at this address is not a network card. */
static bool read_card(const struct doctor *d, const char *address, struct card *card)
{
    char class[16];
    *card = (struct card){.address = address, .node = -1};
    host_tree_text(&d->tree, class, sizeof(class), DEVICES "/%s/class", address);
    if (strncmp(class, CLASS_CARD, strlen(CLASS_CARD)) != 0)
        return false;
    if (!host_tree_link(&d->tree, card->driver, sizeof(card->driver), DEVICES "/%s/driver", address))
        snprintf(card->driver, sizeof(card->driver), DRIVER_NONE);
    host_tree_number(&d->tree, &card->node, DEVICES "/%s/numa_node", address);
    find_interface(d, card);
    return true;
}

static void put_node(const struct card *card, char *out, size_t cap)
{
    if (card->node >= 0)
        snprintf(out, cap, ", NUMA node %d", (int)card->node);
    else
        out[0] = 0;
}

static void examine_kernels_card(struct doctor *d, const struct card *card)
{
    char advice[200], state[16];
    host_tree_text(&d->tree, state, sizeof(state), "/sys/class/net/%s/operstate", card->interface);
    snprintf(advice, sizeof(advice),
             "dpdk-devbind.py --bind=vfio-pci %s%s; or a port net_af_packet0,iface=%s", card->address,
             strcmp(state, "up") == 0 ? " (only if nothing else uses the interface: it is up)" : "",
             card->interface);
    doctor_warn(d, "card", advice, "%s: used by the kernel, driver %s, interface %s", card->address,
                card->driver, card->interface);
}

static void examine_card(struct doctor *d, const struct card *card)
{
    static const char *const shared[] = {"mlx4_core", "mlx5_core", "mana", NULL};
    static const char *const unguarded[] = {"igb_uio", "uio_pci_generic", NULL};
    char node[32], advice[120], guarded[240];

    put_node(card, node, sizeof(node));
    snprintf(advice, sizeof(advice), "dpdk-devbind.py --bind=vfio-pci %s", card->address);
    snprintf(guarded, sizeof(guarded),
             "%s (only if nothing else uses it: its interface may be in another network "
             "namespace)",
             advice);
    if (strcmp(card->driver, "vfio-pci") == 0)
        doctor_ok(d, "card", "%s: vfio-pci%s", card->address, node);
    else if (is_one_of(card->driver, shared))
        doctor_ok(d, "card", "%s: driver %s, which DPDK and the kernel share%s", card->address, card->driver,
                  node);
    else if (is_one_of(card->driver, unguarded))
        doctor_warn(d, "card", advice, "%s: driver %s, for root only and without IOMMU%s", card->address,
                    card->driver, node);
    else if (card->interface[0])
        examine_kernels_card(d, card);
    else if (strcmp(card->driver, DRIVER_NONE) == 0)
        doctor_warn(d, "card", advice, "%s: driver none, which DPDK does not use%s", card->address, node);
    else
        doctor_warn(d, "card", guarded, "%s: driver %s, which DPDK does not use%s", card->address,
                    card->driver, node);
}

static void examine_cards(struct doctor *d)
{
    static struct host_tree_names devices;
    unsigned count = 0;
    struct card card;
    host_tree_list(&d->tree, &devices, DEVICES);
    for (unsigned i = 0; i < devices.count; i++) {
        if (!read_card(d, devices.names[i], &card))
            continue;
        if (count++ < CARDS)
            examine_card(d, &card);
    }
    if (count == 0)
        doctor_missing(d, "card", "use virtual ports: net_memif, net_af_packet, net_af_xdp, net_tap",
                       "no network card on PCI");
    else if (count > CARDS)
        doctor_ok(d, "card", "and %u more", count - CARDS);
}

static void examine_iommu(struct doctor *d)
{
    static struct host_tree_names groups;
    char unsafe[8];
    host_tree_list(&d->tree, &groups, "/sys/kernel/iommu_groups");
    host_tree_text(&d->tree, unsafe, sizeof(unsafe),
                   "/sys/module/vfio/parameters/enable_unsafe_noiommu_mode");
    if (groups.count > 0)
        doctor_ok(d, "iommu", "on");
    else if (unsafe[0] == 'Y')
        doctor_warn(
            d, "iommu",
            "intel_iommu=on iommu=pt on the kernel's command line, and VT-d or AMD-Vi in the firmware",
            "off; vfio-pci is set to work without IOMMU, for root only");
    else
        doctor_missing(
            d, "iommu",
            "intel_iommu=on iommu=pt (AMD: iommu=pt) on the kernel's command line, and VT-d or AMD-Vi in "
            "the firmware",
            "off; only network cards bound to vfio-pci need it");
}

static void examine_driver(struct doctor *d)
{
    if (host_tree_has(&d->tree, "/sys/bus/pci/drivers/vfio-pci"))
        doctor_ok(d, "vfio-pci", "loaded");
    else
        doctor_missing(d, "vfio-pci", "modprobe vfio-pci; at each boot: a line vfio-pci in /etc/modules",
                       "not loaded; only network cards need it");
}

void doctor_devices_examine(struct doctor *d)
{
    examine_iommu(d);
    examine_driver(d);
    examine_cards(d);
}

#define LIMITS            "/proc/self/limits"
#define ENOUGH_LOCKED     ((uint64_t)1 << 30)
#define FILES_BESIDES     256 /* descriptors besides those of huge pages */
#define CAP_NET_ADMIN_BIT 12
#define CAP_NET_RAW_BIT   13
#define CAP_IPC_LOCK_BIT  14

/* The soft limit; UINT64_MAX: unlimited, 0: the file does not have it. */
static uint64_t soft_limit(const struct doctor *d, const char *name)
{
    char text[128];
    if (!host_tree_field(&d->tree, LIMITS, name, text, sizeof(text)))
        return 0;
    return strncmp(text, "unlimited", 9) == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
}

static bool has_capability(const struct doctor *d, unsigned bit)
{
    char text[32];
    host_tree_field(&d->tree, "/proc/self/status", "CapEff", text, sizeof(text));
    return strtoull(text, NULL, 16) >> bit & 1;
}

static void examine_locked(struct doctor *d)
{
    uint64_t octets = soft_limit(d, "Max locked memory");
    if (octets == UINT64_MAX)
        doctor_ok(d, "memlock", "unlimited");
    else if (has_capability(d, CAP_IPC_LOCK_BIT))
        doctor_ok(d, "memlock", "%" PRIu64 " KiB, without effect on a process with CAP_IPC_LOCK",
                  octets / 1024);
    else if (octets >= ENOUGH_LOCKED)
        doctor_ok(d, "memlock", "%" PRIu64 " MiB", octets >> 20);
    else
        doctor_warn(d, "memlock", "LimitMEMLOCK=infinity of the service, or ulimit -l unlimited",
                    "%" PRIu64 " KiB: vfio-pci cannot map memory for a network card", octets / 1024);
}

/* In DPDK's in-memory mode every huge page is a descriptor. */
static void examine_files(struct doctor *d)
{
    uint64_t limit = soft_limit(d, "Max open files");
    int64_t pages = 0;
    host_tree_number(&d->tree, &pages, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
    if (limit < (uint64_t)pages + FILES_BESIDES)
        doctor_warn(d, "open files", "LimitNOFILE=65536 of the service, or ulimit -n 65536",
                    "%" PRIu64 ", fewer than %" PRId64 " huge pages of 2 MiB may need", limit, pages);
    else if (limit == UINT64_MAX)
        doctor_ok(d, "open files", "unlimited");
    else
        doctor_ok(d, "open files", "%" PRIu64, limit);
}

/* DPDK's net_af_packet sets an interface's MAC address and modes when it starts. */
static void examine_rights(struct doctor *d)
{
    static const char advice[] =
        "AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN of the service, or start as root";
    bool has_raw = has_capability(d, CAP_NET_RAW_BIT), has_admin = has_capability(d, CAP_NET_ADMIN_BIT);
    if (has_raw && has_admin)
        doctor_ok(d, "rights",
                  "CAP_NET_RAW and CAP_NET_ADMIN, for ports on network interfaces of the kernel");
    else
        doctor_warn(d, "rights", advice,
                    "no CAP_NET_%s: no net_af_packet ports; net_memif, net_pcap and virtual time need none",
                    has_raw ? "ADMIN" : "RAW");
}

static void examine_python(struct doctor *d)
{
    if (host_tree_has(&d->tree, "/usr/bin/python3") || host_tree_has(&d->tree, "/usr/local/bin/python3"))
        doctor_ok(d, "reports",
                  "python3 is installed; report.html also needs matplotlib, which is not tested here");
    else
        doctor_missing(d, "reports", "apt-get install python3 python3-matplotlib, or run with --no-report",
                       "no python3: no report.html, no reproduce, no compare");
}

void doctor_limits_examine(struct doctor *d)
{
    examine_locked(d);
    examine_files(d);
    examine_rights(d);
    examine_python(d);
}
