/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/asker.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

struct asker asker_of(int fd)
{
    struct ucred peer = {0};
    socklen_t octets = sizeof(peer);
    bool is_known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &octets) == 0;
    return (struct asker){.uid = peer.uid, .pid = (uint32_t)peer.pid, .is_known = is_known};
}

bool asker_may_act(const struct asker *asker)
{
    return asker->is_known && (asker->uid == 0 || asker->uid == geteuid());
}

void asker_name(char out[ASKER_CHARS], const struct asker *asker)
{
    if (asker->is_known)
        snprintf(out, ASKER_CHARS, "by uid %" PRIu32 ", pid %" PRIu32, asker->uid, asker->pid);
    else
        snprintf(out, ASKER_CHARS, "at DPDK's socket");
}
