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

/* Whether there is a way to the address; the socket is not connected then. */
static bool has_way(const struct live_capture_udp_end *end)
{
    const struct sockaddr none = {.sa_family = AF_UNSPEC};
    return connect(end->fd, (const struct sockaddr *)&end->address, end->address_octets) == 0 &&
           connect(end->fd, &none, sizeof(none)) == 0;
}

/* NULL, or a message. */
static const char *open_end(struct live_capture_udp_end *end, char *text, uint16_t port)
{
    end->address_octets = read_address(text, port, &end->address);
    if (end->address_octets == 0)
        return NOT_UNDERSTOOD;
    end->fd = socket(end->address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return end->fd >= 0 && has_way(end) ? NULL : strerror(errno);
}

static bool send_to(const struct live_capture_udp_end *end, const uint8_t *datagram, size_t octets)
{
    return sendto(end->fd, datagram, octets, MSG_NOSIGNAL, (const struct sockaddr *)&end->address,
                  end->address_octets) >= 0;
}

/* --- public --- */

static const char *open_part(struct live_capture_udp *udp, char *part)
{
    char *address = strchr(part, '=');
    if (!address)
        return NOT_UNDERSTOOD;
    *address++ = '\0';
    if (strcmp(part, "gsmtap") == 0 && udp->gsmtap.fd < 0)
        return open_end(&udp->gsmtap, address, GSMTAP_PORT);
    if (strcmp(part, "ns") == 0 && udp->ns.fd < 0)
        return open_end(&udp->ns, address, LIVE_CAPTURE_UDP_NS_PORT);
    return NOT_UNDERSTOOD;
}

const char *live_capture_udp_open(struct live_capture_udp *udp, const char *text)
{
    const char *wrong = NULL;
    *udp = (struct live_capture_udp){.gsmtap.fd = -1, .ns.fd = -1};
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
    udp->is_on = !wrong && (udp->gsmtap.fd >= 0 || udp->ns.fd >= 0);
    if (!udp->is_on)
        live_capture_udp_close(udp);
    return wrong || udp->is_on ? wrong : NOT_UNDERSTOOD;
}

void live_capture_udp_close(struct live_capture_udp *udp)
{
    if (udp->gsmtap.fd >= 0)
        close(udp->gsmtap.fd);
    if (udp->ns.fd >= 0)
        close(udp->ns.fd);
    *udp = (struct live_capture_udp){.gsmtap.fd = -1, .ns.fd = -1};
}

static bool send_llc(const struct live_capture_udp_end *end, const uint8_t *ns, size_t octets, bool is_uplink)
{
    uint8_t datagram[GSMTAP_OCTETS + TAP_OCTETS];
    size_t llc_octets;
    const uint8_t *llc = gsmtap_llc_of(ns, octets, &llc_octets);
    if (!llc)
        return true;
    gsmtap_llc_header(datagram, is_uplink);
    memcpy(datagram + GSMTAP_OCTETS, llc, llc_octets);
    return send_to(end, datagram, GSMTAP_OCTETS + llc_octets);
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
    bool is_sent = udp->gsmtap.fd < 0 || send_llc(&udp->gsmtap, ns, octets, r->kind == TAP_UP);
    if (udp->ns.fd >= 0)
        is_sent &= send_to(&udp->ns, ns, octets);
    return is_sent;
}
