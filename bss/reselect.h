/* SPDX-License-Identifier: BSD-3-Clause */
/* Autonomous cell reselection of a mobile (network control order 0) by C1 and C2, TS 45.008 clauses 6.4
   and 6.6.2.

   Level: power - loss at 1 km - 10 exponent log10(d / km) - shadowing. Shadowing is lognormal, each cell has
   its own; over the way d it keeps exp(-d / distance) of itself (Gudmundson 1991). Its normal law is the sum
   of twelve uniform draws, which ends at six times sigma.

   Received level average (RLA): levels in dB with weights that fall exponentially with their age, of mean age
   `average`; that of five samples over 5 s is 2.5 s.

   C1 = average - RXLEV_ACCESS_MIN, of mobiles that have the power that the cell allows. C2 = C1 +
   CELL_RESELECT_OFFSET. Reselected is the cell with the greatest C2 of those with C1 > 0,
   - if C1 of the own cell was below 0 for `hold`, or
   - if C2 was above that of the own cell by more than a margin for `hold`. The margin is
     CELL_RESELECT_HYSTERESIS, in the READY state also within a routing area, and `again_db` at least within
     `again` after a reselection.

   Not here: fast fading, which is averaged out, TEMPORARY_OFFSET and PENALTY_TIME, C31 and
   C32, the list of only six neighbours, network control orders 1 and 2. No clock: time is an argument. */
#ifndef BSS_RESELECT_H
#define BSS_RESELECT_H

#include "dataplane/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

struct reselect_config {
    unsigned cells;
    double power_dbm, loss_1km_db, exponent;
    double shadow_db, shadow_m;         /* sigma, 0: none; distance in which 1/e remains */
    double access_min_dbm;              /* RXLEV_ACCESS_MIN */
    double same_area_db, other_area_db; /* CELL_RESELECT_HYSTERESIS */
    double again_db;
    int64_t again_ns, hold_ns, average_ns;
    const double *offsets_db; /* CELL_RESELECT_OFFSET by cell */
    const uint8_t *areas;     /* routing area by cell */
};

/* A cell as a mobile hears it. */
struct reselect_cell {
    int64_t better_ns;           /* above the margin since; MOMENT_NEVER: it is not */
    double shadow_db, level_dbm; /* level_dbm: the average; NAN: not heard yet */
};

struct reselect {
    const struct reselect_config *config;
    struct reselect_cell *cells;
    unsigned own;
    int64_t lost_ns; /* C1 of the own cell is below 0 since; MOMENT_NEVER: it is not */
    int64_t last_ns; /* of the last reselection; MOMENT_NEVER: none */
    double kept;     /* weight of the averages before, beside the next levels */
    struct rng rng;
};

/** A mobile in a cell; cells: config->cells ones, the caller's. Draws the shadowing. */
void reselect_init(struct reselect *r, const struct reselect_config *config, struct reselect_cell *cells,
                   unsigned own);

/** The shadowing after a way in m, and the age of the averages after a time. */
void reselect_walk(struct reselect *r, double way_m, int64_t time_ns);

/** Adds the level of a cell at a distance in m to its average. */
void reselect_hear(struct reselect *r, unsigned cell, double distance_m);

/** Decides by the present levels; call it at each measurement. Returns the cell to go to, or the own one. */
unsigned reselect_decide(struct reselect *r, int64_t now);

/** It is in a cell, to which it went at `now`. */
void reselect_enter(struct reselect *r, unsigned cell, int64_t now);

#endif
