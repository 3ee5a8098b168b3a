/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TEID that gbflow allocates names the place of its PDP context: worker (4 bits), generation (8 bits),
 * slot (20 bits); with more than 2^20 slots the generation has 6 bits, the slot 22. The generation changes
 * each time the slot is filled, so that a late packet of the slot's former context is detected. It is never
 * 0, so small numbers from a configuration are not taken for allocated TEIDs.
 *
 * A TEID from a configuration or another SGSN can look like an allocated one: only the context in the slot
 * decides.
 */
#ifndef DATAPLANE_BASE_TEID_H
#define DATAPLANE_BASE_TEID_H

#include <stdbool.h>
#include <stdint.h>

#define TEID_WORKERS      16
#define TEID_WORKER_SHIFT 28
#define TEID_SLOT_BITS    20
#define TEID_MOST_BITS    22
#define TEID_SLOTS        (UINT32_C(1) << TEID_MOST_BITS) /* at most */

/* The bits of the slot in the TEIDs of a node with that many slots, at most TEID_SLOTS. */
static inline unsigned teid_slot_bits(uint32_t slots)
{
    return slots <= UINT32_C(1) << TEID_SLOT_BITS ? TEID_SLOT_BITS : TEID_MOST_BITS;
}

/* The generations of a slot: 1 to this. */
static inline unsigned teid_generations(unsigned slot_bits)
{
    return (1u << (TEID_WORKER_SHIFT - slot_bits)) - 1;
}

/* worker below TEID_WORKERS, generation 1..teid_generations(), slot below 2^slot_bits. */
static inline uint32_t teid_make(unsigned worker, unsigned generation, uint32_t slot, unsigned slot_bits)
{
    return (uint32_t)worker << TEID_WORKER_SHIFT | (uint32_t)generation << slot_bits | slot;
}

static inline unsigned teid_worker(uint32_t teid)
{
    return teid >> TEID_WORKER_SHIFT;
}

static inline unsigned teid_generation(uint32_t teid, unsigned slot_bits)
{
    return teid >> slot_bits & teid_generations(slot_bits);
}

static inline uint32_t teid_slot(uint32_t teid, unsigned slot_bits)
{
    return teid & ((UINT32_C(1) << slot_bits) - 1);
}

/* Whether a TEID can be one that teid_make() made for this worker. */
static inline bool teid_is_of(uint32_t teid, unsigned worker, unsigned slot_bits)
{
    return teid_worker(teid) == worker && teid_generation(teid, slot_bits) != 0;
}

#endif
