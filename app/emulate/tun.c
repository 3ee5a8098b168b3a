/* SPDX-License-Identifier: BSD-3-Clause */
/* TUN devices of the emulated mobiles: opened, addressed, removed. */
#include "app/emulate/emulate.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BUSY "another process has it, end that or change tun.device or tun.namespace"

static bool tun_complain(const struct emulate_config_device *device, const char *what)
{
    fprintf(stderr, "gbflow: device %s: %s: %s\n", device->name, what, strerror(errno));
    return false;
}

/* --- namespaces: this thread enters the device's and returns --- */

static bool enter(const struct emulate_config_device *device)
{
    char path[sizeof("/run/netns/") + EMULATE_CONFIG_NAMESPACE_CHARS];
    if (!device->name_space[0])
        return true;
    snprintf(path, sizeof(path), "/run/netns/%s", device->name_space);
    int there = open(path, O_RDONLY | O_CLOEXEC);
    bool is_in = there >= 0 && setns(there, CLONE_NEWNET) == 0;
    if (!is_in)
        tun_complain(device, path);
    if (there >= 0)
        close(there);
    return is_in;
}

static bool leave(const struct emulate_config_device *device, int here)
{
    bool is_back = !device->name_space[0] || setns(here, CLONE_NEWNET) == 0;
    close(here);
    return is_back || tun_complain(device, "returning from its namespace");
}

/* --- settings --- */

static void put_address(struct sockaddr *out, uint32_t address)
{
    const struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    memcpy(out, &in, sizeof(in));
}

/* The interface request of the device, or of its n-th alias, NAME:N. */
static struct ifreq request_of(const struct emulate_config_device *device, uint32_t n)
{
    struct ifreq request = {0};
    if (n == 0)
        snprintf(request.ifr_name, sizeof(request.ifr_name), "%.11s", device->name);
    else
        snprintf(request.ifr_name, sizeof(request.ifr_name), "%.11s:%u", device->name, n % 1000);
    return request;
}

static bool set_address(int sock, const struct emulate_config_device *device, uint32_t i, uint32_t address)
{
    struct ifreq request = request_of(device, i);
    put_address(&request.ifr_addr, address);
    if (ioctl(sock, SIOCSIFADDR, &request) < 0)
        return tun_complain(device, "its address");
    put_address(&request.ifr_netmask, UINT32_MAX);
    return ioctl(sock, SIOCSIFNETMASK, &request) == 0 || tun_complain(device, "its netmask");
}

static bool set_mtu(int sock, const struct emulate_config_device *device)
{
    struct ifreq request = request_of(device, 0);
    request.ifr_mtu = device->mtu_octets;
    return ioctl(sock, SIOCSIFMTU, &request) == 0 || tun_complain(device, "its MTU");
}

static bool bring_up(int sock, const struct emulate_config_device *device)
{
    struct ifreq request = request_of(device, 0);
    if (ioctl(sock, SIOCGIFFLAGS, &request) < 0)
        return tun_complain(device, "its flags");
    request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
    return ioctl(sock, SIOCSIFFLAGS, &request) == 0 || tun_complain(device, "setting it up");
}

static bool add_route(int sock, const struct emulate_config_device *device)
{
    char name[EMULATE_CONFIG_DEVICE_CHARS];
    struct rtentry route = {.rt_flags = RTF_UP, .rt_dev = name};
    if (!device->has_default_route)
        return true;
    memcpy(name, device->name, sizeof(name));
    put_address(&route.rt_dst, 0);
    put_address(&route.rt_genmask, 0);
    return ioctl(sock, SIOCADDRT, &route) == 0 || errno == EEXIST ||
           tun_complain(device, "its default route");
}

static bool set_up(int sock, const struct emulate_config_device *device,
                   const struct emulate_config_mobile *mobiles)
{
    bool is_good = set_mtu(sock, device);
    for (uint32_t i = 0; is_good && i < device->mobile_count; i++)
        is_good = set_address(sock, device, i, mobiles[device->first_mobile + i].address);
    return is_good && bring_up(sock, device) && add_route(sock, device);
}

static bool configure(const struct emulate_config_device *device, const struct emulate_config_mobile *mobiles)
{
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool is_good = sock >= 0 && set_up(sock, device, mobiles);
    if (sock >= 0)
        close(sock);
    return is_good;
}

/* --- the whole --- */

static int tun_make(const struct emulate_config_device *device)
{
    struct ifreq request = request_of(device, 0);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        tun_complain(device, "/dev/net/tun");
        return -1;
    }
    if (ioctl(fd, TUNSETIFF, &request) == 0)
        return fd;
    tun_complain(device, errno == EBUSY ? BUSY : "making it");
    close(fd);
    return -1;
}

int emulate_tun_open(const struct emulate_config_device *device, const struct emulate_config_mobile *mobiles)
{
    int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (here < 0 || !enter(device)) {
        if (here >= 0)
            close(here);
        return -1;
    }
    int fd = tun_make(device);
    bool is_good = fd >= 0 && configure(device, mobiles);
    if (leave(device, here) && is_good)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* --- addresses of phones --- */

/* A socket of the device's namespace; -1, with a line on stderr: failed. */
static int open_there(const struct emulate_config_device *device)
{
    int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (here < 0 || !enter(device)) {
        if (here >= 0)
            close(here);
        return -1;
    }
    int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (leave(device, here))
        return sock;
    if (sock >= 0)
        close(sock);
    return -1;
}

/* The kernel deletes the route with the last address. */
bool emulate_tun_add(const struct emulate_config_device *device, uint32_t n, uint32_t address)
{
    int sock = open_there(device);
    bool is_good = sock >= 0 && set_address(sock, device, n, address) && add_route(sock, device);
    if (sock >= 0)
        close(sock);
    return is_good;
}

/* The address 0.0.0.0 deletes an alias. */
bool emulate_tun_remove(const struct emulate_config_device *device, uint32_t n)
{
    struct ifreq request = request_of(device, n);
    int sock = open_there(device);
    put_address(&request.ifr_addr, 0);
    bool is_good =
        sock >= 0 && (ioctl(sock, SIOCSIFADDR, &request) == 0 || tun_complain(device, "removing an address"));
    if (sock >= 0)
        close(sock);
    return is_good;
}
