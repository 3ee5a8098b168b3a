/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/ports/device_name.h"

#include "dataplane/ports/device.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FRAME_MOST 2048 /* octets that a driver copies to a buffer */

bool device_name_is_pci(const char *name)
{
    const char *colon = strchr(name, ':'), *comma = strchr(name, ',');
    return colon && (!comma || colon < comma);
}

bool device_name_is_kind(const char *name, const char *kind)
{
    return strncmp(name, kind, strlen(kind)) == 0;
}

/* Copies the value of the last argument ",KEY=" (key with comma and sign) in a name, cut to cap. False: none.
 */
static bool argument(const char *name, const char *key, char *out, size_t cap)
{
    const char *value = NULL;
    for (const char *at = name; (at = strstr(at, key)); at += strlen(key))
        value = at + strlen(key);
    if (value)
        snprintf(out, cap, "%.*s", (int)strcspn(value, ","), value);
    return value;
}

bool device_name_interface(const char *name, char *out, size_t cap)
{
    /* The "iface=" of net_vhost is a Unix socket. */
    return !device_name_is_kind(name, "net_vhost") && argument(name, ",iface=", out, cap);
}

/* --- the Unix socket of net_vhost, net_virtio_user and net_memif --- */

struct end {
    char path[DEVICE_NAME_PATH_CHARS];
    const char *listen; /* the argument with which the port would listen */
    bool is_listening;
    bool is_shared; /* other ports of the process may listen there, too */
};

static bool value_of(const char *name, const char *key, char out[DEVICE_NAME_PATH_CHARS])
{
    return argument(name, key, out, DEVICE_NAME_PATH_CHARS);
}

static bool has_value(const char *name, const char *key, const char *wanted)
{
    char value[DEVICE_NAME_PATH_CHARS];
    return value_of(name, key, value) && strcmp(value, wanted) == 0;
}

/* False: the port has no socket with a file, or its driver itself waits for one. */
static bool read_end(const char *name, struct end *end)
{
    *end = (struct end){.listen = "server=1"};
    if (device_name_is_kind(name, "net_vhost")) {
        end->is_listening = true;
        return !has_value(name, ",client=", "1") && value_of(name, ",iface=", end->path);
    }
    if (device_name_is_kind(name, "net_virtio_user")) {
        end->is_listening = has_value(name, ",server=", "1");
        return value_of(name, ",path=", end->path);
    }
    end->listen = "role=server";
    end->is_shared = true;
    end->is_listening = has_value(name, ",role=", "server") || has_value(name, ",role=", "master");
    return device_name_is_kind(name, "net_memif") && has_value(name, ",socket-abstract=", "no") &&
           value_of(name, ",socket=", end->path);
}

/*
 * The owner of a socket's file: EPROTOTYPE a process, ECONNREFUSED none. The socket that asks is of a type
 * that no driver has, so that it never connects.
 */
static int owner_of(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int reason = fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : errno;
    if (fd >= 0)
        close(fd);
    return reason;
}

static bool may_listen(const struct end *end, const struct stat *file, char *error, size_t cap)
{
    if (!S_ISSOCK(file->st_mode)) {
        snprintf(error, cap, "the file %s is there and is no socket; remove it, or take another path",
                 end->path);
        return false;
    }
    int reason = owner_of(end->path);
    if (reason == EPROTOTYPE && !end->is_shared) {
        snprintf(error, cap, "another process listens at %s; end it, or take another path", end->path);
        return false;
    }
    if (reason != ECONNREFUSED || unlink(end->path) == 0)
        return true;
    snprintf(error, cap, "the socket %s is left of a process that has ended; remove it (%s)", end->path,
             strerror(errno));
    return false;
}

static bool may_connect(const struct end *end, bool is_there, const struct stat *file, char *error,
                        size_t cap)
{
    if (is_there && !S_ISSOCK(file->st_mode)) /* a device of the kernel, /dev/vhost-net */
        return true;
    int reason = is_there ? owner_of(end->path) : ENOENT;
    if (reason == EACCES)
        snprintf(error, cap, "no permission to use the socket %s", end->path);
    else if (reason == ENOENT || reason == ECONNREFUSED)
        snprintf(error, cap, "no process listens at %s; start the peer first, or let this port listen (%s)",
                 end->path, end->listen);
    return reason != EACCES && reason != ENOENT && reason != ECONNREFUSED;
}

