/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp/xfrm.h"

#include "control/base/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <limits.h>
#include <linux/if_tun.h>
#include <linux/xfrm.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_OCTETS 65536
#define KERNEL_OCTETS (4 << 20) /* of changes that wait for this process */
/* At least those that wait: the kernel counts more octets for each. */
#define EVENTS_MOST    (2 * KERNEL_OCTETS / 512)
#define CONTROL_OCTETS (1 << 20)

static bool complain(const char *what, const char *remedy)
{
    fprintf(stderr, "gbflow: esp.ike: %s: %s; %s\n", what, strerror(errno), remedy);
    return false;
}

/* --- the interface --- */

/* The TUN device must be there: its addresses and routes are the operator's. -1, with errno: it is not. */
static int open_tun(const char *interface)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
    int fd = if_nametoindex(interface) ? open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0 || ioctl(fd, TUNSETIFF, &request) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* Sends octets with a descriptor; fd -1: with none. */
static bool send_with(int to, const void *octets, size_t count, int fd)
{
    char room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {(void *)(uintptr_t)octets, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = room;
        message.msg_controllen = sizeof(room);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
        memcpy(CMSG_DATA(head), &fd, sizeof(fd));
    }
    return sendmsg(to, &message, MSG_NOSIGNAL) == (ssize_t)count;
}

/* As recv(); *fd: the descriptor that came, or -1. */
static ssize_t receive_with(int from, void *octets, size_t count, int *fd)
{
    char room[CMSG_SPACE(sizeof(int))];
    struct iovec part = {octets, count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
    *fd = -1;
    ssize_t got = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
    if (got > 0 && CMSG_FIRSTHDR(&message))
        memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(*fd));
    return got;
}

/* --- the process --- */

struct bridge {
    struct mnl_socket *events, *requests; /* what happens; questions and their answers */
    int fd;                               /* to control */
    const char *interface;
    unsigned seq;
    char buffer[BUFFER_OCTETS];
};

static struct mnl_socket *open_kernel(unsigned groups)
{
    struct mnl_socket *kernel = mnl_socket_open2(NETLINK_XFRM, SOCK_CLOEXEC);
    int octets = KERNEL_OCTETS;
    if (!kernel || mnl_socket_bind(kernel, groups, MNL_SOCKET_AUTOPID) < 0) {
        complain("XFRM netlink", "the kernel needs CONFIG_XFRM_USER, and the node CAP_NET_ADMIN");
        return NULL;
    }
    setsockopt(mnl_socket_get_fd(kernel), SOL_SOCKET, SO_RCVBUFFORCE, &octets, sizeof(octets));
    return kernel;
}

static bool tell(const struct bridge *b, const struct xfrm_message *message)
{
    return send(b->fd, message, sizeof(*message), MSG_NOSIGNAL) == (ssize_t)sizeof(*message);
}

/* MNL_CB_ERROR: control has gone. */
static int pass_on(const struct nlmsghdr *from, void *arg)
{
    const struct bridge *b = arg;
    struct xfrm_message message;
    bool is_told = !xfrm_read(from, b->interface, &message) || tell(b, &message);
    explicit_bzero(&message, sizeof(message));
    return is_told ? MNL_CB_OK : MNL_CB_ERROR;
}

/* Passes on what the buffer has, and overwrites it: there are keys in it. */
static int pass_all(struct bridge *b, ssize_t octets, unsigned seq, unsigned port)
{
    int more = mnl_cb_run(b->buffer, (size_t)octets, seq, port, pass_on, b);
    explicit_bzero(b->buffer, (size_t)octets);
    return more;
}

/* Answers to earlier requests. */
static void drain(const struct bridge *b)
{
    char octets[512];
    while (recv(mnl_socket_get_fd(b->requests), octets, sizeof(octets), MSG_DONTWAIT) > 0)
        continue;
}

/* 1: all was told; 0: the kernel's list has changed meanwhile; -1: control has gone, or the kernel fails. */
static int list(struct bridge *b, uint16_t type, size_t head)
{
    drain(b);
    struct nlmsghdr *request = mnl_nlmsg_put_header(b->buffer);
    request->nlmsg_type = type;
    request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request->nlmsg_seq = ++b->seq;
    memset(mnl_nlmsg_put_extra_header(request, head), 0, head);
    if (mnl_socket_sendto(b->requests, request, request->nlmsg_len) < 0)
        return -1;
    for (;;) {
        ssize_t octets = mnl_socket_recvfrom(b->requests, b->buffer, sizeof(b->buffer));
        int more = octets < 0 ? -1 : pass_all(b, octets, b->seq, mnl_socket_get_portid(b->requests));
        if (more <= 0)
            return more == 0 ? 1 : errno == EINTR ? 0 : -1;
    }
}

