/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/ports/gate.h"

#include "dataplane/ports/device.h"
#include "dataplane/ports/memif_link.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <rte_log.h>
#include <rte_memory.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRIVER     "net_memif"
#define DRIVER_LOG "pmd.net.memif"
#define GATES      (2 * DEVICE_QUEUES) /* those of Gn and Gb */
#define CHANNELS   16                  /* links that are up or come up */

atomic_bool gate_is_shut;

static pthread_mutex_t turn = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct gate *gates[GATES];
static bool has_events = true;        /* under `turn` */
static struct gate_refusals refusals; /* under `turn` */
static atomic_uint_fast64_t refused;  /* its count, which is read often */
static uint16_t queues = 1;

void gate_open(struct gate *gate, uint16_t port_id)
{
    struct rte_eth_dev_info info = {.driver_name = NULL};
    *gate = (struct gate){.is_needed = rte_eth_dev_info_get(port_id, &info) == 0 && info.driver_name &&
                                       strcmp(info.driver_name, DRIVER) == 0};
    pthread_mutex_lock(&turn);
    for (unsigned i = 0, is_kept = !gate->is_needed; i < GATES && !is_kept; i++)
        if (!gates[i]) {
            gates[i] = gate;
            is_kept = true;
        }
    pthread_mutex_unlock(&turn);
}

void gate_close(struct gate *gate)
{
    pthread_mutex_lock(&turn);
    for (unsigned i = 0; i < GATES; i++)
        if (gates[i] == gate)
            gates[i] = NULL;
    pthread_mutex_unlock(&turn);
}

void gate_shut_all(void)
{
    pthread_mutex_lock(&turn);
    atomic_store(&gate_is_shut, true);
    for (unsigned i = 0; i < GATES; i++)
        while (gates[i] && atomic_load(&gates[i]->is_inside))
            sched_yield();
}

void gate_let_in(void)
{
    atomic_store(&gate_is_shut, false);
    pthread_mutex_unlock(&turn);
}

void gate_begin_events(void)
{
    pthread_mutex_lock(&turn);
    has_events = true;
    pthread_mutex_unlock(&turn);
}

void gate_end_events(void)
{
    pthread_mutex_lock(&turn);
    has_events = false;
    pthread_mutex_unlock(&turn);
}

void gate_expect_queues(uint16_t count)
{
    pthread_mutex_lock(&turn);
    queues = count;
    pthread_mutex_unlock(&turn);
}

bool gate_refused(struct gate_refusals *seen)
{
    if (atomic_load(&refused) == seen->count)
        return false;
    pthread_mutex_lock(&turn);
    *seen = refusals;
    pthread_mutex_unlock(&turn);
    return true;
}

void gate_refusal_text(const struct gate_refusals *seen, char *out, size_t cap)
{
    if (seen->why)
        snprintf(out, cap, "%s", seen->why);
    else
        snprintf(
            out, cap,
            "it is a process of user %u, and only the node's user and root may be the peer; run it as one "
            "of them",
            seen->user);
}

/* Holds `turn`. */
static void refuse(const char *why, uint32_t user)
{
    refusals = (struct gate_refusals){.count = refusals.count + 1, .why = why, .user = user};
    atomic_store(&refused, refusals.count);
}

/* --- the driver's callbacks: these functions come before DPDK's --- */

/* The driver has two: one of each socket that listens, one of each link's socket. */
static rte_intr_callback_fn on_connection, on_message;

/* The sockets of links, under `turn`. */
struct channel {
    void *arg; /* of the driver's callback; NULL: the place is free */
    int fd;
    ino_t inode;
    uint64_t number; /* in the order in which they came */
    struct memif_link link;
};

static struct channel channels[CHANNELS];
static uint64_t numbers;
static struct channel *latest; /* that was registered in this call of the driver */
static bool is_accepting;      /* in the call of a socket that listens */

static ino_t inode_of(int fd)
{
    struct stat file;
    return fstat(fd, &file) == 0 ? file.st_ino : 0;
}

static struct channel *channel_of(const void *arg)
{
    for (unsigned i = 0; i < CHANNELS; i++)
        if (channels[i].arg == arg)
            return &channels[i];
    return NULL;
}

/* A message, and the files that come with it, which are closed here. False: it is not whole, or the peer has
 * ended. */
