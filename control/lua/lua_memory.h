/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a Lua state, with a limit. The control plane makes and frees a dozen small objects for each PDU;
 * their blocks are from free lists by size, whose memory is released with the state only. Larger blocks are
 * from the C library. Configurations have ciphering keys: a larger block is wiped when it is freed, the
 * lists' memory with the state.
 *
 *     used_octets = slabs + larger blocks <= limit_octets + spare_octets
 */
#ifndef CONTROL_LUA_LUA_MEMORY_H
#define CONTROL_LUA_LUA_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define LUA_MEMORY_STEP_OCTETS  16
#define LUA_MEMORY_SMALL_OCTETS 1024 /* the longest block from a list */
#define LUA_MEMORY_CLASSES      (LUA_MEMORY_SMALL_OCTETS / LUA_MEMORY_STEP_OCTETS)

struct lua_memory_slab;

struct lua_memory {
    size_t used_octets, limit_octets;
    size_t spare_octets; /* beyond the limit, while no protected call runs: an error there cannot be caught */
    struct lua_memory_slab *slabs;
    uint8_t *at; /* the part of the latest slab that was never allocated, left_octets long */
    size_t left_octets;
    void *free[LUA_MEMORY_CLASSES]; /* each block begins with a pointer to the next */
};

void lua_memory_init(struct lua_memory *memory, size_t limit_octets);

/* Frees the slabs; the state must be closed. */
void lua_memory_fini(struct lua_memory *memory);

/* A lua_Alloc; memory is a struct lua_memory. */
void *lua_memory_allocate(void *memory, void *block, size_t old_octets, size_t new_octets);

#endif
