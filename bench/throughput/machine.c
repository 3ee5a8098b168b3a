/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/machine.h"

#include <rte_bus.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define LINE_CHARS      8192
#define HYPERVISOR_LEAF 0x40000000

/* The value in a line "key : value" of /proc/cpuinfo; NULL: another key. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);
    const char *colon = strchr(line, ':');
    if (strncmp(line, key, length) != 0 || !colon)
        return NULL;
    return colon + 1 + strspn(colon + 1, " ");
}

static void read_line(struct bench_machine *machine, const char *line)
{
    const char *model = value_of(line, "model name"), *flags = value_of(line, "flags"),
               *microcode = value_of(line, "microcode");
    if (microcode)
        snprintf(machine->microcode, sizeof(machine->microcode), "%.*s", (int)strcspn(microcode, "\n"),
                 microcode);
    if (model)
        snprintf(machine->cpu, sizeof(machine->cpu), "%.*s", (int)strcspn(model, "\n"), model);
    if (!flags)
        return;
    machine->is_virtual = strstr(flags, " hypervisor ") != NULL;
    machine->has_avx512 = strstr(flags, " avx512bw ") != NULL;
}

static void read_processor(struct bench_machine *machine)
{
    static char line[LINE_CHARS];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof(line), file) && line[0] != '\n')
        read_line(machine, line);
    if (file)
        fclose(file);
}

/* The first line of a file, which sysfs ends with a newline. Empty if it cannot be read. */
static void read_text(char *out, size_t cap, const char *path)
{
    FILE *file = fopen(path, "r");
    out[0] = 0;
    if (file && !fgets(out, (int)cap, file))
        out[0] = 0;
    if (file)
        fclose(file);
    out[strcspn(out, "\n")] = 0;
}

/* Texts of several files, those that can be read, with blanks between them. */
static void read_texts(char *out, size_t cap, const char *const *paths)
{
    char one[BENCH_MACHINE_CHARS];
    size_t used = 0;
    out[0] = 0;
    for (; *paths; paths++) {
        read_text(one, sizeof(one), *paths);
        if (one[0] && used < cap)
            used += (size_t)snprintf(out + used, cap - used, "%s%s", used > 0 ? " " : "", one);
    }
}

#define DMI "/sys/class/dmi/id/"

static void read_firmware(struct bench_machine *m)
{
    static const char *const bios[] = {DMI "bios_vendor", DMI "bios_version", DMI "bios_date", NULL};
    static const char *const board[] = {DMI "board_vendor", DMI "board_name", DMI "board_version", NULL};
    static const char *const product[] = {DMI "sys_vendor", DMI "product_name", NULL};
    read_texts(m->bios, sizeof(m->bios), bios);
    read_texts(m->board, sizeof(m->board), board);
    read_texts(m->product, sizeof(m->product), product);
}

static uint64_t read_count(const char *path)
{
    char text[BENCH_MACHINE_CHARS];
    read_text(text, sizeof(text), path);
    return strtoull(text, NULL, 10);
}

static unsigned count_nodes(void)
{
    char path[64];
    unsigned count = 0;
    do
        snprintf(path, sizeof(path), "/sys/devices/system/node/node%u", count);
    while (access(path, F_OK) == 0 && ++count < BENCH_MACHINE_CHARS);
    return count;
}

