/* SPDX-License-Identifier: BSD-3-Clause */
/* Gb over UDP on kernel sockets: one for each NS-VC, which is a pair of endpoints. */
#ifndef APP_EMULATE_GB_H
#define APP_EMULATE_GB_H

#include "app/emulate/config.h"

/* A socket from our endpoint to the SGSN's, which does not block. NS-VCs may share our endpoint. -1, with a
 * line on stderr. */
int emulate_gb_open(const struct emulate_config_nsvc *nsvc);

#endif
