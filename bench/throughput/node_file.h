/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration of the node that `gbflow bench generate` measures. */
#ifndef BENCH_THROUGHPUT_NODE_FILE_H
#define BENCH_THROUGHPUT_NODE_FILE_H

#include "bench/throughput/plan.h"

/* DPDK's device arguments of an end of the default memif link; id: 0 Gn, 1 Gb. */
#define BENCH_NODE_FILE_CHARS 160

/* IPv4, UDP and GTP-U before an N-PDU of 1500 octets: the MTU of Gn on devices. */
#define BENCH_NODE_FILE_GN_MTU 1536
void bench_node_file_device(char out[BENCH_NODE_FILE_CHARS], const char *socket, unsigned id, bool is_server);

/* Writes the configuration for a point. The node's ports are plan->eal.gn.device and gb.device, or servers of
 * the memif links; its CPU is plan->node_core, if it is given. False, with a line on stderr. */
bool bench_node_file_write(const char *path, const struct bench_plan *plan, const struct bench_point *point);

/* `gbflow bench node NODE.lua`: the same for the plan's point. Returns an exit status. */
int bench_node_file_run(const struct bench_plan *plan);

#endif
