/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_text.h"

#include "control/base/command.h"
#include "control/base/utf8.h"
#include "control/config/lua_budget.h"
#include "control/lua/lua_host.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_OCTETS ((size_t)16 << 20)

/* The path may be any word of a command line. */
static void lua_text_complain(const char *path, const char *what)
{
    command_print(path);
    fprintf(stderr, ": %s\n", what);
}

/* NULL, with a line on stderr. */
static FILE *open_regular(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = NULL;
    if (fd < 0 || fstat(fd, &status) != 0)
        lua_text_complain(path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        lua_text_complain(path, "is not a regular file");
    else
        file = fdopen(fd, "rb");
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/* Pushes the text of a file behind its byte order mark, and closes the file. */
static bool push(lua_State *L, const char *path, FILE *file)
{
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    size_t got, octets = 0;
    do {
        char *room = luaL_prepbuffer(&text);
        got = fread(room, 1, LUAL_BUFFERSIZE, file);
        luaL_addsize(&text, got);
        octets += got;
    } while (got > 0 && octets <= FILE_MAX_OCTETS);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    luaL_pushresult(&text);
    if (error != 0) {
        lua_text_complain(path, strerror(error));
        lua_pop(L, 1);
        return false;
    }
    if (octets > FILE_MAX_OCTETS) {
        utf8_printf(stderr, "%s: is longer than %zu octets\n", path, FILE_MAX_OCTETS);
        lua_pop(L, 1);
        return false;
    }
    size_t all;
    const char *begin = lua_tolstring(L, -1, &all), *behind = utf8_behind_mark(begin);
    lua_pushlstring(L, behind, all - (size_t)(behind - begin));
    lua_remove(L, -2);
    return true;
}

/* Texts of files that give them only once, such as FIFOs, while a command may ask for them again: what kind
 * of file it is, and its content. Until the program ends. */
enum { ONCE_TEXTS = 16 };

static struct {
    char *path, *text;
    size_t octets;
} once[ONCE_TEXTS];

static bool push_again(lua_State *L, const char *path)
{
    for (unsigned i = 0; i < ONCE_TEXTS && once[i].path; i++)
        if (strcmp(once[i].path, path) == 0) {
            lua_pushlstring(L, once[i].text, once[i].octets);
            return true;
        }
    return false;
}

/* Keeps the text on top of the stack; of more files than there is room for, and without memory, it is not
 * kept. */
static void keep(lua_State *L, const char *path)
{
    size_t octets;
    const char *text = lua_tolstring(L, -1, &octets);
    unsigned i = 0;
    while (i < ONCE_TEXTS && once[i].path)
        i++;
    char *copy = i < ONCE_TEXTS ? malloc(octets + 1) : NULL;
    if (!copy)
        return;
    memcpy(copy, text, octets + 1);
    once[i].text = copy;
    once[i].octets = octets;
    once[i].path = strdup(path);
}

bool lua_text_push(lua_State *L, const char *path)
{
    struct stat status;
    if (push_again(L, path))
        return true;
    FILE *file = fopen(path, "rb");
    if (!file) {
        lua_text_complain(path, strerror(errno));
        return false;
    }
    bool is_regular = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    bool is_read = push(L, path, file);
    if (is_read && !is_regular)
        keep(L, path);
    return is_read;
}

bool lua_text_push_regular(lua_State *L, const char *path)
{
    FILE *file = open_regular(path);
    return file && push(L, path, file);
}

/* Puts a function of schema.config below the text on top of the stack, and the path above it. */
static void push_call(lua_State *L, const char *function, const char *path)
{
    lua_host_require(L, "schema.config");
    lua_getfield(L, -1, function);
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_pushstring(L, path);
}

bool lua_text_kind(lua_State *L, const char *path, char kind[LUA_TEXT_KIND])
{
    if (!lua_text_push(L, path))
        return false;
    push_call(L, "kind_of", path);
    if (!lua_budget_call(L, 2, 2, path))
        return false;
    const char *found = lua_tostring(L, -2);
    snprintf(kind, LUA_TEXT_KIND, "%s", found ? found : "");
    bool is_late = lua_budget_was_late() && lua_istable(L, -1);
    if (is_late) /* the text is not read a second time */
        lua_text_print_lines(L, "");
    lua_pop(L, is_late ? 1 : 2);
    return !is_late;
}

/* The text is on top of the stack. */
static bool load(lua_State *L, const char *path, const char *kind)
{
    push_call(L, "load", path);
    lua_pushstring(L, kind);
    if (!lua_budget_call(L, 3, 2, path))
        return false;
    bool is_right = !lua_isnil(L, -2);
    lua_text_print_lines(L, is_right ? "warning: " : "");
    if (!is_right)
        lua_pop(L, 1);
    return is_right;
}

bool lua_text_load_config(lua_State *L, const char *path, const char *kind)
{
    return lua_text_push(L, path) && load(L, path, kind);
}

bool lua_text_load_opened(lua_State *L, const char *path, FILE *file, const char *kind)
{
    return push(L, path, file) && load(L, path, kind);
}

void lua_text_print_lines(lua_State *L, const char *kind)
{
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count && i <= LUA_TEXT_LINES; i++) {
        lua_geti(L, -1, i);
        const char *line = lua_tostring(L, -1);
        fputs(kind, stderr);
        utf8_print(stderr, line, strlen(line));
        fputc('\n', stderr);
        lua_pop(L, 1);
    }
    if (count > LUA_TEXT_LINES)
        fprintf(stderr, "%sand %lld more\n", kind, (long long)count - LUA_TEXT_LINES);
    lua_pop(L, 1);
}
