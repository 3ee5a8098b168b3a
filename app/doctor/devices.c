/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices in `gbflow doctor`: network cards, their drivers, and limits of the process. */
#include "app/doctor/doctor.h"

#include "app/doctor/finding.h"
#include "app/doctor/host_tree.h"

#include <inttypes.h>
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
static void find_interface(const struct findings *d, struct card *card)
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
static bool read_card(const struct findings *d, const char *address, struct card *card)
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

static void examine_kernels_card(struct findings *d, const struct card *card)
{
    char advice[200], state[16];
    host_tree_text(&d->tree, state, sizeof(state), "/sys/class/net/%s/operstate", card->interface);
    snprintf(advice, sizeof(advice),
             "dpdk-devbind.py --bind=vfio-pci %s%s; or a port net_af_packet0,iface=%s", card->address,
             strcmp(state, "up") == 0 ? " (only if nothing else uses the interface: it is up)" : "",
             card->interface);
    finding_warn(d, "card", advice, "%s: used by the kernel, driver %s, interface %s", card->address,
                 card->driver, card->interface);
}

static void examine_card(struct findings *d, const struct card *card)
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
        finding_ok(d, "card", "%s: vfio-pci%s", card->address, node);
    else if (is_one_of(card->driver, shared))
        finding_ok(d, "card", "%s: driver %s, which DPDK and the kernel share%s", card->address, card->driver,
                   node);
    else if (is_one_of(card->driver, unguarded))
        finding_warn(d, "card", advice, "%s: driver %s, for root only and without IOMMU%s", card->address,
                     card->driver, node);
    else if (card->interface[0])
        examine_kernels_card(d, card);
    else if (strcmp(card->driver, DRIVER_NONE) == 0)
        finding_warn(d, "card", advice, "%s: driver none, which DPDK does not use%s", card->address, node);
    else
        finding_warn(d, "card", guarded, "%s: driver %s, which DPDK does not use%s", card->address,
                     card->driver, node);
}

static void examine_cards(struct findings *d)
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
        finding_missing(d, "card", "use virtual ports: net_memif, net_af_packet, net_af_xdp, net_tap",
                        "no network card on PCI");
    else if (count > CARDS)
        finding_ok(d, "card", "and %u more", count - CARDS);
}

static void examine_iommu(struct findings *d)
{
    static struct host_tree_names groups;
    char unsafe[8];
    host_tree_list(&d->tree, &groups, "/sys/kernel/iommu_groups");
    host_tree_text(&d->tree, unsafe, sizeof(unsafe),
                   "/sys/module/vfio/parameters/enable_unsafe_noiommu_mode");
    if (groups.count > 0)
        finding_ok(d, "iommu", "on");
    else if (unsafe[0] == 'Y')
        finding_warn(
            d, "iommu",
            "intel_iommu=on iommu=pt on the kernel's command line, and VT-d or AMD-Vi in the firmware",
            "off; vfio-pci is set to work without IOMMU, for root only");
    else
        finding_missing(
            d, "iommu",
            "intel_iommu=on iommu=pt (AMD: iommu=pt) on the kernel's command line, and VT-d or AMD-Vi in "
            "the firmware",
            "off; only network cards bound to vfio-pci need it");
}

static void examine_driver(struct findings *d)
{
    if (host_tree_has(&d->tree, "/sys/bus/pci/drivers/vfio-pci"))
        finding_ok(d, "vfio-pci", "loaded");
    else
        finding_missing(d, "vfio-pci", "modprobe vfio-pci; at each boot: a line vfio-pci in /etc/modules",
                        "not loaded; only network cards need it");
}

void doctor_devices_examine(struct findings *d)
{
    examine_iommu(d);
    examine_driver(d);
    examine_cards(d);
}
