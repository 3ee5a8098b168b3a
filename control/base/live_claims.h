/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks of a live node on its eal.prefix, its network interfaces or PCI devices, and its endpoint of Gb. A
 * lock is a file in the folder of DPDK's run-time files, locked by flock() while the node runs. The kernel
 * unlocks the files of a node that was killed. Interfaces and endpoints belong to a network namespace, whose
 * number is part of the file's name.
 */
#ifndef CONTROL_BASE_LIVE_CLAIMS_H
#define CONTROL_BASE_LIVE_CLAIMS_H

#include "control/base/live_config.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define LIVE_CLAIMS 4

struct live_claims {
    unsigned count;
    struct {
        int fd;
        char path[PATH_MAX];
    } list[LIVE_CLAIMS];
};

/*
 * Locks what the configuration names; gb_address is a text. False, with a line on stderr: another process has
 * one of them, or the folder cannot be written. The caller releases in both cases.
 */
bool live_claims_take(struct live_claims *claims, const struct live_config *config, const char *gb_address,
                      uint16_t gb_udp_port);

/* Deletes and unlocks the files. */
void live_claims_release(struct live_claims *claims);

#endif
