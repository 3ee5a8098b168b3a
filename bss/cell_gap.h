/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a mobile is without a cell at a reselection, by its parts.

   - sync: until the next synchronisation burst. SCH is in frames 1, 11, 21, 31 and 41 of a 51-multiframe
     (TS 45.002 clause 7, table 3); the mobile begins at a random frame.
   - system information: until SYSTEM INFORMATION 1, 3 and 13 have been read, the complete set of TS 44.060
     clause 5.5.1. A message takes frames 2 to 5 of a multiframe; multiframe TC = 0 has type 1, TC = 2 and 6
   type 3, TC = 4 type 13, in a cycle of eight (TS 45.002 clause 6.3.1.3). The mobile begins at a random
   frame. With network assisted cell change (NACC, TS 44.060 clause 8.8.1) it has them from the old cell, and
   this part is 0.
   - access and update: given times.
   A frame lasts 60/13 ms.

   Not here: messages that are not received and read a cycle later, CBCH and extended BCCH. */
#ifndef BSS_CELL_GAP_H
#define BSS_CELL_GAP_H

#include "dataplane/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum { CELL_GAP_DRAWN = -1 };

struct cell_gap_config {
    int64_t sync_ns, information_ns; /* CELL_GAP_DRAWN: as above */
    bool has_nacc;
    int64_t access_ns;
    int64_t cell_update_ns, area_update_ns; /* within a routing area, and into another one */
};

struct cell_gap {
    int64_t sync_ns, information_ns, access_ns, update_ns;
};

/** Draws the parts of one gap; as many draws with and without NACC. */
struct cell_gap cell_gap_draw(const struct cell_gap_config *config, bool is_other_area, struct rng *rng);

/** Their sum. */
int64_t cell_gap_sum_ns(const struct cell_gap *gap);

#endif
