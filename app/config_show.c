/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/config_show.h"

#include "control/base/command.h"
#include "control/base/utf8.h"
#include "control/show/show.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_S 600 /* reading a million mobiles takes minutes on a busy machine */
#define PIECE  4096

static void print_lines(const json_t *lines, FILE *out)
{
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line)
    {
        utf8_print(out, json_string_value(line), json_string_length(line));
        fputc('\n', out);
    }
}

static void dump(const json_t *object)
{
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    printf("\n");
}

static int status_of(const json_t *answer)
{
    json_int_t status = json_integer_value(json_object_get(answer, "status"));
    return status == COMMAND_OK || status == COMMAND_USAGE ? (int)status : COMMAND_FAILED;
}

/* Counts are there unless the reload was refused. */
static void dump_reload(const json_t *answer)
{
    json_t *object = json_pack("{s:O, s:O*}", "lines", json_object_get(answer, "lines"), "counts",
                               json_object_get(answer, "counts"));
    dump(object);
    json_decref(object);
}

int config_show_reload(const char *path, bool is_trial, bool is_json)
{
    json_t *answer = show_tell(path, "reload", is_trial ? "compare" : "", WAIT_S);
    int status = show_is_done(answer) ? status_of(answer) : COMMAND_FAILED;
    const json_t *lines = json_object_get(answer, "lines");
    if (lines && is_json)
        dump_reload(answer);
    else
        print_lines(lines, status == COMMAND_OK ? stdout : stderr);
    json_decref(answer);
    return status;
}

/* The node compares the files for those who may reload. */
int config_show_difference(const struct show_options *options)
{
    json_t *greeting = show_greeting(options->path);
    bool may_ask = greeting && !json_is_false(json_object_get(greeting, "acts"));
    if (greeting && !may_ask)
        command_error(
            "show", "config --difference is for root and the process's user, who may reload; you are uid %u",
            geteuid());
    json_decref(greeting);
    if (!may_ask)
        return COMMAND_FAILED;
    return config_show_reload(options->path, true, options->is_json);
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool config_show_is_of(const char *path, const char *config)
{
    json_t *answer = show_tell(path, "config_file", "", WAIT_S);
    const char *file = json_string_value(json_object_get(answer, "file"));
    bool is_known = show_is_done(answer) && file, is_same = is_known && is_same_file(file, config);
    if (is_known && !is_same)
        command_error("", "the node reads %s, not %s; write the changes there, or start a node with %s", file,
                      config, config);
    json_decref(answer);
    return is_same;
}

/* NULL, with a line on stderr. The caller's. */
static char *text_of(const char *path)
{
    char *text = NULL, piece[PIECE];
    size_t octets = 0, got;
    FILE *file = fopen(path, "r"), *out = file ? open_memstream(&text, &octets) : NULL;
    if (!out)
        command_error("", "%s: %s", path, strerror(errno));
    while (out && (got = fread(piece, 1, sizeof(piece), file)) > 0)
        fwrite(piece, 1, got, out);
    if (out)
        fclose(out);
    if (file)
        fclose(file);
    return text;
}

/* Read here, with the rights of the user who asks: it may have keys. */
int config_show_file(const struct show_options *options)
{
    json_t *answer = show_tell(options->path, "config_file", "", WAIT_S);
    const char *path = json_string_value(json_object_get(answer, "file"));
    char *text = show_is_done(answer) && path ? text_of(path) : NULL;
    int status = text ? COMMAND_OK : COMMAND_FAILED;
    if (text && options->is_json) {
        json_t *object = json_pack("{s:s, s:o}", "file", path, "text", utf8_json(text));
        dump(object);
        json_decref(object);
    } else if (text) {
        fputs(text, stdout);
    }
    free(text);
    json_decref(answer);
    return status;
}
