/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/motion.h"

#include "dataplane/base/moment.h"

#include <math.h>

#define ROOT_3 1.7320508075688772
#define TURN   6.283185307179586

static double uniform(struct rng *rng)
{
    return (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

/* Of a hexagon, from side to side; its rows are 3/2 R apart. */
static double width_m(const struct motion_layout *layout)
{
    return layout->is_plane ? ROOT_3 * layout->radius_m : 2 * layout->radius_m;
}

static double length_m(const struct motion_layout *layout)
{
    return width_m(layout) * (layout->is_plane ? layout->columns : layout->cells);
}

static double height_m(const struct motion_layout *layout)
{
    return layout->is_plane ? 1.5 * layout->radius_m * (layout->cells / layout->columns) : 0;
}

static double centre_x_m(const struct motion_layout *layout, unsigned cell)
{
    if (!layout->is_plane)
        return width_m(layout) * (cell + 0.5);
    return width_m(layout) * (cell % layout->columns + 0.5 * (cell / layout->columns % 2));
}

static double centre_y_m(const struct motion_layout *layout, unsigned cell)
{
    return layout->is_plane ? 1.5 * layout->radius_m * (cell / layout->columns) : 0;
}

/* Back onto the surface of that size; 0: it has no such dimension. */
static double closed(double value, double size)
{
    double inside = size > 0 ? value - size * floor(value / size) : 0;
    return inside < size ? inside : 0;
}

/* The shorter of both ways round. */
static double shortest(double difference, double size)
{
    return size > 0 ? difference - size * round(difference / size) : 0;
}

static bool is_in_hexagon(double x, double y, double radius_m)
{
    double across = fabs(x), along = fabs(y);
    return across <= ROOT_3 / 2 * radius_m && along <= radius_m - across / ROOT_3;
}

static void draw_place(struct motion *m, const struct motion_layout *layout, unsigned cell)
{
    double x, y = 0;
    do {
        x = (uniform(&m->rng) - 0.5) * width_m(layout);
        if (layout->is_plane)
            y = (2 * uniform(&m->rng) - 1) * layout->radius_m;
    } while (layout->is_plane && !is_in_hexagon(x, y, layout->radius_m));
    m->x_m = closed(centre_x_m(layout, cell) + x, length_m(layout));
    m->y_m = closed(centre_y_m(layout, cell) + y, height_m(layout));
}

static void draw_direction(struct motion *m, const struct motion_layout *layout)
{
    double angle = TURN * uniform(&m->rng);
    m->way_x = layout->is_plane ? cos(angle) : angle < TURN / 2 ? 1 : -1;
    m->way_y = layout->is_plane ? sin(angle) : 0;
    m->leg_m = INFINITY;
}

static void draw_waypoint(struct motion *m, const struct motion_layout *layout)
{
    double x = shortest(uniform(&m->rng) * length_m(layout) - m->x_m, length_m(layout));
    double y = shortest(uniform(&m->rng) * height_m(layout) - m->y_m, height_m(layout));
    m->leg_m = hypot(x, y);
    m->way_x = m->leg_m > 0 ? x / m->leg_m : 0;
    m->way_y = m->leg_m > 0 ? y / m->leg_m : 0;
}

void motion_init(struct motion *motion, const struct motion_layout *layout,
                 const struct motion_config *config, unsigned cell)
{
    *motion = (struct motion){.config = *config};
    rng_init(&motion->rng, config->seed, config->stream);
    draw_place(motion, layout, cell);
    if (config->has_waypoints)
        draw_waypoint(motion, layout);
    else
        draw_direction(motion, layout);
}

static void motion_advance(struct motion *m, const struct motion_layout *layout, double way_m)
{
    m->x_m = closed(m->x_m + m->way_x * way_m, length_m(layout));
    m->y_m = closed(m->y_m + m->way_y * way_m, height_m(layout));
    m->leg_m -= way_m;
}

/* The time left after a pause. */
static int64_t rest(struct motion *m, int64_t time_ns)
{
    int64_t rested_ns = moment_min(m->left_ns, time_ns);
    m->left_ns -= rested_ns;
    return time_ns - rested_ns;
}

double motion_step(struct motion *motion, const struct motion_layout *layout, int64_t time_ns)
{
    double speed_mps = motion->config.speed_mps, way_m = 0;
    while ((time_ns = rest(motion, time_ns)) > 0) {
        double could_m = speed_mps * (double)time_ns / MOMENT_SECOND;
        double leg_m = fmin(could_m, motion->leg_m);
        bool has_arrived = motion->leg_m <= could_m;
        motion_advance(motion, layout, leg_m);
        way_m += leg_m;
        if (!has_arrived)
            return way_m;
        int64_t took_ns = (int64_t)(leg_m / speed_mps * MOMENT_SECOND) + 1;
        time_ns = moment_max(time_ns - took_ns, 0);
        motion->left_ns = motion->config.pause_ns;
        draw_waypoint(motion, layout);
    }
    return way_m;
}

double motion_distance_m(const struct motion *motion, const struct motion_layout *layout, unsigned cell)
{
    return hypot(shortest(motion->x_m - centre_x_m(layout, cell), length_m(layout)),
                 shortest(motion->y_m - centre_y_m(layout, cell), height_m(layout)));
}

unsigned motion_cell(const struct motion *motion, const struct motion_layout *layout)
{
    unsigned nearest = 0;
    double least_m = INFINITY;
    for (unsigned cell = 0; cell < layout->cells; cell++) {
        double distance_m = motion_distance_m(motion, layout, cell);
        nearest = distance_m < least_m ? cell : nearest;
        least_m = fmin(distance_m, least_m);
    }
    return nearest;
}
