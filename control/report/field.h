/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fields of reports, one row each: name, unit, kind, a sentence, and where the value is in a record, a struct
 * that the report fills in. A table of rows describes all of a record. The same rows make JSON
 * (field_json_write()), the tables of `gbflow show` (control/live/tables.h), and the lists of fields that
 * docs/ and report.html are made of.
 *
 * A sentence is plain English, begins with a capital letter and ends with a full stop; it names 3GPP's or
 * DPDK's things.
 */
#ifndef CONTROL_REPORT_FIELD_H
#define CONTROL_REPORT_FIELD_H

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_kind {
    FIELD_LABEL,   /* says what the others are of: a name, an address, an identifier, a state */
    FIELD_COUNTER, /* counts from 0 and only grows */
    FIELD_GAUGE,   /* any other number */
};

/* Where no value is: null in JSON, "-" in tables. */
enum field_type {
    FIELD_U8,
    FIELD_U16,
    FIELD_U32,
    FIELD_U64,  /* FIELD_NONE: no value */
    FIELD_NS,   /* int64_t, nanoseconds, written in seconds; MOMENT_NEVER: no value */
    FIELD_REAL, /* double; not finite: no value */
    FIELD_BOOL,
    FIELD_TEXT,  /* const char *; NULL: no value */
    FIELD_CHARS, /* char[], ended by NUL */
    /* These hold others. */
    FIELD_COUNTS, /* uint64_t[], by the names of `words` */
    FIELD_OBJECT, /* `rows` of the record at `offset`, or of the one that each() puts */
    FIELD_LIST,   /* `rows` of each record that each() puts */
    FIELD_MAP,    /* the same, each with a key */
    FIELD_PART,   /* `rows` of the record at `offset` stand here, as if they were rows of this table */
};

#define FIELD_NONE UINT64_MAX

/* Meaning of a value, shared by rows that say the same of different records. unit: in the plural ("N-PDUs",
 * "octets", "seconds", "bit/s"), "ratio" for shares, "" for texts. */
struct field_meaning {
    enum field_kind kind;
    const char *unit, *sentence;
};

/* Names that an array of counters is indexed by: those of list[first] to list[end - 1]. */
struct field_word {
    const char *name, *sentence;
};

struct field_words {
    const char *label; /* stands for a name in paths: "REASON" */
    unsigned first, end;
    const struct field_word *list;
};

struct field_sink;

/* Puts the records of a list, map or object into the sink, in order. */
typedef void (*field_each)(const void *record, struct field_sink *sink);

struct field {
    const char *name; /* in JSON and tables; NULL ends a table */
    const struct field_meaning *meaning;
    enum field_type type;
    bool is_optional;  /* left out of JSON when each() puts nothing */
    uint32_t offset;   /* of the value in its record, or of the record that each() is given */
    const char *label; /* of a map: stands for its keys in paths: "CLASS" */
    const char *when;  /* the condition under which there is a value; NULL: always */
    const struct field *rows;
    const struct field_words *words;
    field_each each;
};

/* --- rows --- */

/* char[] becomes char * here; a member that is a char * has to be a const char *. */
#define FIELD_TYPE(record, member)                                                                           \
    _Generic(((record *)0)->member, uint8_t: FIELD_U8, uint16_t: FIELD_U16, uint32_t: FIELD_U32, uint64_t: FIELD_U64,  \
        int64_t: FIELD_NS, double: FIELD_REAL, bool: FIELD_BOOL, const char *: FIELD_TEXT, char *: FIELD_CHARS)

#define FIELD_OFFSET(record, member)                                                                         \
    (offsetof(record, member) +                                                                              \
     0 * sizeof(char[1 - 2 * __builtin_types_compatible_p(__typeof__(((record *)0)->member), char *)]))

#define FIELD_MEANING(kind, unit, sentence) (&(const struct field_meaning){FIELD_##kind, unit, sentence})

/* A value: kind is LABEL, COUNTER or GAUGE; its type is the member's. More members of the row may follow. */
#define FIELD(record, kind, name_, unit_, member, sentence_, ...)                                            \
    FIELD_OF(record, name_, FIELD_MEANING(kind, unit_, sentence_), member, __VA_ARGS__)
