/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/gb.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in endpoint(uint32_t address, uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
}

/* The kernel gives a datagram to the socket whose pair of endpoints matches, so that several sockets may be
 * bound to a shared endpoint. */
static bool set_ends(int fd, const struct emulate_config_nsvc *nsvc)
{
    const int on = 1;
    struct sockaddr_in own = endpoint(nsvc->address, nsvc->udp_port);
    struct sockaddr_in other = endpoint(nsvc->sgsn_address, nsvc->sgsn_udp_port);
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
           bind(fd, (struct sockaddr *)&own, sizeof(own)) == 0 &&
           connect(fd, (struct sockaddr *)&other, sizeof(other)) == 0;
}

int emulate_gb_open(const struct emulate_config_nsvc *nsvc)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && set_ends(fd, nsvc))
        return fd;
    fprintf(stderr, "gbflow: NS-VC %u: cannot open its UDP socket: %s\n", nsvc->nsvci, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}
