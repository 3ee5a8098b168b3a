/* SPDX-License-Identifier: BSD-3-Clause */
/* TUN devices (Linux), in network namespaces where wanted: IP packets out of and into a kernel's IP stack. */
#ifndef APP_EMULATE_TUN_H
#define APP_EMULATE_TUN_H

#include "app/emulate/config.h"

/*
 * Makes the device, gives it the addresses of its mobiles, each with 32 bits of prefix, its MTU and, where
 * wanted, the default route, and brings it up. It goes away with its descriptor, which does not block. -1,
 * with a line on stderr that says what failed.
 */
int emulate_tun_open(const struct emulate_config_device *device, const struct emulate_config_mobile *mobiles);

#endif
