/* SPDX-License-Identifier: BSD-3-Clause */
/* NS-VCs as the workers have them: those of the configuration, and those that IP-SNS makes and takes away.
 * Their rows in the configuration say where they lead now. */
#ifndef CONTROL_CORE_CORE_NSVC_H
#define CONTROL_CORE_CORE_NSVC_H

#include "control/core/core.h"

/* Orders all that the configuration has. */
void core_nsvc_start(struct core *core);

/* Orders an NS-VC (index) from its worker, and tells the others. */
void core_nsvc_add(struct core *core, uint32_t index);

#endif
