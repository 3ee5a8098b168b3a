/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's environment for a live node: control floats over all processors, each worker has one of its own. */
#ifndef CONTROL_BASE_EAL_LIVE_H
#define CONTROL_BASE_EAL_LIVE_H

#include "control/base/live_config.h"

#include <stdbool.h>

/* The lcore of a worker; control has lcore 0. */
#define EAL_LIVE_LCORE(worker) ((worker) + 1)

/* False, with a line on stderr, when the configuration names processors that there are not. */
bool eal_live_check(const struct live_config *config);

/* Whether it will take huge pages for so much memory. */
bool eal_live_has_huge_pages(const struct live_config *config, size_t memory_octets);

/* Starts it, with room for memory_octets unless the configuration says how much. False, with a line on
 * stderr, when it does not start. End it with eal_stop(). */
bool eal_live_start(const struct live_config *config, unsigned workers, size_t memory_octets);

#endif
