/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the configuration of the node that `gbflow bench generate` is the other side of. */
#ifndef BENCH_THROUGHPUT_NODE_FILE_H
#define BENCH_THROUGHPUT_NODE_FILE_H

#include "bench/throughput/plan.h"

/* The name of an end of the default memif link: 0 Gn, 1 Gb. */
#define BENCH_NODE_FILE_CHARS 160
void bench_node_file_device(char out[BENCH_NODE_FILE_CHARS], const char *socket, unsigned id, bool is_server);

/* For the plan's first point. Its ports are those of plan->node_gn and node_gb, or servers of the memif
 * links. False, with a line on stderr. */
bool bench_node_file_write(const struct bench_plan *plan, const struct bench_point *point);

#endif
