/* SPDX-License-Identifier: BSD-3-Clause */
/* Our restart counter: GGSNs that see another one than before delete the contexts that they have of us (TS
 * 29.060 clause 18). */
#ifndef CONTROL_LIVE_RESTARTS_H
#define CONTROL_LIVE_RESTARTS_H

#include <stdint.h>

/* One more than the file says, which keeps it from now on. Without a file, "", or where it cannot be written
 * (a line on stderr then), it is made of the time: of 256 restarts one has the counter of another. */
uint8_t restarts_next(const char *path);

#endif
