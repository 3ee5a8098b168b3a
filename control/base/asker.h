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

/* Of a socket of AF_UNIX. */
struct asker asker_of(int fd);

/* Whether it may give orders: root, and this process's own user. Others that a socket's mode lets in may
 * read. */
bool asker_may_act(const struct asker *asker);

#define ASKER_CHARS 64

/* "by uid 0, pid 7". */
void asker_name(char out[ASKER_CHARS], const struct asker *asker);

#endif
