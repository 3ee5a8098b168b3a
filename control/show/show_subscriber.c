/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints one subscriber: sections of names and values, aligned. */
#include "control/show/show.h"

#include "control/base/command.h"
#include "control/base/utf8.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define NAME_CHARS 22

static void print_value(const json_t *value)
{
    if (json_is_string(value))
        utf8_print(stdout, json_string_value(value), json_string_length(value));
    else if (json_is_boolean(value))
        printf("%s", json_is_true(value) ? "yes" : "no");
    else if (json_is_integer(value))
        printf("%lld", (long long)json_integer_value(value));
    else
        printf("%.3f", json_real_value(value));
    printf("\n");
}

static void print_object(json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        utf8_printf(stdout, "  %s:%*s ", name, (int)(NAME_CHARS - strlen(name) % NAME_CHARS), "");
        print_value(value);
    }
}

/* An item of a list in one line. */
static void print_line(json_t *object)
{
    const char *name;
    json_t *value;
    const char *blank = "  ";
    json_object_foreach(object, name, value)
    {
        utf8_printf(stdout, "%s%s: ", blank, name);
        if (json_is_string(value))
            utf8_print(stdout, json_string_value(value), json_string_length(value));
        else
            printf("%.3f", json_number_value(value));
        blank = "  ";
    }
    printf("\n");
}

static void print_section(const char *name, json_t *section)
{
    json_t *item;
    size_t at;
    bool is_events = strcmp(name, "events") == 0;
    if (json_is_object(section) || is_events)
        utf8_printf(stdout, "%s\n", name);
    if (json_is_object(section))
        print_object(section);
    json_array_foreach(section, at, item)
    {
        if (is_events) {
            print_line(item);
            continue;
        }
        utf8_printf(stdout, "%s %zu\n", name, at + 1);
        print_object(item);
    }
}

static void print_all(json_t *root)
{
    const char *name;
    json_t *section;
    json_object_foreach(root, name, section) print_section(name, section);
}

bool show_subscriber(const char *path, const char *key, bool is_json)
{
    json_t *root = show_tell(path, "subscriber", key, SHOW_TIMEOUT_S);
    const char *error = json_string_value(json_object_get(root, "error"));
    bool is_there = root && !error;
    if (error)
        command_error("show", "%s", error);
    else if (root && is_json) {
        json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12) | JSON_ENSURE_ASCII);
        printf("\n");
    } else if (root)
        print_all(root);
    json_decref(root);
    return is_there;
}
