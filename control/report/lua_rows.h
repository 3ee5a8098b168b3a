/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables whose facts are in Lua. Their rows are in a module shown.lua beside the object that has the facts
 * (lua/base/shown.lua), and nowhere else. LUA_ROWS(TABLE) makes of them
 *
 *   struct TABLE             a member for each row, const char * or uint64_t, by its name
 *   TABLE_of_lua[]           reads a record of Lua into the struct (lua_fields.h); what is absent there stays
 *   TABLE_rows[]             what is shown of the struct (field.h)
 *
 * (LUA_ROWS_STRUCT() and LUA_ROWS_FIELDS() parts of that), and LUA_ROWS_RECORD() or LUA_ROWS_LIST() a
 * function TABLE_each() for a row of field.h that holds others.
 */
#ifndef CONTROL_REPORT_LUA_ROWS_H
#define CONTROL_REPORT_LUA_ROWS_H

#include "control/core/core_event.h"
#include "control/report/field.h"
#include "lua/lua_rows.h"

#define LUA_ROWS(table)                                                                                      \
    LUA_ROWS_STRUCT(table);                                                                                  \
    static const struct field table##_rows[] = {LUA_ROWS_FIELDS(table)}

#define LUA_ROWS_STRUCT(table)                                                                               \
    struct table {                                                                                           \
        LUA_ROWS_##table(LUA_ROWS_MEMBER)                                                                    \
    };                                                                                                       \
    static const struct lua_field table##_of_lua[] = {LUA_ROWS_##table(LUA_ROWS_READ){0}}

#define LUA_ROWS_FIELDS(table) LUA_ROWS_##table(LUA_ROWS_SHOW) FIELD_END

/* TABLE_each(): puts the one record that `event` answers, if there is one. core: of `record`. */
#define LUA_ROWS_RECORD(table, event, core)                                                                  \
    static void table##_each(const void *record, struct field_sink *sink)                                    \
    {                                                                                                        \
        struct table row = {0};                                                                              \
        if (core_read(core, event, table##_of_lua, &row))                                                    \
            field_put(sink, NULL, &row);                                                                     \
    }

/* TABLE_each(): puts the records of the list that `event` answers. */
#define LUA_ROWS_LIST(table, event, core)                                                                    \
    static void table##_each(const void *record, struct field_sink *sink)                                    \
    {                                                                                                        \
        struct table row = {0};                                                                              \
        core_each(core, event,                                                                               \
                  &((struct lua_list){NULL, table##_of_lua, &row, sizeof(row), lua_rows_put, sink}));        \
    }

/* For struct lua_list: puts a record into the sink. */
static inline void lua_rows_put(void *sink, const void *row)
{
    if (field_wants(sink))
        field_put(sink, NULL, row);
}

/* --- a row, by its kind --- */

#define LUA_ROWS_MEMBER(table, kind, name, ...) LUA_ROWS_MEMBER_##kind name;
#define LUA_ROWS_MEMBER_TEXT                    const char *
#define LUA_ROWS_MEMBER_NUMBER                  uint64_t
#define LUA_ROWS_MEMBER_COUNTER                 uint64_t
#define LUA_ROWS_MEMBER_GAUGE                   uint64_t
#define LUA_ROWS_MEMBER_HIDDEN                  uint64_t

#define LUA_ROWS_READ(table, kind, name, ...) LUA_ROWS_READ_##kind(table, name)
#define LUA_ROWS_READ_TEXT(table, name)       LUA_FIELD_AS(TEXT, struct table, name, #name),
#define LUA_ROWS_READ_NUMBER(table, name)     LUA_FIELD_OF(struct table, name, #name),
#define LUA_ROWS_READ_COUNTER                 LUA_ROWS_READ_NUMBER
#define LUA_ROWS_READ_GAUGE                   LUA_ROWS_READ_NUMBER
#define LUA_ROWS_READ_HIDDEN                  LUA_ROWS_READ_NUMBER

#define LUA_ROWS_SHOW(table, kind, name, unit, sentence) LUA_ROWS_SHOW_##kind(table, name, unit, sentence)
#define LUA_ROWS_SHOW_TEXT(table, name, unit, sentence)                                                      \
    FIELD(struct table, LABEL, #name, unit, name, sentence),
#define LUA_ROWS_SHOW_NUMBER LUA_ROWS_SHOW_TEXT
#define LUA_ROWS_SHOW_COUNTER(table, name, unit, sentence)                                                   \
    FIELD(struct table, COUNTER, #name, unit, name, sentence),
#define LUA_ROWS_SHOW_GAUGE(table, name, unit, sentence)                                                     \
    FIELD(struct table, GAUGE, #name, unit, name, sentence),
#define LUA_ROWS_SHOW_HIDDEN(...)

#endif
