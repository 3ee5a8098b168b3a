/* SPDX-License-Identifier: BSD-3-Clause */
/* The MAC addresses of a node, asked for by ARP (RFC 826), as a node ignores frames to others. */
#ifndef BENCH_THROUGHPUT_NODE_MAC_H
#define BENCH_THROUGHPUT_NODE_MAC_H

#include "bench/throughput/generator.h"

#include <stddef.h>
#include <stdint.h>

/* Asks on Gn and on Gb, where the address is not known; again 100 ms after the latest question. */
void bench_node_mac_ask(struct bench_generator *g, int64_t now);

/* Takes a frame that is no user's: from an answer on, frames go to the address in it. */
void bench_node_mac_take(struct bench_generator *g, const uint8_t *frame, size_t octets);

#endif
