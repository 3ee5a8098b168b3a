/* SPDX-License-Identifier: BSD-3-Clause */
/* Where mobiles are, and how they move over cells.

   Cells: on a line each has length 2 R and its centre in the middle; on a plane they are regular hexagons
   whose corners are R from the centre, in rows that are shifted by half a cell. Line and plane are closed:
   who leaves at one end enters at the other, so there is no border without a neighbour.

   Motion: at a constant speed, straight on in a random direction, or by random waypoints: straight to a point
   that is uniformly distributed, then a pause, then to the next point. Places are uniformly distributed at
   any time, as they are at the start, because the surface is closed.

   Borders are crossed at the rate v / (2 R) on a line. On the plane the fluid-flow model has v L / (pi A) for
   cells of perimeter L and area A (Thomas, Gilbert, Mazziotto 1988), 4 v / (sqrt(3) pi R) for hexagons.

   Not here: streets, changes of speed, cells of different sizes. No clock: time is an argument. */
#ifndef BSS_MOTION_H
#define BSS_MOTION_H

#include "dataplane/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

/* Cells count from 0, row by row. */
struct motion_layout {
    bool is_plane;
    unsigned cells;   /* 1 or more; on a plane `columns` times an even number of rows */
    unsigned columns; /* of a plane */
    double radius_m;
};

struct motion_config {
    double speed_mps; /* more than 0 */
    bool has_waypoints;
    int64_t pause_ns; /* at a waypoint */
    uint64_t seed, stream;
};

struct motion {
    double x_m, y_m, way_x, way_y; /* place; direction, of length 1 */
    double leg_m;                  /* to the waypoint */
    int64_t left_ns;               /* of a pause */
    struct motion_config config;
    struct rng rng;
};

/** Puts a mobile at a random place of a cell. */
void motion_init(struct motion *motion, const struct motion_layout *layout,
                 const struct motion_config *config, unsigned cell);

/** Moves it for a time. Returns the way in m. */
double motion_step(struct motion *motion, const struct motion_layout *layout, int64_t time_ns);

/** The distance to a cell's centre, on the shortest way over the closed surface. */
double motion_distance_m(const struct motion *motion, const struct motion_layout *layout, unsigned cell);

/** The cell in whose borders it is: that of the nearest centre. */
unsigned motion_cell(const struct motion *motion, const struct motion_layout *layout);

#endif
