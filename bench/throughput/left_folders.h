/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's folders of runtime files that killed runs of this program have left. */
#ifndef BENCH_THROUGHPUT_LEFT_FOLDERS_H
#define BENCH_THROUGHPUT_LEFT_FOLDERS_H

#define BENCH_LEFT_FOLDERS_PREFIX "gbflow-bench" /* of eal_prefix, before the number of the process */

/* Removes those whose process is gone: none of their number is seen, and no socket in them is open. */
void bench_left_folders_remove(void);

#endif
