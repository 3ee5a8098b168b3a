/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/field_list.h"

#include <stdio.h>
#include <string.h>

#define PATH_CHARS 160

struct walk {
    void (*each)(void *arg, const struct field_list_row *row);
    void *arg;
};

static void list(const struct walk *walk, const char *above, const char *when, const struct field *rows);

/* The path of a row: its name, and the label of a map or of counters by name. */
static void put_path(char out[PATH_CHARS], const char *above, const struct field *field)
{
    const char *dot = *above ? "." : "";
    switch (field->type) {
    case FIELD_LIST:
        snprintf(out, PATH_CHARS, "%s%s%s[]", above, dot, field->name);
        break;
    case FIELD_MAP:
        snprintf(out, PATH_CHARS, "%s%s%s.%s", above, dot, field->name, field->label);
        break;
    case FIELD_COUNTS:
        snprintf(out, PATH_CHARS, "%s%s%s.%s", above, dot, field->name, field->words->label);
        break;
    default:
        snprintf(out, PATH_CHARS, "%s%s%s", above, dot, field->name);
    }
}

static void list_one(const struct walk *walk, const char *above, const char *when, const struct field *field)
{
    char path[PATH_CHARS];
    struct field_list_row row = {path, field, field->when ? field->when : when};
    put_path(path, above, field);
    walk->each(walk->arg, &row);
    if (field->rows)
        list(walk, path, row.when, field->rows);
}

static void list(const struct walk *walk, const char *above, const char *when, const struct field *rows)
{
    for (const struct field *field = rows; field->name; field++) {
        if (field->type == FIELD_PART)
            list(walk, above, when, field->rows);
        else
            list_one(walk, above, when, field);
    }
}

void field_list(const struct field *rows, void (*each)(void *arg, const struct field_list_row *row),
                void *arg)
{
    const struct walk walk = {each, arg};
    list(&walk, "", NULL, rows);
}
