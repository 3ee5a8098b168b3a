/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/qdisc.h"

#include "bench/statistics/spread.h"
#include "control/base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICE        "bench0"
#define BURST         32
#define BURSTS        500
#define ROUNDS        9
#define UDP           472 /* octets; with UDP's and IPv4's headers 500 */
#define SPARE         64  /* descriptors */
#define COMMAND_CHARS 96
#define MAJOR         0x10000U

struct sender {
    struct bench_qdisc *q;
    int tun, sockets[BENCH_QDISC_CLASSES];
    uint64_t chance;
};

static bool say(struct sender *s, const char *what, const char *why)
{
    snprintf(s->q->fault, sizeof(s->q->fault), "%s: %s", what, why);
    return false;
}

static bool open_device(struct sender *s)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    struct sockaddr_in *address = (struct sockaddr_in *)(void *)&request.ifr_addr;
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(request.ifr_name, sizeof(request.ifr_name), DEVICE);
    s->tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (s->tun < 0 || any < 0 || ioctl(s->tun, TUNSETIFF, &request) < 0)
        return say(s, "a TUN device", strerror(errno));
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a090001)};
    bool is_up = ioctl(any, SIOCSIFADDR, &request) == 0;
    address->sin_addr.s_addr = htonl(0xffff0000);
    is_up = is_up && ioctl(any, SIOCSIFNETMASK, &request) == 0;
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    is_up = is_up && ioctl(any, SIOCSIFFLAGS, &request) == 0;
    close(any);
    return is_up || say(s, DEVICE, strerror(errno));
}

static bool open_sockets(struct sender *s)
{
    const struct rlimit limit = {s->q->classes + SPARE, s->q->classes + SPARE};
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0x0a090101)};
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        return say(s, "descriptors", strerror(errno));
    for (uint32_t i = 0; i < s->q->classes; i++) {
        const int priority = (int)(MAJOR | (i + 1)); /* htb's class 1:(i + 1) */
        s->sockets[i] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (s->sockets[i] < 0 || connect(s->sockets[i], (const struct sockaddr *)&to, sizeof(to)) < 0 ||
            setsockopt(s->sockets[i], SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)) < 0)
            return say(s, "a socket for each class", strerror(errno));
    }
    return true;
}

/* Whether tc can add a root qdisc of this kind; else its own words are the fault. */
static bool has_kind(struct sender *s, const char *kind)
{
    char command[COMMAND_CHARS], words[COMMAND_CHARS] = "no words of tc";
    snprintf(command, sizeof(command), "tc qdisc replace dev " DEVICE " root %s 2>&1", kind);
    FILE *tc = popen(command, "r");
    if (!tc)
        return say(s, "tc", strerror(errno));
    if (fgets(words, sizeof(words), tc))
        words[strcspn(words, "\n")] = 0;
    return pclose(tc) == 0 || say(s, kind, words);
}

static bool add_qdisc(struct sender *s)
{
    if (!has_kind(s, s->q->leaf) || !has_kind(s, "htb"))
        return false;
    FILE *tc = popen("tc -batch - >/dev/null 2>&1", "w");
    if (!tc)
        return say(s, "tc", strerror(errno));
    fprintf(tc, "qdisc del dev " DEVICE " root\nqdisc add dev " DEVICE " root handle 1: htb\n");
    for (uint32_t i = 1; i <= s->q->classes; i++)
        fprintf(tc,
                "class add dev " DEVICE
                " parent 1: classid 1:%x htb rate 1gbit quantum 1514\nqdisc add dev " DEVICE
                " parent 1:%x %s\n",
                i, i, s->q->leaf);
    return pclose(tc) == 0 || say(s, "tc", "classes and leaves could not be added");
}

/* Datagrams are read back so that the device never is full. */
static double send_burst(struct sender *s)
{
    static char data[UDP], read_back[2048];
    const int64_t from_ns = clock_thread_ns();
    for (unsigned i = 0; i < BURST; i++) {
        s->chance = s->chance * UINT64_C(6364136223846793005) + 1;
        (void)!send(s->sockets[(s->chance >> 33) % s->q->classes], data, sizeof(data), 0);
    }
    const double took_ns = (double)(clock_thread_ns() - from_ns);
    while (read(s->tun, read_back, sizeof(read_back)) > 0)
        continue;
    return took_ns;
}

static double median_ns(struct sender *s)
{
    double values[ROUNDS];
    struct bench_spread rounds = {.values = values, .cap = ROUNDS};
    for (unsigned r = 0; r < ROUNDS; r++) {
        double ns = 0;
        for (unsigned i = 0; i < BURSTS; i++)
            ns += send_burst(s);
        bench_spread_add(&rounds, ns / (BURST * BURSTS));
    }
    return bench_spread_summary(&rounds).median;
}

static void measure(struct bench_qdisc *q)
{
    static struct sender s;
    signal(SIGPIPE, SIG_IGN); /* tc may end while it is written to */
    s.q = q;
    if (geteuid() != 0) {
        say(&s, "a network namespace", "needs root");
        return;
    }
    if (unshare(CLONE_NEWNET) < 0) {
        say(&s, "a network namespace", strerror(errno));
        return;
    }
    if (!open_device(&s) || !open_sockets(&s))
        return;
    q->without_ns = median_ns(&s);
    if (add_qdisc(&s))
        q->with_ns = median_ns(&s);
}

/* The child ends with the process that started it, also where a signal ends that. */
static void end_with(pid_t parent)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
        _exit(1);
}

void bench_qdisc_measure(struct bench_qdisc *q, const char *leaf, uint32_t classes)
{
    int ends[2];
    *q = (struct bench_qdisc){.leaf = leaf,
                              .classes = classes < BENCH_QDISC_CLASSES ? classes : BENCH_QDISC_CLASSES};
    if (pipe(ends) < 0) {
        snprintf(q->fault, sizeof(q->fault), "a pipe: %s", strerror(errno));
        return;
    }
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        end_with(parent);
        measure(q);
        _exit(write(ends[1], q, sizeof(*q)) != sizeof(*q));
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], q, sizeof(*q)) != sizeof(*q)) /* or a signal ended this run */
        snprintf(q->fault, sizeof(q->fault), "the process that measures it has ended");
    close(ends[0]);
    if (child < 0)
        return;
    kill(child, SIGKILL); /* it has told its result */
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}
