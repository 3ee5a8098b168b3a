/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of tunnels' ends: put on the node's list, and told to the worker before anything names them. */
#ifndef CONTROL_CORE_CORE_ADDRESS_H
#define CONTROL_CORE_CORE_ADDRESS_H

#include "control/core/core.h"

/* Takes over the list of the configuration. */
void core_address_init(struct core *core);

/* The address of 4 or 16 octets; ADDRESS_NONE as address_book_put(). */
uint32_t core_address(struct core *core, const uint8_t *octets, size_t count);

/* The address that has this one's octets in a configuration, which may be a newer one than the core's. */
uint32_t core_address_of(struct core *core, const struct node_config *config, uint32_t address);

#endif
