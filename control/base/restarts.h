/* SPDX-License-Identifier: BSD-3-Clause */
/* The SGSN's restart counter: a GGSN that receives another value than before deletes its contexts of this
 * SGSN (TS 29.060 clause 18). */
#ifndef CONTROL_BASE_RESTARTS_H
#define CONTROL_BASE_RESTARTS_H

#include <stdint.h>

/* The counter stored in the file plus 1, modulo 256, which is stored in turn; 0 if the file does not exist or
 * has no number. If path is "", or the file cannot be written (with a line on stderr), the counter is derived
 * from the time: one restart in 256 then has the previous value. */
uint8_t restarts_next(const char *path);

#endif
