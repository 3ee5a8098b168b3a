/* SPDX-License-Identifier: BSD-3-Clause */
/* A capture sent as GSMTAP over UDP. */
#include "control/live/capture.h"

#include "capture/writer.h"
#include "dataplane/worker/gb_transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PART_CHARS 64
#define NOT_UNDERSTOOD                                                                                       \
    "not an address: ADDRESS is an IPv4 or IPv6 address, with a UDP port 192.0.2.1:4729 or "                 \
    "[2001:db8::1]:4729"

/* --- addresses --- */

/* Takes ":PORT" off; false: it is no port. */
static bool take_port(char *text, uint16_t *port)
{
    char *closing = strchr(text, ']'), *colon = closing ? strchr(closing, ':') : strchr(text, ':'), *end;
    if (!colon || (!closing && strchr(colon + 1, ':'))) /* an IPv6 address without brackets has no port */
        return true;
    unsigned long number = strtoul(colon + 1, &end, 10);
    *port = (uint16_t)number;
    *colon = '\0';
    return end != colon + 1 && !*end && number > 0 && number <= UINT16_MAX;
}

static socklen_t read_address(char *text, uint16_t port, struct sockaddr_storage *out)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    size_t chars;
    memset(out, 0, sizeof(*out));
    if (!take_port(text, &port))
        return 0;
    v4->sin_family = AF_INET, v4->sin_port = htons(port);
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1)
        return sizeof(*v4);
    chars = strlen(text);
    if (text[0] == '[' && chars > 1 && text[chars - 1] == ']')
        text[chars - 1] = '\0', text++;
    memset(out, 0, sizeof(*out));
    v6->sin6_family = AF_INET6, v6->sin6_port = htons(port);
    return inet_pton(AF_INET6, text, &v6->sin6_addr) == 1 ? sizeof(*v6) : 0;
}

/* NULL, or a message. */
static const char *open_socket(char *text, uint16_t port, int *fd)
{
    struct sockaddr_storage to;
    socklen_t octets = read_address(text, port, &to);
    if (octets == 0)
        return NOT_UNDERSTOOD;
    *fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd >= 0 && connect(*fd, (struct sockaddr *)&to, octets) == 0)
        return NULL;
    return strerror(errno);
}

/* --- public --- */

static const char *open_part(struct live_capture_udp *udp, char *part)
{
    char *address = strchr(part, '=');
    if (!address)
        return NOT_UNDERSTOOD;
    *address++ = '\0';
    if (strcmp(part, "gsmtap") == 0 && udp->gsmtap_fd < 0)
        return open_socket(address, GSMTAP_PORT, &udp->gsmtap_fd);
    if (strcmp(part, "ns") == 0 && udp->ns_fd < 0)
        return open_socket(address, LIVE_CAPTURE_UDP_NS_PORT, &udp->ns_fd);
    return NOT_UNDERSTOOD;
}

const char *live_capture_udp_open(struct live_capture_udp *udp, const char *text)
{
    const char *wrong = NULL;
    *udp = (struct live_capture_udp){.gsmtap_fd = -1, .ns_fd = -1};
    for (const char *at = text + strlen(LIVE_CAPTURE_UDP_PREFIX); *at && !wrong;) {
        char part[PART_CHARS];
        size_t chars = strcspn(at, ",");
        if (chars >= sizeof(part)) {
            wrong = NOT_UNDERSTOOD;
            break;
        }
        snprintf(part, sizeof(part), "%.*s", (int)chars, at);
        wrong = open_part(udp, part);
        at += chars + (at[chars] == ',');
    }
    udp->is_on = !wrong && (udp->gsmtap_fd >= 0 || udp->ns_fd >= 0);
    if (!udp->is_on)
        live_capture_udp_close(udp);
    return wrong || udp->is_on ? wrong : NOT_UNDERSTOOD;
}

void live_capture_udp_close(struct live_capture_udp *udp)
{
    if (udp->gsmtap_fd >= 0)
        close(udp->gsmtap_fd);
    if (udp->ns_fd >= 0)
        close(udp->ns_fd);
    *udp = (struct live_capture_udp){.gsmtap_fd = -1, .ns_fd = -1};
}

static bool send_llc(int fd, const uint8_t *ns, size_t octets, bool is_uplink)
{
    uint8_t datagram[GSMTAP_OCTETS + TAP_OCTETS];
    size_t llc_octets;
    const uint8_t *llc = gsmtap_llc_of(ns, octets, &llc_octets);
    if (!llc)
        return true;
    gsmtap_llc_header(datagram, is_uplink);
    memcpy(datagram + GSMTAP_OCTETS, llc, llc_octets);
    return send(fd, datagram, GSMTAP_OCTETS + llc_octets, MSG_NOSIGNAL) >= 0;
}

bool live_capture_udp_send(const struct live_capture_udp *udp, const struct tap_record *r)
{
    if (r->kind == TAP_DROPPED)
        return true;
    size_t headers = gb_transport_octets(r->octets, r->kept_octets);
    if (headers >= r->kept_octets)
        return true;
    const uint8_t *ns = r->octets + headers;
    size_t octets = r->kept_octets - headers;
    bool is_sent = udp->gsmtap_fd < 0 || send_llc(udp->gsmtap_fd, ns, octets, r->kind == TAP_UP);
    if (udp->ns_fd >= 0)
        is_sent &= send(udp->ns_fd, ns, octets, MSG_NOSIGNAL) >= 0;
    return is_sent;
}