/* The former socket keeps the rest of a list that was given up. */
static bool reopen(struct bridge *b)
{
    mnl_socket_close(b->requests);
    b->requests = open_kernel(0);
    return b->requests != NULL;
}

/* All that is there. */
static bool list_all(struct bridge *b)
{
    const struct xfrm_message begin = {.kind = XFRM_LIST_BEGIN}, end = {.kind = XFRM_LIST_END};
    int state;
    for (;;) {
        state = tell(b, &begin) ? list(b, XFRM_MSG_GETSA, sizeof(struct xfrm_usersa_id)) : -1;
        if (state == 1)
            state = list(b, XFRM_MSG_GETPOLICY, sizeof(struct xfrm_userpolicy_id));
        if (state != 0 || !reopen(b))
            return state == 1 && tell(b, &end);
    }
}

/* Changes that were lost for want of room make a new list, behind those that were kept: these are earlier.
 * Those that come meanwhile are for the next call, else a kernel that always changes would keep control
 * waiting. */
static bool take_events(struct bridge *b)
{
    bool is_lost = false;
    for (unsigned left = EVENTS_MOST; left > 0; left--) {
        ssize_t octets = mnl_socket_recvfrom(b->events, b->buffer, sizeof(b->buffer));
        if (octets < 0 && errno == EAGAIN)
            break;
        if (octets < 0 && errno == ENOBUFS) {
            is_lost = true;
            left = EVENTS_MOST;
        } else if (octets < 0 && errno != EINTR)
            return false;
        else if (octets >= 0 && pass_all(b, octets, 0, 0) < 0)
            return false;
    }
    return !is_lost || list_all(b);
}

static void put_id(xfrm_address_t *to, const struct sa_params *p, const struct sa_address *address)
{
    memset(to, 0, sizeof(*to));
    memcpy(to, address->octets, p->is_ipv6 ? 16 : 4);
}

static void put_expire(struct nlmsghdr *request, const struct xfrm_sa *sa)
{
    struct xfrm_user_expire *expire = mnl_nlmsg_put_extra_header(request, sizeof(*expire));
    memset(expire, 0, sizeof(*expire));
    request->nlmsg_type = XFRM_MSG_EXPIRE;
    put_id(&expire->state.id.daddr, &sa->params, &sa->params.destination);
    expire->state.id.spi = htonl(sa->params.spi);
    expire->state.id.proto = IPPROTO_ESP;
    expire->state.family = sa->params.is_ipv6 ? AF_INET6 : AF_INET;
    expire->hard = sa->is_hard;
}

static void put_used(struct nlmsghdr *request, const struct xfrm_sa *sa)
{
    struct xfrm_aevent_id *id = mnl_nlmsg_put_extra_header(request, sizeof(*id));
    struct xfrm_lifetime_cur cur = {
        .bytes = sa->octets, .packets = sa->packets, .add_time = sa->add_time, .use_time = sa->use_time};
    memset(id, 0, sizeof(*id));
    request->nlmsg_type = XFRM_MSG_NEWAE;
    request->nlmsg_flags |= NLM_F_REPLACE;
    put_id(&id->sa_id.daddr, &sa->params, &sa->params.destination);
    put_id(&id->saddr, &sa->params, &sa->params.source);
    id->sa_id.spi = htonl(sa->params.spi);
    id->sa_id.proto = IPPROTO_ESP;
    id->sa_id.family = sa->params.is_ipv6 ? AF_INET6 : AF_INET;
    id->reqid = sa->reqid;
    mnl_attr_put(request, XFRMA_LTIME_VAL, sizeof(cur), &cur);
}

/* No answer: the interface is not there yet. Control asks again. */
static bool open_again(const struct bridge *b, const struct xfrm_message *message)
{
    int tun = open_tun(b->interface);
    bool is_told = tun < 0 || send_with(b->fd, message, sizeof(*message), tun);
    if (tun >= 0)
        close(tun);
    return is_told;
}

/* The kernel's answer does not matter: the association may have gone. */
static bool take_control(struct bridge *b)
{
    struct xfrm_message message;
    ssize_t octets = recv(b->fd, &message, sizeof(message), 0);
    if (octets != (ssize_t)sizeof(message))
        return octets < 0 && errno == EINTR;
    if (message.kind == XFRM_SYNC)
        return take_events(b) && tell(b, &message);
    if (message.kind == XFRM_DEVICE)
        return open_again(b, &message);
    drain(b);
    struct nlmsghdr *request = mnl_nlmsg_put_header(b->buffer);
    request->nlmsg_flags = NLM_F_REQUEST;
    request->nlmsg_seq = ++b->seq;
    if (message.kind == XFRM_EXPIRE)
        put_expire(request, &message.sa);
    else
        put_used(request, &message.sa);
    mnl_socket_sendto(b->requests, request, request->nlmsg_len);
    return true;
}

