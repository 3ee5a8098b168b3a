/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules that the program carries are the files of lua/, octet for octet. */
#include "lua/lua_embedded.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_OCTETS 1000000

static size_t read_source(char *text, const char *name)
{
    char path[1024];
    int folder = (int)strcspn(name, ".");
    snprintf(path, sizeof(path), "%s/%.*s/%s.lua", getenv("LUA_SOURCE_DIR"), folder, name, name + folder + 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t octets = fread(text, 1, MAX_FILE_OCTETS, file);
    fclose(file);
    return octets;
}

TEST(carries_the_files)
{
    char *text = malloc(MAX_FILE_OCTETS);
    assert_non_null(text);
    assert_true(lua_embedded_count > 0);
    for (size_t i = 0; i < lua_embedded_count; i++) {
        const struct lua_embedded_module *module = &lua_embedded_modules[i];
        assert_int_equal(read_source(text, module->name), module->octets);
        assert_memory_equal(text, module->text, module->octets);
        assert_int_equal(module->text[module->octets], 0);
    }
    free(text);
}

TEST(names_are_unique)
{
    for (size_t i = 0; i < lua_embedded_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(lua_embedded_modules[i].name, lua_embedded_modules[j].name);
}

UNIT_MAIN(NULL, NULL)
