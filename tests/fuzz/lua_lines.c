/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/lua_lines.h"

#include <stddef.h>
#include <stdint.h>

enum { COUNTERS = 1 << 14, SOURCES = 1 << 10 };

__attribute__((used, section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

/* The hash of a module's name; of the last one at each place, as modules stay where they are. */
__attribute__((no_sanitize("address", "coverage", "undefined"))) static uint32_t hash_of(const char *source)
{
    static struct {
        const char *source;
        uint32_t hash;
    } known[SOURCES];
    size_t place = (uintptr_t)source / 16 % SOURCES;
    if (known[place].source == source)
        return known[place].hash;
    uint32_t hash = 2166136261;
    for (const char *p = source; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 16777619;
    known[place].source = source;
    known[place].hash = hash;
    return hash;
}

/* Runs at every line, so that nothing counts what it does itself. */
__attribute__((no_sanitize("address", "coverage", "undefined"))) static void count_line(lua_State *L,
                                                                                        lua_Debug *ar)
{
    lua_getinfo(L, "S", ar);
    if (ar->source[0] == '@') /* not the configuration, nor the C library */
        counters[(hash_of(ar->source) + (uint32_t)ar->currentline * 31) % COUNTERS]++;
}

#if defined(__has_feature)
#define HAS_ASAN __has_feature(address_sanitizer)
#else
#define HAS_ASAN 0
#endif

void lua_lines_count(lua_State *L)
{
    if (HAS_ASAN)
        lua_sethook(L, count_line, LUA_MASKLINE, 0);
}
