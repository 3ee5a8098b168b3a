/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of DPDK's run-time files: a folder for each prefix, and the locks of live nodes. */
#ifndef CONTROL_BASE_RUNTIME_FOLDER_H
#define CONTROL_BASE_RUNTIME_FOLDER_H

#include <stddef.h>

/* Writes the path that DPDK uses: "dpdk" in $RUNTIME_DIRECTORY, else root: /var/run, others: $XDG_RUNTIME_DIR
 * or /tmp. Returns the characters written, without the 0, which are fewer than cap. */
size_t runtime_folder(char *out, size_t cap);

#endif