#define FIELD_OF(record, name_, meaning_, member, ...)                                                       \
    {                                                                                                        \
        .name = name_, .meaning = meaning_, .type = FIELD_TYPE(record, member),                              \
        .offset = FIELD_OFFSET(record, member), __VA_ARGS__                                                  \
    }
/* The first two rows of a report: members schema and version, texts. */
#define FIELDS_OF_ORIGIN(record, schema_)                                                                    \
    FIELD(record, LABEL, "schema", "", schema, "Schema and version: " schema_ "."),                          \
        FIELD(record, LABEL, "version", "", version, "Version of gbflow that wrote the report.")

/* uint64_t member[], a counter for each word. */
#define FIELD_COUNTERS(record, name_, unit_, member, words_, sentence_)                                      \
    {                                                                                                        \
        .name = name_, .meaning = FIELD_MEANING(COUNTER, unit_, sentence_), .type = FIELD_COUNTS,            \
        .offset = offsetof(record, member), .words = &(words_)                                               \
    }

/* A row that holds other rows. offset_: of the record in this one, 0: the same. */
#define FIELD_INSIDE(type_, name_, offset_, rows_, sentence_, ...)                                           \
    {                                                                                                        \
        .name = name_, .meaning = FIELD_MEANING(LABEL, "", sentence_), .type = FIELD_##type_,                \
        .offset = offset_, .rows = rows_, __VA_ARGS__                                                        \
    }

/* A table of gbflow show: `each` calls the sink for each of its records. */
#define SHOW_TABLE(name, each_, rows, sentence) FIELD_INSIDE(LIST, name, 0, rows, sentence, .each = each_)

#define FIELD_ROWS(offset_, rows_)                                                                           \
    {                                                                                                        \
        .name = "", .type = FIELD_PART, .offset = offset_, .rows = rows_                                     \
    }
#define FIELD_END                                                                                            \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

/* --- values --- */

struct field_value {
    enum { FIELD_IS_NULL, FIELD_IS_COUNT, FIELD_IS_NUMBER, FIELD_IS_TEXT, FIELD_IS_BOOL } is;
    union {
        uint64_t count;
        double number;
        const char *text; /* the record's */
        bool flag;
    };
};

/* The value of a row that holds no others. */
struct field_value field_value_of(const struct field *field, const void *record);

/* Whether that is a number. */
bool field_is_number(const struct field *field);

/* The record below: of an object or part, and what each() is given. */
static inline const void *field_record(const struct field *field, const void *record)
{
    return (const char *)record + field->offset;
}

/* --- records below --- */

/* Takes the records that each() puts. */
struct field_sink {
    void (*put)(struct field_sink *sink, const char *key, const void *record);
    bool (*wants)(struct field_sink *sink); /* NULL: all */
};

/* Puts a record, the caller's until this returns; key: its name in a map, else NULL. */
static inline void field_put(struct field_sink *sink, const char *key, const void *record)
{
    sink->put(sink, key, record);
}

/* Whether the next record is wanted. If not, it counts as put, and need not be made. */
static inline bool field_wants(struct field_sink *sink)
{
    return !sink->wants || sink->wants(sink);
}

/* Small helpers for JSON reports. Values are handed over. */

void field_json_put(json_t *object, const char *key, json_t *value);
void field_json_put_count(json_t *object, const char *key, uint64_t value);
void field_json_put_seconds(json_t *object, const char *key, int64_t ns);

/* Writes an IPv4 address, host order, in dotted form. */
void field_ip(uint32_t address, char out[INET_ADDRSTRLEN]);

/* Writes an object, indented, and gives it back. False, with a line on stderr, when it cannot be written. */
bool field_json_dump(json_t *object, const char *path);

/* The fields of a report as a list, by path: "npdu.in", "sessions[].teid", "classes.CLASS.drops.REASON". */

/* path holds until the call returns; when: the condition of the field or of what holds it, NULL: always
 * there. */
struct field_list_row {
    const char *path;
    const struct field *field;
    const char *when;
};

/* Calls each() for all of them in order, those that hold others in front of these. */
void field_list(const struct field *rows, void (*each)(void *arg, const struct field_list_row *row),
                void *arg);

/* JSON of a record, by its table of fields. */

/* Writes an object with a member for each row, indented; texts that are not UTF-8:
 * control/base/json_stream.h. False, with a line on stderr, when the file cannot be written. */
bool field_json_write(const struct field *rows, const void *record, const char *path);

#endif
