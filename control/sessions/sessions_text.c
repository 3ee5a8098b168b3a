/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/sessions_text.h"

#include "dataplane/base/address.h"
#include "dataplane/base/bytes.h"

const char *sessions_text_ipv4(const struct session *session, char text[INET6_ADDRSTRLEN])
{
    uint8_t octets[4];
    bytes_put_u32(octets, session->address);
    return session->address ? inet_ntop(AF_INET, octets, text, INET6_ADDRSTRLEN) : NULL;
}

const char *sessions_text_ipv6(const struct session *session, char text[INET6_ADDRSTRLEN])
{
    uint64_t prefix = session->prefix, interface = session->interface;
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    bytes_put_u32(octets, (uint32_t)(prefix >> 32));
    bytes_put_u32(octets + 4, (uint32_t)prefix);
    bytes_put_u32(octets + 8, (uint32_t)(interface >> 32));
    bytes_put_u32(octets + 12, (uint32_t)interface);
    return prefix ? inet_ntop(AF_INET6, octets, text, INET6_ADDRSTRLEN) : NULL;
}

const char *sessions_text_pdp_type(const struct session *session)
{
    uint8_t ip_version = session->ip_version;
    if (ip_version == PDP_ANY_PAYLOAD)
        return "non_ip";
    return ip_version == 4 ? "ipv4" : ip_version == 6 ? "ipv6" : "ipv4v6";
}
