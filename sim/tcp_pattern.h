/* SPDX-License-Identifier: BSD-3-Clause */
/* The payload of every stream: position and ports determine each octet, so a receiver can check it. */
#ifndef SIM_TCP_PATTERN_H
#define SIM_TCP_PATTERN_H

#include <stdint.h>

/* A stream's key, the same at both ends. */
static inline uint32_t tcp_pattern_key(uint16_t src_port, uint16_t dst_port)
{
    return (uint32_t)src_port << 16 | dst_port;
}

void tcp_pattern_fill(uint8_t *bytes, uint32_t octets, uint32_t key, uint64_t place);

/* The number of octets that differ from the pattern. */
uint32_t tcp_pattern_mismatches(const uint8_t *bytes, uint32_t octets, uint32_t key, uint64_t place);

#endif
