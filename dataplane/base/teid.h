/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TEID that gbflow allocates names the place of its PDP context: worker (4 bits), generation (8 bits),
 * slot (20 bits). The generation changes each time the slot is filled, so that a late packet of the slot's
 * former context is detected. It is never 0, so small numbers from a configuration are not taken for
 * allocated TEIDs.
 *
 * A TEID from a configuration or another SGSN can look like an allocated one: only the context in the slot
 * decides.
 */
#ifndef DATAPLANE_BASE_TEID_H
#define DATAPLANE_BASE_TEID_H

#include <stdbool.h>
#include <stdint.h>

#define TEID_WORKERS     16
#define TEID_GENERATIONS 255 /* 1..255 */
#define TEID_SLOTS       (UINT32_C(1) << 20)

/* worker below TEID_WORKERS, generation 1..TEID_GENERATIONS, slot below TEID_SLOTS. */
static inline uint32_t teid_make(unsigned worker, unsigned generation, uint32_t slot)
{
    return (uint32_t)worker << 28 | (uint32_t)generation << 20 | slot;
}

static inline unsigned teid_worker(uint32_t teid)
{
    return teid >> 28;
}

static inline unsigned teid_generation(uint32_t teid)
{
    return teid >> 20 & 0xff;
}

static inline uint32_t teid_slot(uint32_t teid)
{
    return teid & (TEID_SLOTS - 1);
}

/* Whether a TEID can be one that teid_make() made for this worker. */
static inline bool teid_is_of(uint32_t teid, unsigned worker)
{
    return teid_worker(teid) == worker && teid_generation(teid) != 0;
}

#endif
