/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpc_port.h"

#include "dataplane/base/address.h"
#include "dataplane/wire/gtpc.h"

uint16_t gtpc_port_of(const struct siphash_key *key, uint32_t theirs, uint16_t seq)
{
    uint64_t hash = siphash_u64(key, (uint64_t)theirs << 16 | seq);
    return (uint16_t)(GTPC_PORT_FIRST | (hash & (GTPC_PORT_FIRST - 1)));
}

bool gtpc_port_is_right(const struct siphash_key *key, uint32_t theirs, uint16_t port, const uint8_t *bytes,
                        size_t octets)
{
    int seq = port >= GTPC_PORT_FIRST ? gtpc_response_seq(bytes, octets) : -1; /* most need no hash */
    return seq >= 0 && theirs != ADDRESS_NONE && port == gtpc_port_of(key, theirs, (uint16_t)seq);
}
