/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a Lua state, with a limit. The control plane makes and frees a dozen small objects for each PDU;
 * their blocks are from slabs, each of blocks of one size. A slab without blocks is released, but for one of
 * a size, so that garbage of a flood takes no memory when it is collected. Larger blocks are from the C
 * library. Configurations have ciphering keys: a larger block and a slab are wiped when they are freed.
 *
 *     used_octets = slabs + larger blocks <= limit_octets + spare_octets
 */
#ifndef CONTROL_LUA_LUA_MEMORY_H
#define CONTROL_LUA_LUA_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define LUA_MEMORY_STEP_OCTETS  16
#define LUA_MEMORY_SMALL_OCTETS 1024 /* the longest block from a slab */
#define LUA_MEMORY_CLASSES      (LUA_MEMORY_SMALL_OCTETS / LUA_MEMORY_STEP_OCTETS)

struct lua_memory_slab;

struct lua_memory {
    size_t used_octets, limit_octets;
    size_t spare_octets; /* beyond the limit, while no protected call runs: an error there cannot be caught */
    struct lua_memory_slab *open[LUA_MEMORY_CLASSES]; /* slabs with room, by the size of their blocks */
    struct lua_memory_slab *full;                     /* the others, of all sizes */
};

void lua_memory_init(struct lua_memory *memory, size_t limit_octets);

/* Frees the slabs; the state must be closed. */
void lua_memory_fini(struct lua_memory *memory);

/* A lua_Alloc; memory is a struct lua_memory. */
void *lua_memory_allocate(void *memory, void *block, size_t old_octets, size_t new_octets);

#endif
