/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of tunnel ends: new IPv6 addresses are added to the node's list and sent to the workers before
 * any message refers to them. */
#ifndef CONTROL_CORE_CORE_ADDRESS_H
#define CONTROL_CORE_CORE_ADDRESS_H

#include "control/core/core.h"

/* Takes over the list of the configuration. */
void core_address_init(struct core *core);

/* The address of 4 or 16 octets, added when it is new; ADDRESS_NONE as address_book_put(). */
uint32_t core_address(struct core *core, const uint8_t *octets, size_t count);

/* Converts an address of a configuration, which may be newer than the core's, to the core's list. */
uint32_t core_address_of(struct core *core, const struct node_config *config, uint32_t address);

#endif