static bool has_folder(const char *path)
{
    char folder[DEVICE_NAME_PATH_CHARS];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 0, path);
    return !folder[0] || access(folder, F_OK) == 0;
}

static bool prepare_socket(const char *name, char *error, size_t cap)
{
    struct end end;
    struct stat file = {0};
    if (!read_end(name, &end))
        return true;
    bool is_there = stat(end.path, &file) == 0;
    if (strlen(end.path) >= DEVICE_NAME_PATH_CHARS - 1) {
        snprintf(error, cap, "the path of its socket has more than %d characters; take a shorter one",
                 DEVICE_NAME_PATH_CHARS - 2);
        return false;
    }
    if (!is_there && errno == ENOENT && !has_folder(end.path)) {
        snprintf(error, cap, "the folder of the socket %s does not exist; make it", end.path);
        return false;
    }
    if (end.is_listening)
        return !is_there || may_listen(&end, &file, error, cap);
    return may_connect(&end, is_there, &file, error, cap);
}

bool device_name_waits(const char *name, char path[DEVICE_NAME_PATH_CHARS])
{
    struct end end;
    if (!device_name_is_kind(name, "net_virtio_user") || !read_end(name, &end) || !end.is_listening)
        return false;
    snprintf(path, DEVICE_NAME_PATH_CHARS, "%s", end.path);
    return true;
}

/* --- what a driver would report only to its own log --- */

static bool is_tap(const char *name)
{
    return device_name_is_kind(name, "net_tap");
}

static bool may_open_packet_sockets(void)
{
    int fd = socket(AF_PACKET, SOCK_RAW, 0);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno != EPERM;
}

/* Numbers with which a driver starts, and then spoils memory or hangs. */
static bool are_numbers_possible(const char *name, char *error, size_t cap)
{
    static const struct {
        const char *kind, *key, *why;
        unsigned long most;
    } limits[] = {
        {"net_af_packet", ",framesz=", "so that a frame fits a packet buffer", FRAME_MOST},
        {"net_af_packet", ",qpairs=", "one for each worker", DEVICE_QUEUES},
        {"net_null", ",size=", "so that a frame fits a packet buffer", FRAME_MOST},
    };
    char value[16];
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (!device_name_is_kind(name, limits[i].kind) ||
            !argument(name, limits[i].key, value, sizeof(value)) ||
            strtoul(value, NULL, 10) <= limits[i].most)
            continue;
        snprintf(error, cap, "%s%s: at most %lu, %s", limits[i].key + 1, value, limits[i].most,
                 limits[i].why);
        return false;
    }
    return true;
}

bool device_name_check(const char *name, char *error, size_t cap)
{
    char interface[64], file[DEVICE_NAME_CHARS];
    /* net_tap makes the interface. */
    if (!is_tap(name) && device_name_interface(name, interface, sizeof(interface)) &&
        if_nametoindex(interface) == 0) {
        snprintf(error, cap, "there is no network interface '%s'", interface);
        return false;
    }
    if (device_name_is_kind(name, "net_pcap") && argument(name, ",rx_pcap=", file, sizeof(file)) &&
        access(file, R_OK) != 0) {
        snprintf(error, cap, "rx_pcap=%s: %s", file, strerror(errno));
        return false;
    }
    if (device_name_is_kind(name, "net_af_packet") && !may_open_packet_sockets()) {
        snprintf(error, cap, "no permission to open packet sockets (CAP_NET_RAW, or run as root)");
        return false;
    }
    if (!are_numbers_possible(name, error, cap))
        return false;
    if ((is_tap(name) || device_name_is_kind(name, "net_af_xdp")) && geteuid() != 0) {
        snprintf(error, cap, "this kind of device needs root");
        return false;
    }
    return prepare_socket(name, error, cap);
}
