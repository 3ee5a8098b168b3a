/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of quic.c in a program without libngtcp2. */
#include "sim/quic.h"

#include <stddef.h>

bool quic_is_built(void)
{
    return false;
}

struct quic *quic_connect(const struct quic_config *config, int64_t now)
{
    return NULL;
}

struct quic *quic_accept(const struct quic_config *config, const struct ip_packet *packet, int64_t now)
{
    return NULL;
}

void quic_free(struct quic *q)
{
}

void quic_receive(struct quic *q, const struct ip_packet *packet, int64_t now)
{
}

int64_t quic_open(struct quic *q)
{
    return 0;
}

void quic_write(struct quic *q, int64_t stream, uint64_t octets, bool is_end, int64_t now)
{
}

void quic_cut(struct quic *q, int64_t now)
{
}

void quic_close(struct quic *q, int64_t now)
{
}

const struct quic_stats *quic_stats(const struct quic *q)
{
    static const struct quic_stats none;
    return &none;
}