static void read_kernel(struct bench_machine *m)
{
    read_text(m->kernel_line, sizeof(m->kernel_line), "/proc/cmdline");
    read_text(m->governor, sizeof(m->governor), "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    m->huge_2m = read_count("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
    m->huge_1g = read_count("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages");
    m->numa_nodes = count_nodes();
}

/* The 12 characters that a hypervisor gives as its signature, "KVMKVMKVM" for one. */
static void read_hypervisor(struct bench_machine *m)
{
#if defined(__x86_64__)
    unsigned leaf = 0, text[3] = {0};
    if (!m->is_virtual)
        return;
    __cpuid(HYPERVISOR_LEAF, leaf, text[0], text[1], text[2]);
    memcpy(m->hypervisor, text, sizeof(text));
    m->hypervisor[sizeof(text)] = 0;
    for (char *at = m->hypervisor; *at; at++)
        *at = *at < ' ' || *at > '~' ? '?' : *at;
#endif
}

void bench_machine_get(struct bench_machine *machine)
{
    struct utsname name;
    *machine = (struct bench_machine){.tsc_hz = rte_get_tsc_hz()};
    read_processor(machine);
    read_hypervisor(machine);
    read_firmware(machine);
    read_kernel(machine);
    if (uname(&name) == 0)
        snprintf(machine->kernel, sizeof(machine->kernel), "%.60s %.60s", name.sysname, name.release);
    snprintf(machine->dpdk, sizeof(machine->dpdk), "%s", rte_version());
    long processors = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
         page = sysconf(_SC_PAGESIZE);
    machine->processors = processors > 0 ? (unsigned)processors : 0;
    machine->memory_octets = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    machine->has_huge_pages = rte_eal_has_hugepages() != 0;
    if (getloadavg(&machine->load, 1) != 1)
        machine->load = 0;
}

/* --- ports --- */

static bool is_one_of(const char *driver, const char *const *names)
{
    for (; *names; names++)
        if (strncmp(driver, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* By the beginning of the driver's name. net_virtio is also the beginning of net_virtio_user, which is no
 * card: the first list decides. */
static enum bench_port_kind kind_of(const char *driver, bool is_virtual)
{
    static const char *const no_cards[] = {"net_memif", "net_vhost", "net_virtio_user", "net_ring",
                                           "net_tap",   "net_pcap",  "net_af_packet",   "net_af_xdp",
                                           "net_null",  NULL};
    static const char *const hypervisors[] = {"net_virtio", "net_vmxnet3", "net_netvsc", NULL};
    static const char *const emulated[] = {"net_e1000", NULL}; /* real ones exist, too */
    if (is_one_of(driver, no_cards))
        return BENCH_PORT_VIRTUAL;
    if (is_one_of(driver, hypervisors) || (is_virtual && is_one_of(driver, emulated)))
        return BENCH_PORT_EMULATED;
    return is_virtual ? BENCH_PORT_PASSED : BENCH_PORT_CARD;
}

static void put_device(struct bench_port *port, const struct rte_eth_dev_info *info)
{
    if (info->driver_name)
        snprintf(port->driver, sizeof(port->driver), "%s", info->driver_name);
    if (!info->device)
        return;
    const char *name = rte_dev_name(info->device);
    const struct rte_bus *bus = rte_dev_bus(info->device);
    if (name)
        snprintf(port->device, sizeof(port->device), "%s", name);
    if (bus && rte_bus_name(bus))
        snprintf(port->bus, sizeof(port->bus), "%s", rte_bus_name(bus));
}

void bench_machine_port_get(struct bench_port *port, uint16_t id, bool is_virtual)
{
    struct rte_eth_dev_info info;
    struct rte_eth_link link = {0};
    struct rte_ether_addr mac = {{0}};
    *port = (struct bench_port){.numa_node = -1};
    if (rte_eth_dev_info_get(id, &info) == 0)
        put_device(port, &info);
    if (rte_eth_dev_fw_version_get(id, port->firmware, sizeof(port->firmware)) != 0)
        port->firmware[0] = 0;
    port->numa_node = rte_eth_dev_socket_id(id);
    if (rte_eth_link_get_nowait(id, &link) == 0 && link.link_status == RTE_ETH_LINK_UP &&
        link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
        port->link_mbit_per_s = link.link_speed;
    if (rte_eth_dev_get_mtu(id, &port->mtu) != 0)
        port->mtu = 0;
    if (rte_eth_macaddr_get(id, &mac) == 0)
        memcpy(port->mac, mac.addr_bytes, sizeof(port->mac));
    port->kind = kind_of(port->driver, is_virtual);
}
