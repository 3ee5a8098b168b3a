/* SPDX-License-Identifier: BSD-3-Clause */
/* Gb over UDP on kernel sockets: one for each NS-VC, which is a pair of endpoints. */
#ifndef APP_EMULATE_GB_H
#define APP_EMULATE_GB_H

#include "app/emulate/config.h"

/* Opens a non-blocking socket from the NS-VC's BSS endpoint to its SGSN endpoint. NS-VCs may share a BSS
 * endpoint. -1, with a line on stderr: failed. */
int emulate_gb_open(const struct emulate_config_nsvc *nsvc);

#endif
