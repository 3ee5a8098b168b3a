/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/analyze/names.h"

#include <arpa/inet.h>

const char *analyze_address(struct gi_address a, char text[ANALYZE_ADDRESS_OCTETS])
{
    uint8_t octets[16];
    for (unsigned i = 0; i < 8; i++) {
        octets[i] = (uint8_t)(a.high >> (56 - 8 * i));
        octets[8 + i] = (uint8_t)(a.low >> (56 - 8 * i));
    }
    bool is_ipv4 = gi_packet_is_ipv4(a);
    inet_ntop(is_ipv4 ? AF_INET : AF_INET6, is_ipv4 ? octets + 12 : octets, text, ANALYZE_ADDRESS_OCTETS);
    return text;
}

const char *analyze_branch_name(enum gi_branch branch)
{
    static const char *const names[] = {"optimal", "slight", "no_response", "refused",
                                        "reset",   "silent", "none"};
    return names[branch];
}

const char *analyze_level_name(enum gi_level level)
{
    static const char *const names[] = {"low", "medium", "high"};
    return names[level];
}
