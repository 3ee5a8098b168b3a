/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of tunnel ends: new IPv6 addresses are added to the node's list and sent to the workers before
 * any message refers to them. A file of its own because the sessions, which a fuzzer links without DPDK, need
 * it. */
#include "control/core/core.h"

#include "control/config/address_book.h"

#include <arpa/inet.h>
#include <string.h>

static void tell(struct core *core, uint32_t place)
{
    struct msg msg = {.type = MSG_GN_IPV6, .ipv6 = {.place = place}};
    memcpy(msg.ipv6.octets, core->addresses.list[place], sizeof(msg.ipv6.octets));
    core_order(core, &msg);
}

void core_address_init(struct core *core)
{
    core->addresses = core->config->addresses;
    for (uint32_t i = 0; i < core->addresses.count; i++)
        tell(core, i);
}

uint32_t core_address(struct core *core, const uint8_t *octets, size_t count)
{
    uint32_t known = core->addresses.count;
    uint32_t address = address_book_put(&core->addresses, octets, count);
    if (core->addresses.count > known)
        tell(core, known);
    return address;
}

uint32_t core_address_of(struct core *core, const struct node_config *config, uint32_t address)
{
    if (!address_is_ipv6(address))
        return address;
    return core_address(core, config->addresses.list[address_place(address)], ADDRESS_IPV6_OCTETS);
}

uint32_t core_address_read(struct core *core, const char *text)
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    if (text && inet_pton(AF_INET, text, octets) == 1)
        return core_address(core, octets, 4);
    if (text && inet_pton(AF_INET6, text, octets) == 1)
        return core_address(core, octets, sizeof(octets));
    return ADDRESS_NONE;
}
