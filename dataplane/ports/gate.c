/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/ports/gate.h"

#include "dataplane/ports/device.h"

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
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRIVER     "net_memif"
#define DRIVER_LOG "pmd.net.memif"
#define GATES      (2 * DEVICE_QUEUES) /* those of Gn and Gb */

atomic_bool gate_is_shut;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static struct gate *gates[GATES];
static bool has_events = true; /* under `turn` */
static atomic_uint_fast64_t refused;
static atomic_uint_fast32_t refused_user;

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

uint64_t gate_refused(uint32_t *user)
{
    uint64_t count = atomic_load(&refused);
    if (user)
        *user = (uint32_t)atomic_load(&refused_user);
    return count;
}

/* --- the driver's callbacks: these functions come before DPDK's --- */

/* The driver has two: one of each socket that listens, one of each link's socket. */
static rte_intr_callback_fn on_connection, on_message;
/* The link's socket that the driver has registered last, and its inode. */
static int link_fd = -1;
static ino_t link_inode;

static ino_t inode_of(int fd)
{
    struct stat file;
    return fstat(fd, &file) == 0 ? file.st_ino : 0;
}

/* A message of a peer, or its end. */
static void take_message(void *arg)
{
    gate_shut_all();
    if (has_events)
        on_message(arg);
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
static void forget_closed(void)
{
    struct rte_intr_handle *handle = inode_of(link_fd) == link_inode ? NULL : rte_intr_instance_alloc(0);
    if (!handle)
        return;
    if (rte_intr_fd_set(handle, link_fd) == 0)
        gate_unregister(handle, take_message, (void *)-1);
    rte_intr_instance_free(handle);
}

/* The driver would write a line for each process that is refused or has gone, without a limit. */
static void take_connection(void *arg)
{
    int log = rte_log_register(DRIVER_LOG); /* its number, which the driver has got already */
    int level = log < 0 ? log : rte_log_get_level((uint32_t)log);
    pthread_mutex_lock(&turn);
    link_fd = -1;
    if (level >= 0)
        rte_log_set_level((uint32_t)log, RTE_LOG_CRIT);
    if (has_events)
        on_connection(arg);
    if (level >= 0)
        rte_log_set_level((uint32_t)log, (uint32_t)level);
    if (link_fd >= 0)
        forget_closed();
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

static bool may_be_peer(int fd)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t octets = sizeof(peer);
    bool is_known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &octets) == 0;
    if (is_known && (peer.uid == 0 || peer.uid == geteuid()))
        return true;
    atomic_store(&refused_user, peer.uid);
    atomic_fetch_add(&refused, 1);
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

int gate_register(const struct rte_intr_handle *handle, rte_intr_callback_fn callback, void *arg)
{
    int (*next)(const struct rte_intr_handle *, rte_intr_callback_fn, void *) = (int (*)(
        const struct rte_intr_handle *, rte_intr_callback_fn, void *))next_of("rte_intr_callback_register");
    int fd = rte_intr_fd_get(handle);
    if (!is_of_driver((const void *)callback))
        return next(handle, callback, arg);
    if (is_listening(fd)) {
        on_connection = callback;
        return next(handle, take_connection, arg);
    }
    if (!may_be_peer(fd))
        return -EACCES;
    on_message = callback;
    link_fd = fd;
    link_inode = inode_of(fd);
    return next(handle, take_message, arg);
}

int gate_unregister(const struct rte_intr_handle *handle, rte_intr_callback_fn callback, void *arg)
{
    int (*next)(const struct rte_intr_handle *, rte_intr_callback_fn, void *) = (int (*)(
        const struct rte_intr_handle *, rte_intr_callback_fn, void *))next_of("rte_intr_callback_unregister");
    return next(handle, known_as(callback), arg);
}

int gate_unregister_pending(const struct rte_intr_handle *handle, rte_intr_callback_fn callback, void *arg,
                            rte_intr_unregister_callback_fn then)
{
    int (*next)(const struct rte_intr_handle *, rte_intr_callback_fn, void *,
                rte_intr_unregister_callback_fn) =
        (int (*)(const struct rte_intr_handle *, rte_intr_callback_fn, void *,
                 rte_intr_unregister_callback_fn))next_of("rte_intr_callback_unregister_pending");
    return next(handle, known_as(callback), arg, then);
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
