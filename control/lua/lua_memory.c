/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_memory.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SLAB_OCTETS ((size_t)64 << 10)

struct lua_memory_slab {
    struct lua_memory_slab *next;
    alignas(LUA_MEMORY_STEP_OCTETS) uint8_t blocks[];
};

void lua_memory_init(struct lua_memory *memory, size_t limit_octets)
{
    *memory = (struct lua_memory){.limit_octets = limit_octets};
}

void lua_memory_fini(struct lua_memory *memory)
{
    while (memory->slabs) {
        struct lua_memory_slab *slab = memory->slabs;
        memory->slabs = slab->next;
        explicit_bzero(slab, SLAB_OCTETS);
        free(slab);
    }
}

static size_t class_of(size_t octets)
{
    return (octets - 1) / LUA_MEMORY_STEP_OCTETS;
}

static void take_back(struct lua_memory *memory, void *block, size_t octets)
{
    if (octets > LUA_MEMORY_SMALL_OCTETS) {
        memory->used_octets -= octets;
        explicit_bzero(block, octets);
        free(block);
        return;
    }
    void **head = &memory->free[class_of(octets)];
    memcpy(block, head, sizeof(*head));
    *head = block;
}

/* --- small blocks --- */

static bool has_room(const struct lua_memory *memory, size_t octets)
{
    return memory->used_octets + octets <= memory->limit_octets + memory->spare_octets;
}

static int add_slab(struct lua_memory *memory)
{
    if (!has_room(memory, SLAB_OCTETS))
        return -1;
    struct lua_memory_slab *slab = malloc(SLAB_OCTETS);
    if (!slab)
        return -1;
    if (memory->left_octets > 0)
        take_back(memory, memory->at, memory->left_octets);
    slab->next = memory->slabs;
    memory->slabs = slab;
    memory->at = slab->blocks;
    memory->left_octets = SLAB_OCTETS - sizeof(*slab);
    memory->used_octets += SLAB_OCTETS;
    return 0;
}

static void *take_small(struct lua_memory *memory, size_t octets)
{
    size_t class = class_of(octets);
    void *block = memory->free[class];
    if (block) {
        memcpy(&memory->free[class], block, sizeof(void *));
        return block;
    }
    size_t whole = (class + 1) * LUA_MEMORY_STEP_OCTETS;
    if (memory->left_octets < whole && add_slab(memory) < 0)
        return NULL;
    block = memory->at;
    memory->at += whole;
    memory->left_octets -= whole;
    return block;
}

/* --- all --- */

static void *lua_memory_take(struct lua_memory *memory, size_t octets)
{
    if (octets <= LUA_MEMORY_SMALL_OCTETS)
        return take_small(memory, octets);
    if (!has_room(memory, octets))
        return NULL;
    void *block = malloc(octets);
    if (block)
        memory->used_octets += octets;
    return block;
}

static void *resize_large(struct lua_memory *memory, void *block, size_t old_octets, size_t new_octets)
{
    /* Lua does not expect that a block cannot become smaller. */
    if (new_octets > old_octets && !has_room(memory, new_octets - old_octets))
        return NULL;
    void *moved = realloc(block, new_octets);
    if (moved)
        memory->used_octets += new_octets - old_octets;
    return moved;
}

static bool is_of_one_class(size_t a, size_t b)
{
    return a <= LUA_MEMORY_SMALL_OCTETS && b <= LUA_MEMORY_SMALL_OCTETS && class_of(a) == class_of(b);
}

static void *resize(struct lua_memory *memory, void *block, size_t old_octets, size_t new_octets)
{
    if (old_octets > LUA_MEMORY_SMALL_OCTETS && new_octets > LUA_MEMORY_SMALL_OCTETS)
        return resize_large(memory, block, old_octets, new_octets);
    if (is_of_one_class(old_octets, new_octets))
        return block;
    void *moved = lua_memory_take(memory, new_octets);
    if (!moved)
        return NULL;
    memcpy(moved, block, old_octets < new_octets ? old_octets : new_octets);
    take_back(memory, block, old_octets);
    return moved;
}

void *lua_memory_allocate(void *memory, void *block, size_t old_octets, size_t new_octets)
{
    if (!block) /* old_octets is a kind of object */
        return new_octets > 0 ? lua_memory_take(memory, new_octets) : NULL;
    if (new_octets > 0)
        return old_octets > 0 ? resize(memory, block, old_octets, new_octets)
                              : lua_memory_take(memory, new_octets);
    if (old_octets > 0)
        take_back(memory, block, old_octets);
    return NULL;
}
