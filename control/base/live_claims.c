/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/live_claims.h"

#include "control/base/live_config.h"

#include "control/base/eal.h"
#include "dataplane/ports/device_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_CHARS   256
#define WHAT_CHARS   512
#define HOLDER_CHARS 16

/* --- a locked file --- */

/* The holder before may have deleted the file between open() and flock(). */
static bool is_there(int fd, const char *path)
{
    struct stat of_fd, of_path;
    return fstat(fd, &of_fd) == 0 && stat(path, &of_path) == 0 && of_fd.st_dev == of_path.st_dev &&
           of_fd.st_ino == of_path.st_ino;
}

/* A locked descriptor of the file; -1 with errno, EWOULDBLOCK: another process has it, which is in holder. */
static int lock(const char *path, char holder[HOLDER_CHARS])
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_there(fd, path))
            return fd;
        int reason = errno;
        bool is_locked = fd >= 0 && reason == EWOULDBLOCK;
        ssize_t octets = is_locked ? read(fd, holder, HOLDER_CHARS - 1) : 0;
        holder[octets > 0 ? octets : 0] = 0;
        if (fd >= 0)
            close(fd);
        errno = reason;
        if (fd < 0 || is_locked)
            return -1;
    }
}

static void put_holder(int fd)
{
    char text[HOLDER_CHARS];
    int octets = snprintf(text, sizeof(text), "%d", (int)getpid());
    if (ftruncate(fd, 0) < 0 || write(fd, text, (size_t)octets) != octets)
        fputs("gbflow: a lock file does not take the process's number\n", stderr);
}

static bool has(const struct live_claims *claims, const char *path)
{
    for (unsigned i = 0; i < claims->count; i++)
        if (strcmp(claims->list[i].path, path) == 0)
            return true;
    return false;
}

/* Locks the file `name`; `what` is the object with its value, as the message says it. */
static bool base_live_claims_take(struct live_claims *claims, const char *name, const char *what,
                                  const char *remedy)
{
    char folder[PATH_MAX - NAME_CHARS - 1], holder[HOLDER_CHARS] = "";
    char *path = claims->list[claims->count].path;
    eal_folder(folder, sizeof(folder));
    mkdir(folder, 0700); /* DPDK makes it only later; lock() tells why it cannot be used */
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    if (has(claims, path)) /* Gn and Gb on one interface */
        return true;
    int fd = lock(path, holder);
    if (fd < 0 && errno == EWOULDBLOCK) {
        fprintf(stderr, "gbflow: %s is in use by another node (process %s); %s\n", what,
                holder[0] ? holder : "not known", remedy);
        return false;
    }
    if (fd < 0) {
        fprintf(stderr, "gbflow: lock file %s: %s\n", path, strerror(errno));
        return false;
    }
    put_holder(fd);
    claims->list[claims->count++].fd = fd;
    return true;
}

/* --- what is locked --- */

static unsigned long network_namespace(void)
{
    struct stat of_net;
    return stat("/proc/self/ns/net", &of_net) == 0 ? (unsigned long)of_net.st_ino : 0;
}

static bool take_prefix(struct live_claims *claims, const char *prefix)
{
    char name[NAME_CHARS], what[WHAT_CHARS];
    snprintf(name, sizeof(name), "prefix-%s.lock", prefix);
    snprintf(what, sizeof(what), "eal.prefix: '%s'", prefix);
    return base_live_claims_take(claims, name, what, "give each node an eal.prefix");
}

/* A device that is made for this process alone needs no lock: it has no part outside. */
static bool put_shared_name(const char *device, char *name, size_t cap)
{
    char interface[64];
    if (device_name_is_pci(device)) {
        snprintf(name, cap, "pci-%.*s.lock", (int)strcspn(device, ","), device);
        return true;
    }
    if (!device_name_interface(device, interface, sizeof(interface)) || strchr(interface, '/'))
        return false;
    snprintf(name, cap, "netns-%lu-%s.lock", network_namespace(), interface);
    return true;
}

static bool take_device(struct live_claims *claims, const char *side, const char *device)
{
    char name[NAME_CHARS], what[WHAT_CHARS];
    if (!put_shared_name(device, name, sizeof(name)))
        return true;
    snprintf(what, sizeof(what), "%s.port: '%s'", side, device);
    return base_live_claims_take(claims, name, what, "give each node devices that no other node has");
}

static bool take_gb(struct live_claims *claims, const char *device, const char *address, uint16_t udp_port)
{
    char name[NAME_CHARS], what[WHAT_CHARS];
    if (!put_shared_name(device, name, sizeof(name)))
        return true;
    snprintf(name, sizeof(name), "netns-%lu-gb-%s-%u.lock", network_namespace(), address, udp_port);
    snprintf(what, sizeof(what), "gb.address: '%s' with gb.udp_port %u", address, udp_port);
    return base_live_claims_take(claims, name, what,
                                 "give each node an endpoint of Gb, or a network namespace");
}

bool live_claims_take(struct live_claims *claims, const struct live_config *config, const char *gb_address,
                      uint16_t gb_udp_port)
{
    return take_prefix(claims, config->eal_prefix) && take_device(claims, "gn", config->gn.device) &&
           take_device(claims, "gb", config->gb.device) &&
           take_gb(claims, config->gb.device, gb_address, gb_udp_port);
}

void live_claims_release(struct live_claims *claims)
{
    while (claims->count > 0) {
        claims->count--;
        unlink(claims->list[claims->count].path); /* while it is locked, so that it is this process's */
        close(claims->list[claims->count].fd);
    }
}
