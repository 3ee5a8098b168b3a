/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_memory.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLAB_OCTETS ((size_t)64 << 10) /* also its alignment, by which a block has its slab */
#define SLAB_ROOM   (SLAB_OCTETS - sizeof(struct lua_memory_slab))

struct lua_memory_slab {
    struct lua_memory_slab *next, **link; /* in its list; *link is the slab */
    void *free;                           /* each free block begins with a pointer to the next */
    uint32_t used;                        /* blocks */
    uint32_t begun_octets;                /* of `blocks`: those that were ever allocated */
    uint32_t block_octets;
    alignas(LUA_MEMORY_STEP_OCTETS) uint8_t blocks[];
};

void lua_memory_init(struct lua_memory *memory, size_t limit_octets)
{
    *memory = (struct lua_memory){.limit_octets = limit_octets};
}

static size_t class_of(size_t octets)
{
    return (octets - 1) / LUA_MEMORY_STEP_OCTETS;
}

static bool has_room(const struct lua_memory *memory, size_t octets)
{
    return memory->used_octets + octets <= memory->limit_octets + memory->spare_octets;
}

/* --- slabs --- */

static void insert(struct lua_memory_slab **list, struct lua_memory_slab *slab)
{
    slab->next = *list;
    slab->link = list;
    if (*list)
        (*list)->link = &slab->next;
    *list = slab;
}

static void take_out(struct lua_memory_slab *slab)
{
    *slab->link = slab->next;
    if (slab->next)
        slab->next->link = slab->link;
}

static struct lua_memory_slab *slab_of(void *block)
{
    return (struct lua_memory_slab *)((uintptr_t)block & ~(uintptr_t)(SLAB_OCTETS - 1));
}

static bool is_full(const struct lua_memory_slab *slab)
{
    return !slab->free && slab->begun_octets + slab->block_octets > SLAB_ROOM;
}

static uint8_t *lua_memory_map(size_t octets)
{
    void *at = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Aligned pages; mostly the kernel places them below the latest ones, and nothing is cut off. */
static void *map_slab(void)
{
    uint8_t *at = lua_memory_map(SLAB_OCTETS);
    if (!at || (uintptr_t)at % SLAB_OCTETS == 0)
        return at;
    munmap(at, SLAB_OCTETS);
    at = lua_memory_map(2 * SLAB_OCTETS);
    if (!at)
        return NULL;
    size_t before = SLAB_OCTETS - (uintptr_t)at % SLAB_OCTETS;
    munmap(at, before);
    if (before < SLAB_OCTETS)
        munmap(at + before + SLAB_OCTETS, SLAB_OCTETS - before);
    return at + before;
}

/* With a leak checker, which looks into memory of malloc() alone: NULL without one. */
__attribute__((weak)) void __lsan_register_root_region(const void *at, size_t octets);
__attribute__((weak)) void __lsan_unregister_root_region(const void *at, size_t octets);

static struct lua_memory_slab *add_slab(struct lua_memory *memory, size_t class)
{
    struct lua_memory_slab *slab = has_room(memory, SLAB_OCTETS) ? map_slab() : NULL;
    if (!slab)
        return NULL;
    *slab = (struct lua_memory_slab){.block_octets = (uint32_t)(class + 1) * LUA_MEMORY_STEP_OCTETS};
    if (__lsan_register_root_region)
        __lsan_register_root_region(slab, SLAB_OCTETS);
    insert(&memory->open[class], slab);
    memory->used_octets += SLAB_OCTETS;
    return slab;
}

static void release(struct lua_memory *memory, struct lua_memory_slab *slab)
{
    take_out(slab);
    explicit_bzero(slab->blocks, slab->begun_octets);
    if (__lsan_unregister_root_region)
        __lsan_unregister_root_region(slab, SLAB_OCTETS);
    munmap(slab, SLAB_OCTETS);
    memory->used_octets -= SLAB_OCTETS;
}

static void release_all(struct lua_memory *memory, struct lua_memory_slab **list)
{
    while (*list)
        release(memory, *list);
}

void lua_memory_fini(struct lua_memory *memory)
{
    for (size_t class = 0; class < LUA_MEMORY_CLASSES; class ++)
        release_all(memory, &memory->open[class]);
    release_all(memory, &memory->full);
}

/* --- small blocks --- */

static void *take_small(struct lua_memory *memory, size_t octets)
{
    size_t class = class_of(octets);
    struct lua_memory_slab *slab = memory->open[class];
    if (!slab && !(slab = add_slab(memory, class)))
        return NULL;
    void *block = slab->free;
    if (block) {
        memcpy(&slab->free, block, sizeof(slab->free));
    } else {
        block = slab->blocks + slab->begun_octets;
        slab->begun_octets += slab->block_octets;
    }
    slab->used++;
    if (is_full(slab)) {
        take_out(slab);
        insert(&memory->full, slab);
    }
    return block;
}

static void put_small(struct lua_memory *memory, void *block)
{
    struct lua_memory_slab *slab = slab_of(block), **open = &memory->open[class_of(slab->block_octets)];
    if (is_full(slab)) {
        take_out(slab);
        insert(open, slab);
    }
    memcpy(block, &slab->free, sizeof(slab->free));
    slab->free = block;
    slab->used--;
    if (slab->used == 0 && (slab->next || slab->link != open))
        release(memory, slab);
}

static void take_back(struct lua_memory *memory, void *block, size_t octets)
{
    if (octets <= LUA_MEMORY_SMALL_OCTETS) {
        put_small(memory, block);
        return;
    }
    memory->used_octets -= octets;
    explicit_bzero(block, octets);
    free(block);
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