static bool peek(int fd, uint8_t message[MEMIF_LINK_OCTETS], struct memif_link_files *files, int flags)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
    struct iovec octets = {.iov_base = message, .iov_len = MEMIF_LINK_OCTETS};
    struct msghdr head = {.msg_iov = &octets, .msg_iovlen = 1, .msg_control = control};
    struct stat file = {.st_size = 0};
    *files = (struct memif_link_files){.count = 0};
    head.msg_controllen = sizeof(control);
    ssize_t count = recvmsg(fd, &head, flags | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    for (struct cmsghdr *part = count < 0 ? NULL : CMSG_FIRSTHDR(&head); part;
         part = CMSG_NXTHDR(&head, part)) {
        int given;
        size_t given_octets = part->cmsg_len - CMSG_LEN(0);
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = 0; at + sizeof(given) <= given_octets; at += sizeof(given)) {
            memcpy(&given, CMSG_DATA(part) + at, sizeof(given));
            fstat(given, &file);
            close(given);
            files->count++;
        }
    }
    files->octets = (uint64_t)file.st_size;
    return count == MEMIF_LINK_OCTETS;
}

/* The driver then hears that the peer has ended. */
static void end_peer(int fd)
{
    uint8_t message[MEMIF_LINK_OCTETS];
    struct memif_link_files files;
    shutdown(fd, SHUT_RDWR);
    while (peek(fd, message, &files, 0))
        ;
}

static void screen(struct channel *channel)
{
    uint8_t message[MEMIF_LINK_OCTETS];
    struct memif_link_files files;
    const char *why = peek(channel->fd, message, &files, MSG_PEEK)
                          ? memif_link_take(&channel->link, message, &files)
                          : NULL;
    if (!why)
        return;
    refuse(why, 0);
    end_peer(channel->fd);
}

/* A message of a peer, or its end. */
static void take_message(void *arg)
{
    gate_shut_all();
    struct channel *channel = channel_of(arg);
    if (channel && has_events) {
        screen(channel);
        on_message(arg);
    }
    gate_let_in();
}

int gate_register(const struct rte_intr_handle *handle, rte_intr_callback_fn callback,
                  void *arg) __asm__("rte_intr_callback_register");
int gate_unregister(const struct rte_intr_handle *handle, rte_intr_callback_fn callback,
                    void *arg) __asm__("rte_intr_callback_unregister");
int gate_unregister_pending(const struct rte_intr_handle *handle, rte_intr_callback_fn callback, void *arg,
                            rte_intr_unregister_callback_fn then) __asm__("rte_intr_callback_unregister_"
                                                                          "pending");

/*
 * DPDK 22.11's driver closes the socket of a peer that has gone before the first message could be sent, but
 * leaves it among those that the thread of interrupts waits for, which ends the process at the next change.
 */
static void forget_closed(const struct channel *channel)
{
    struct rte_intr_handle *handle =
        inode_of(channel->fd) == channel->inode ? NULL : rte_intr_instance_alloc(0);
    if (!handle)
        return;
    if (rte_intr_fd_set(handle, channel->fd) == 0)
        gate_unregister(handle, on_message, channel->arg);
    rte_intr_instance_free(handle);
}

/* The driver would write a line for each process that is refused or has gone, without a limit. */
static void take_connection(void *arg)
{
    int log = rte_log_register(DRIVER_LOG); /* its number, which the driver has got already */
    int level = log < 0 ? log : rte_log_get_level((uint32_t)log);
    pthread_mutex_lock(&turn);
    latest = NULL;
    if (level >= 0)
        rte_log_set_level((uint32_t)log, RTE_LOG_CRIT);
    is_accepting = true;
    if (has_events)
        on_connection(arg);
    is_accepting = false;
    if (level >= 0)
        rte_log_set_level((uint32_t)log, (uint32_t)level);
    if (latest)
        forget_closed(latest);
    pthread_mutex_unlock(&turn);
}

static bool is_of_driver(const void *function)
{
    Dl_info info;
    return dladdr(function, &info) && info.dli_fname && strstr(info.dli_fname, DRIVER);
}

static bool is_listening(int fd)
{
    int value = 0;
    socklen_t octets = sizeof(value);
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &octets) == 0 && value;
}

static uid_t peers_user = (uid_t)-1; /* that the process becomes; none */

void gate_admit(uid_t user)
{
    peers_user = user;
}

static bool may_be_peer(int fd)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t octets = sizeof(peer);
    bool is_known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &octets) == 0;
    if (is_known && (peer.uid == 0 || peer.uid == geteuid() || peer.uid == peers_user))
        return true;
    refuse(NULL, peer.uid);
    return false;
}

