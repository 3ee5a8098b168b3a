/* SPDX-License-Identifier: BSD-3-Clause */
/* Where packet buffers are kept under a thread sanitizer: behind a lock of our own, since it does not see
 * into DPDK's libraries and would take a buffer that went through them for shared. Otherwise as ever. */
#ifndef TESTS_UNIT_DATAPLANE_SHARD_BUFFERS_H
#define TESTS_UNIT_DATAPLANE_SHARD_BUFFERS_H

/* For all pools that are made from now on. DPDK has been started. */
void buffers_choose(void);

#endif
