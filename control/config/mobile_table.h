/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of mobiles (mobiles.file): a CSV file with a header and a row for each PDP context. Rows of a mobile
 * follow each other. A table is read into the configuration behind mobiles.list, without Lua.
 */
#ifndef CONTROL_CONFIG_MOBILE_TABLE_H
#define CONTROL_CONFIG_MOBILE_TABLE_H

#include "control/config/node_config.h"

#include <stdbool.h>

#define MOBILE_TABLE_ERRORS 20 /* most that are printed */

/*
 * Reads the table that the configuration names, if it names one: mobiles.file, in the folder of the file
 * config_path. Fills in list, contexts, addresses and digests of the configuration. False: the table has
 * errors, which were printed to stderr as "FILE:LINE:COLUMN: NAME: MESSAGE", or it exceeds a limit of the
 * configuration.
 */
bool mobile_table_read(struct node_config *config, const char *config_path);

/* From another thread: a reading in progress ends with an error, and all later ones. */
void mobile_table_stop(void);

#endif
