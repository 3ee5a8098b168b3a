/* SPDX-License-Identifier: BSD-3-Clause */
/* An asker: the process at the other end of a socket. */
#ifndef CONTROL_BASE_ASKER_H
#define CONTROL_BASE_ASKER_H

#include <stdbool.h>
#include <stdint.h>

struct asker {
    uint32_t uid, pid;
    bool is_known; /* DPDK's socket does not tell */
};

#endif
