/* SPDX-License-Identifier: BSD-3-Clause */
/* A net_tap device receives again after all packet buffers were in use and the kernel's queue was full. In a
 * network namespace of the test's own, which needs root. */
#include "control/base/eal.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/device.h"
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <rte_ethdev.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFERS 2047
#define BURST   64
#define FLOOD   4000 /* frames: more than the kernel's queue and the buffers have room for */
#define NAME    "gbtap0"

struct rig {
    struct device device;
    struct rte_mempool *pool;
    struct rte_mbuf *held[BUFFERS];
    unsigned count;
    int fd; /* sends to the device */
};

static int open_sender(void)
{
    struct ifreq request = {.ifr_name = NAME, .ifr_flags = IFF_UP};
    int fd = socket(AF_PACKET, SOCK_RAW, 0);
    assert_true(fd >= 0);
    assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &request), 0);
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(NAME)};
    assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static void flood(const struct rig *rig, unsigned frames)
{
    static const uint8_t frame[60] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5};
    for (unsigned i = 0; i < frames; i++)
        if (send(rig->fd, frame, sizeof(frame), MSG_DONTWAIT) < 0 && errno != ENOBUFS && errno != EAGAIN)
            fail_msg("send: %s", strerror(errno));
}

/* Receives what is there, and keeps it. */
static unsigned receive(struct rig *rig)
{
    unsigned before = rig->count, count = 1;
    while (count > 0 && rig->count + BURST <= BUFFERS) {
        count = rte_eth_rx_burst(rig->device.id, 0, rig->held + rig->count, BURST);
        rig->count += count;
    }
    return rig->count - before;
}

static void give_back(struct rig *rig)
{
    rte_pktmbuf_free_bulk(rig->held, rig->count);
    rig->count = 0;
}

TEST(receives_again)
{
    static struct rig rig;
    char error[256] = "";
    if (geteuid() != 0 || unshare(CLONE_NEWNET) < 0 || access("/dev/net/tun", R_OK | W_OK) < 0) {
        print_message("skipped: needs root, network namespaces and /dev/net/tun\n");
        skip();
    }
    assert_non_null(rig.pool = pool_new("tap", BUFFERS));
    if (!device_open(&rig.device, "net_tap0,iface=" NAME, error, sizeof(error)) ||
        !device_start(&rig.device, &(struct device_wishes){.queues = 1}, rig.pool, error, sizeof(error)))
        fail_msg("%s", error);
    rig.fd = open_sender();
    flood(&rig, 1);
    receive(&rig);
    for (unsigned i = 0; i < 10 && rte_mempool_avail_count(rig.pool) > 0; i++) {
        flood(&rig, FLOOD);
        receive(&rig);
    }
    assert_int_equal(rte_mempool_avail_count(rig.pool), 0);
    flood(&rig, FLOOD);
    receive(&rig);
    give_back(&rig);
    print_message("received without a nudge: %u frames\n", receive(&rig));
    give_back(&rig);
    device_nudge(&rig.device);
    assert_true(receive(&rig) > 0);
    give_back(&rig);
    flood(&rig, 1);
    assert_true(receive(&rig) > 0);
    give_back(&rig);
    close(rig.fd);
    device_close(&rig.device);
    rte_mempool_free(rig.pool);
}

static int start(void **state)
{
    return eal_start_device("net_tap0", 64u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start, NULL)