static void *next_of(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* The callback that DPDK knows instead of the driver's. */
static rte_intr_callback_fn known_as(rte_intr_callback_fn callback)
{
    return callback && callback == on_connection ? take_connection
           : callback && callback == on_message  ? take_message
                                                 : callback;
}

/* For the next connection: a client that says nothing keeps a place for as long as it likes. */
static void end_oldest(void)
{
    const struct channel *oldest = NULL;
    for (unsigned i = 0; i < CHANNELS; i++)
        if (channels[i].link.is_server && !channels[i].link.is_begun &&
            (!oldest || channels[i].number < oldest->number))
            oldest = &channels[i];
    if (oldest)
        end_peer(oldest->fd);
    refuse("too many connections are there; the oldest that has sent no message is ended: connect again", 0);
}

/* Of a link's socket; a client's is not one that a listening socket has accepted. */
static int register_channel(const struct rte_intr_handle *handle, void *arg, bool is_server)
{
    int (*next)(const struct rte_intr_handle *, rte_intr_callback_fn, void *) = (int (*)(
        const struct rte_intr_handle *, rte_intr_callback_fn, void *))next_of("rte_intr_callback_register");
    int fd = rte_intr_fd_get(handle);
    struct channel *channel = channel_of(NULL);
    if (!may_be_peer(fd))
        return -EACCES;
    if (!channel) {
        end_oldest();
        return -EACCES;
    }
    *channel = (struct channel){.arg = arg,
                                .fd = fd,
                                .inode = inode_of(fd),
                                .number = numbers++,
                                .link = {.is_server = is_server, .queues = queues}};
    latest = channel;
    return next(handle, take_message, arg);
}

int gate_register(const struct rte_intr_handle *handle, rte_intr_callback_fn callback, void *arg)
{
    int (*next)(const struct rte_intr_handle *, rte_intr_callback_fn, void *) = (int (*)(
        const struct rte_intr_handle *, rte_intr_callback_fn, void *))next_of("rte_intr_callback_register");
    if (!is_of_driver((const void *)callback))
        return next(handle, callback, arg);
    if (is_listening(rte_intr_fd_get(handle))) {
        on_connection = callback;
        return next(handle, take_connection, arg);
    }
    pthread_mutex_lock(&turn);
    on_message = callback;
    int rc = register_channel(handle, arg, is_accepting);
    pthread_mutex_unlock(&turn);
    return rc;
}

/* The driver frees what the callback is about. */
static void forget(rte_intr_callback_fn callback, const void *arg)
{
    struct channel *channel = callback && callback == on_message ? channel_of(arg) : NULL;
    if (channel)
        *channel = (struct channel){.arg = NULL};
}

int gate_unregister(const struct rte_intr_handle *handle, rte_intr_callback_fn callback, void *arg)
{
    int (*next)(const struct rte_intr_handle *, rte_intr_callback_fn, void *) = (int (*)(
        const struct rte_intr_handle *, rte_intr_callback_fn, void *))next_of("rte_intr_callback_unregister");
    int rc = next(handle, known_as(callback), arg);
    pthread_mutex_lock(&turn);
    if (rc >= 0)
        forget(callback, arg);
    pthread_mutex_unlock(&turn);
    return rc;
}

int gate_unregister_pending(const struct rte_intr_handle *handle, rte_intr_callback_fn callback, void *arg,
                            rte_intr_unregister_callback_fn then)
{
    int (*next)(const struct rte_intr_handle *, rte_intr_callback_fn, void *,
                rte_intr_unregister_callback_fn) =
        (int (*)(const struct rte_intr_handle *, rte_intr_callback_fn, void *,
                 rte_intr_unregister_callback_fn))next_of("rte_intr_callback_unregister_pending");
    int rc = next(handle, known_as(callback), arg, then);
    pthread_mutex_lock(&turn);
    if (rc >= 0)
        forget(callback, arg);
    pthread_mutex_unlock(&turn);
    return rc;
}

/* --- the node's packet memory, which zero-copy=yes gives to the peer --- */

int gate_memory_fd(const struct rte_memseg *memory) __asm__("rte_memseg_get_fd");

/*
 * The driver closes this descriptor, which EAL has still in use. The next port with zero-copy=yes would give
 * its peer another file that has got the number meanwhile, or close it. So the driver gets one of its own.
 */
int gate_memory_fd(const struct rte_memseg *memory)
{
    int (*next)(const struct rte_memseg *) = (int (*)(const struct rte_memseg *))next_of("rte_memseg_get_fd");
    int fd = next(memory);
    return fd >= 0 && is_of_driver(__builtin_return_address(0)) ? fcntl(fd, F_DUPFD_CLOEXEC, 1) : fd;
}
