/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/show.h"

#include "control/base/runtime_folder.h"
#include "control/live/tables.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_OCTETS  65536
#define TIMEOUT_S      5
#define COMMAND_OCTETS 1000 /* limit of DPDK */
#define NUMBER_CHARS   24
#define COLUMNS_MAX    32
#define HEADER_ROWS    2 /* names and kinds */

bool show_is_table(const char *what)
{
    return live_tables_find(what) != NULL;
}

/* --- the socket --- */

static void set_path(struct sockaddr_un *address, const char *prefix)
{
    size_t cap = sizeof(address->sun_path), used = runtime_folder(address->sun_path, cap);
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path + used, cap - used, "/%s/dpdk_telemetry.v2", prefix);
}

static int connect_to(const char *prefix)
{
    struct sockaddr_un address;
    struct timeval timeout = {.tv_sec = TIMEOUT_S};
    char greeting[1024];

    set_path(&address, prefix);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        read(fd, greeting, sizeof(greeting)) > 0)
        return fd;
    fprintf(stderr,
            "gbflow show: no running node at %s: %s; --prefix NAME selects a node by its eal.prefix\n",
            address.sun_path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The answer's rows, header included; NULL. */
static json_t *ask(int fd, const char *what, const char *parameters)
{
    static char answer[ANSWER_OCTETS];
    char command[COMMAND_OCTETS], key[64];
    int octets = snprintf(command, sizeof(command), "/gbflow/%s,%s", what, parameters);

    if (octets >= COMMAND_OCTETS)
        return NULL;
    snprintf(key, sizeof(key), "/gbflow/%s", what);
    if (write(fd, command, (size_t)octets) != octets)
        return NULL;
    ssize_t got = read(fd, answer, sizeof(answer));
    json_t *root = got > 0 ? json_loadb(answer, (size_t)got, 0, NULL) : NULL;
    json_t *rows = json_incref(json_object_get(root, key));
    json_decref(root);
    if (json_array_size(rows) >= HEADER_ROWS)
        return rows;
    json_decref(rows);
    return NULL;
}

/* All rows, behind one header; NULL, with a line on stderr. */
static json_t *read_all(int fd, const char *what)
{
    json_t *all = NULL, *page;
    size_t added;
    do {
        char first[NUMBER_CHARS];
        snprintf(first, sizeof(first), "%zu", all ? json_array_size(all) - HEADER_ROWS : 0);
        page = ask(fd, what, first);
        added = json_array_size(page) > HEADER_ROWS ? json_array_size(page) - HEADER_ROWS : 0;
        for (size_t i = 0; all && i < HEADER_ROWS && page; i++)
            json_array_remove(page, 0);
        if (!all)
            all = json_incref(page);
        else if (page)
            json_array_extend(all, page);
        json_decref(page);
    } while (page && added > 0);
    if (page)
        return all;
    fprintf(stderr, "gbflow show: invalid answer of the node; it may be of another version\n");
    json_decref(all);
    return NULL;
}

/* --- output --- */

static const char *cell(const json_t *rows, size_t row, size_t column)
{
    const char *text = json_string_value(json_array_get(json_array_get(rows, row), column));
    return text ? text : "";
}

static bool is_number(const json_t *rows, size_t column)
{
    return strcmp(cell(rows, 1, column), "n") == 0;
}

static int width_of(const json_t *rows, size_t column)
{
    size_t widest = 0;
    for (size_t row = 0; row < json_array_size(rows); row++) {
        size_t width = strlen(cell(rows, row, column));
        widest = width > widest ? width : widest;
    }
    return (int)widest;
}

static void print_text(const json_t *rows)
{
    size_t columns = json_array_size(json_array_get(rows, 0));
    int widths[COLUMNS_MAX];
    for (size_t i = 0; i < columns && i < COLUMNS_MAX; i++)
        widths[i] = width_of(rows, i);
    for (size_t row = 0; row < json_array_size(rows); row++) {
        if (row == 1)
            continue;
        for (size_t i = 0; i < columns && i < COLUMNS_MAX; i++)
            printf("%s%*s", i > 0 ? "  " : "", is_number(rows, i) ? widths[i] : -widths[i],
                   cell(rows, row, i));
        printf("\n");
    }
}

static json_t *value_of(const json_t *rows, size_t row, size_t column)
{
    const char *text = cell(rows, row, column);
    if (!is_number(rows, column))
        return json_string(text);
    return strchr(text, '.') ? json_real(strtod(text, NULL))
                             : json_integer((json_int_t)strtoull(text, NULL, 10));
}

static void print_json(const json_t *rows)
{
    json_t *list = json_array();
    for (size_t row = HEADER_ROWS; row < json_array_size(rows); row++) {
        json_t *object = json_object();
        for (size_t i = 0; i < json_array_size(json_array_get(rows, 0)); i++)
            json_object_set_new(object, cell(rows, 0, i), value_of(rows, row, i));
        json_array_append_new(list, object);
    }
    json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    printf("\n");
    json_decref(list);
}

json_t *show_rows(const char *prefix, const char *what)
{
    int fd = connect_to(prefix);
    json_t *rows = fd >= 0 ? read_all(fd, what) : NULL;
    if (fd >= 0)
        close(fd);
    return rows;
}

bool show_table(const struct show_options *options)
{
    json_t *rows = show_rows(options->prefix, options->what);
    if (rows && options->is_json)
        print_json(rows);
    else if (rows)
        print_text(rows);
    bool is_answered = rows != NULL;
    json_decref(rows);
    return is_answered;
}

bool show_order(const char *prefix, const char *what, const char *parameters)
{
    int fd = connect_to(prefix);
    if (fd < 0)
        return false;
    json_t *rows = ask(fd, what, parameters);
    const char *result =
        rows ? cell(rows, HEADER_ROWS, 0) : "invalid answer of the node; it may be of another version";
    bool is_done = strcmp(result, "ok") == 0;
    if (!is_done)
        fprintf(stderr, "gbflow: %s\n", result);
    json_decref(rows);
    close(fd);
    return is_done;
}
