/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of addresses, set-up branches and levels, as tables, CSV files and JSON have them. */
#ifndef APP_ANALYZE_NAMES_H
#define APP_ANALYZE_NAMES_H

#include "analyze/gi_packet.h"
#include "analyze/gi_result.h"

/* An address as text. */
enum { ANALYZE_ADDRESS_OCTETS = 46 };
const char *analyze_address(struct gi_address a, char text[ANALYZE_ADDRESS_OCTETS]);

/* Names of enum gi_branch and enum gi_level. */
const char *analyze_branch_name(enum gi_branch branch);
const char *analyze_level_name(enum gi_level level);

#endif
