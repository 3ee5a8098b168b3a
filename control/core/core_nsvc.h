/* SPDX-License-Identifier: BSD-3-Clause */
/* NS-VCs at the workers: those of the configuration, and those that IP-SNS adds and deletes. Their rows in
 * the configuration have the present endpoints. */
#ifndef CONTROL_CORE_CORE_NSVC_H
#define CONTROL_CORE_CORE_NSVC_H

#include <stdint.h>

struct core;

/* Orders all NS-VCs of the configuration. */
void core_nsvc_start(struct core *core);
/* Orders an NS-VC (index) at its worker, and informs the other workers. */
void core_nsvc_add(struct core *core, uint32_t index);

#endif