static void serve(struct bridge *b)
{
    struct pollfd fds[] = {{.fd = mnl_socket_get_fd(b->events), .events = POLLIN},
                           {.fd = b->fd, .events = POLLIN}};
    bool is_good = list_all(b);
    while (is_good && (poll(fds, 2, -1) > 0 || errno == EINTR)) {
        if (fds[0].revents)
            is_good = take_events(b);
        if (is_good && fds[1].revents)
            is_good = take_control(b);
    }
}

/* --- what needs rights --- */

static bool enter(const char *netns)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s", netns[0] == '/' ? "" : "/run/netns/", netns);
    int fd = netns[0] ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool is_in = !netns[0] || (fd >= 0 && setns(fd, CLONE_NEWNET) == 0);
    if (!is_in)
        complain(path, "make it by `ip netns add`, and start the node with the right to enter it");
    if (fd >= 0)
        close(fd);
    return is_in;
}

static void run(int fd, const char *netns, const char *interface, const char *user)
{
    struct bridge *b = calloc(1, sizeof(*b));
    unsigned groups = 1U << (XFRMNLGRP_SA - 1) | 1U << (XFRMNLGRP_POLICY - 1) | 1U << (XFRMNLGRP_EXPIRE - 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "gbflow-ike");
    privileges_close_inherited(fd);
    if (!b || !enter(netns))
        _exit(1);
    b->fd = fd;
    b->interface = interface;
    int tun = open_tun(interface);
    if (tun < 0)
        complain(interface, "make it by `ip tuntap add NAME mode tun`, and give it the node's address");
    else if ((b->events = open_kernel(groups)) &&
             fcntl(mnl_socket_get_fd(b->events), F_SETFL, O_NONBLOCK) == 0 &&
             (b->requests = open_kernel(0)) && privileges_keep_net_admin(user) && send_with(fd, "", 1, tun)) {
        close(tun);
        serve(b);
    }
    _exit(1);
}

/* --- the node's side --- */

bool xfrm_start(struct xfrm *xfrm, const char *netns, const char *interface, const char *user)
{
    int fds[2], octets = CONTROL_OCTETS;
    char octet;
    *xfrm = (struct xfrm){.fd = -1, .tun_fd = -1, .epoll_fd = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return complain("its process", "it cannot be made");
    setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &octets, sizeof(octets));
    xfrm->process = fork();
    if (xfrm->process == 0) {
        close(fds[0]);
        run(fds[1], netns, interface, user);
    }
    close(fds[1]);
    xfrm->fd = fds[0];
    if (xfrm->process < 0)
        return complain("its process", "it cannot be made");
    receive_with(xfrm->fd, &octet, sizeof(octet), &xfrm->tun_fd);
    fcntl(xfrm->fd, F_SETFL, O_NONBLOCK);
    return xfrm->tun_fd >= 0;
}

static bool watch(const struct xfrm *xfrm, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return xfrm->epoll_fd < 0 || epoll_ctl(xfrm->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool xfrm_watch(struct xfrm *xfrm, int epoll_fd)
{
    xfrm->epoll_fd = epoll_fd;
    return watch(xfrm, xfrm->fd) && watch(xfrm, xfrm->tun_fd);
}

/* Not watched any more, also if another process has it. */
static void close_watched(const struct xfrm *xfrm, int *fd)
{
    if (*fd >= 0) {
        epoll_ctl(xfrm->epoll_fd, EPOLL_CTL_DEL, *fd, NULL);
        close(*fd);
    }
    *fd = -1;
}

void xfrm_close_device(struct xfrm *xfrm)
{
    close_watched(xfrm, &xfrm->tun_fd);
}

bool xfrm_take(struct xfrm *xfrm, struct xfrm_message *message, bool *is_gone)
{
    int fd;
    ssize_t octets = receive_with(xfrm->fd, message, sizeof(*message), &fd);
    *is_gone = octets == 0 || (octets < 0 && errno != EAGAIN && errno != EINTR);
    if (*is_gone)
        close_watched(xfrm, &xfrm->fd);
    if (fd >= 0 && xfrm->tun_fd < 0 && watch(xfrm, fd))
        xfrm->tun_fd = fd;
    else if (fd >= 0)
        close(fd);
    return octets == (ssize_t)sizeof(*message);
}

/* One that finds no room is told by a later one: counts grow, and an end is told again. */
void xfrm_put(const struct xfrm *xfrm, const struct xfrm_message *message)
{
    if (xfrm->fd >= 0)
        send(xfrm->fd, message, sizeof(*message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void xfrm_stop(struct xfrm *xfrm)
{
    close_watched(xfrm, &xfrm->fd);
    close_watched(xfrm, &xfrm->tun_fd);
    if (xfrm->process > 0) {
        kill(xfrm->process, SIGKILL);
        waitpid(xfrm->process, NULL, 0);
    }
    *xfrm = (struct xfrm){.fd = -1, .tun_fd = -1, .epoll_fd = -1};
}
