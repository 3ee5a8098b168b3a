/* SPDX-License-Identifier: BSD-3-Clause */
/* TUN devices (Linux), in network namespaces where configured: IP packets from and to a kernel's IP stack. */
#ifndef APP_EMULATE_TUN_H
#define APP_EMULATE_TUN_H

#include "app/emulate/config.h"

/*
 * Creates the device, sets the addresses of its mobiles (each with a prefix of 32 bits), its MTU and, where
 * configured, the default route, and brings it up. Closing the non-blocking descriptor deletes it. -1, with a
 * line on stderr that names the step: failed.
 */
int emulate_tun_open(const struct emulate_config_device *device, const struct emulate_config_mobile *mobiles);

/*
 * Gives the device of phones the n-th address, n from 1 to 999, with its default route where configured; or
 * takes it away. False, with a line on stderr: failed.
 */
bool emulate_tun_add(const struct emulate_config_device *device, uint32_t n, uint32_t address);
bool emulate_tun_remove(const struct emulate_config_device *device, uint32_t n);

#endif
