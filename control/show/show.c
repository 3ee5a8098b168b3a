/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show/show.h"
#include "control/report/field.h"
#include "control/show/process_find.h"
#include "control/show/telemetry_socket.h"

#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/utf8.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_OCTETS  65536
#define COMMAND_OCTETS 1000 /* limit of DPDK */
#define NUMBER_CHARS   24
#define COLUMNS_MAX    64
#define NAME_CHARS     64
#define HEADER_ROWS    2 /* names and kinds */
#define ROWS_MOST      1000000
#define ROW_OCTETS     1024 /* more than a row has on average, behind PAGES_FREE answers */
#define PAGES_FREE     16
#define REFUSAL_CHARS  80
#define BUSY_NS        (3 * MOMENT_SECOND / 2) /* more than an idle client keeps its place for */
#define BUSY_STEP_NS   (MOMENT_SECOND / 20)
#define INVALID        "invalid answer of the node; it may be of another version"

/* --- the socket --- */

/* Says why nothing came: read() or connect() returned `got`. */
static void complain(const char *path, ssize_t got, int timeout_s)
{
    if (got == 0 || errno == ECONNRESET || errno == EPIPE)
        command_error("", "the process at %s ended the connection; try again", path);
    else if (errno == EAGAIN)
        command_error("",
                      "the process at %s has not answered within %d s: it is busy or stopped; try again, and "
                      "look at its log",
                      path, timeout_s);
    else if (errno == EACCES)
        command_error("", "no right to the socket %s; be the user that runs the node, or root", path);
    else
        command_error("", "no running node at %s: %s; --prefix NAME selects a node by its eal.prefix", path,
                      strerror(errno));
}

static void print_several(const char *kind, const struct process_found *found, unsigned count)
{
    bool is_one_name = true;
    char *list = NULL;
    size_t octets;
    FILE *out = open_memstream(&list, &octets);
    for (unsigned i = 0; out && i < count; i++) {
        fprintf(out, "%s %s (%s)", i > 0 ? "," : "", found[i].name, found[i].path);
        is_one_name &= strcmp(found[i].name, found[0].name) == 0;
    }
    if (out)
        fclose(out);
    command_error("", "%u %ss run:%s; %s", count, kind, list ? list : "",
                  is_one_name ? "set RUNTIME_DIRECTORY to the folder above dpdk of one of them"
                              : "select one with --prefix NAME");
    free(list);
}

/* Those of a kind in front; returns their number. */
static unsigned keep_kind(struct process_found *found, unsigned count, const char *kind)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(found[i].kind, kind) == 0) {
            struct process_found other = found[kept];
            found[kept++] = found[i];
            found[i] = other;
        }
    return kept;
}

const char *show_find(const char *prefix, const char *kind)
{
    static struct process_found found[PROCESS_FIND_MOST];
    static char path[TELEMETRY_SOCKET_PATH_CHARS];
    if (prefix && !telemetry_socket_is_name(prefix)) {
        command_error(
            "", "--prefix: '%s': must be %s; give the eal.prefix of a node, or --prefix of gbflow emulate",
            prefix, TELEMETRY_SOCKET_NAME_FORM);
        return NULL;
    }
    unsigned count = process_find(prefix, found, SHOW_TIMEOUT_S * MOMENT_SECOND),
             of_kind = keep_kind(found, count, kind);
    count = of_kind > 0 ? of_kind : count;
    if (count == 1)
        return found[0].path;
    if (count > 1) {
        print_several(found[0].kind[0] ? found[0].kind : "node", found, count);
        return NULL;
    }
    if (prefix) { /* connect_to() tells why there is none */
        telemetry_socket_path(path, prefix);
        return path;
    }
    fprintf(
        stderr,
        "gbflow: no node or BSS runs: no socket answers in %s; start one, or be the user that runs it, or "
        "root\n",
        process_find_places());
    return NULL;
}

/* A process that answers. */
struct peer {
    int fd, timeout_s;
    size_t octets;    /* of its answers */
    const char *look; /* of an order: the command that shows whether it has begun */
    struct sockaddr_un address;
    char greeting[1024];
};

static void leave(struct peer *peer)
{
    int error = errno;
    if (peer->fd >= 0)
        close(peer->fd);
    peer->fd = -1;
    errno = error;
}

/* Octets of the greeting; 0 or -1 with errno, as of read(): none. */
static ssize_t greet(struct peer *peer)
{
    const struct timeval timeout = {.tv_sec = peer->timeout_s};
    ssize_t got = -1;
    peer->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (peer->fd >= 0) { /* that to send is that to connect, too */
        setsockopt(peer->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
        setsockopt(peer->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
    }
    if (peer->fd >= 0 && connect(peer->fd, (struct sockaddr *)&peer->address, sizeof(peer->address)) == 0)
        got = read(peer->fd, peer->greeting, sizeof(peer->greeting) - 1);
    peer->greeting[got > 0 ? got : 0] = '\0';
    return got;
}

/* The error that stands in place of a greeting; "": none. */
static void read_refusal(const struct peer *peer, char out[REFUSAL_CHARS])
{
    json_t *greeting = json_loads(peer->greeting, 0, NULL);
    const char *error = json_string_value(json_object_get(greeting, "error"));
    snprintf(out, REFUSAL_CHARS, "%s", error ? error : "");
    json_decref(greeting);
}

/* A process that is busy is asked again for a while. False, with a line on stderr. */
static bool connect_for(struct peer *peer, const char *path, int timeout_s)
{
    char refusal[REFUSAL_CHARS];
    ssize_t got;
    *peer = (struct peer){.address.sun_family = AF_UNIX, .timeout_s = timeout_s};
    snprintf(peer->address.sun_path, sizeof(peer->address.sun_path), "%s", path);
    for (int64_t end_ns = clock_now_ns() + BUSY_NS;;) {
        got = greet(peer);
        read_refusal(peer, refusal);
        if (got > 0 && !refusal[0])
            return true;
        leave(peer);
        bool is_busy = got >= 0 || errno == ECONNRESET;
        if (!is_busy || clock_now_ns() >= end_ns)
            break;
        nanosleep(&(struct timespec){.tv_nsec = BUSY_STEP_NS}, NULL);
    }
    if (refusal[0])
        command_error("", "the process at %s is %s; try again", peer->address.sun_path, refusal);
    else
        complain(peer->address.sun_path, got, timeout_s);
    return false;
}

static bool connect_to(struct peer *peer, const char *path)
{
    return connect_for(peer, path, SHOW_TIMEOUT_S);
}

/* Why a process does not answer; NULL: it does. */
static const char *error_of(const json_t *answer)
{
    return json_string_value(json_object_get(answer, "error"));
}

/* The answer's rows, header included; NULL, with a line on stderr. */
static json_t *show_ask(struct peer *peer, const char *what, const char *parameters)
{
    static char answer[ANSWER_OCTETS];
    char command[COMMAND_OCTETS], key[64];
    int octets = snprintf(command, sizeof(command), "/gbflow/%s,%s", what, parameters);

    snprintf(key, sizeof(key), "/gbflow/%s", what);
    ssize_t got = -1;
    if (octets >= COMMAND_OCTETS) {
        fprintf(stderr, "gbflow: %s: a command of %d octets; at most %d are taken\n", what, octets,
                COMMAND_OCTETS - 1);
        return NULL;
    }
    bool is_sent = send(peer->fd, command, (size_t)octets, MSG_NOSIGNAL) == octets;
    if (is_sent)
        got = read(peer->fd, answer, sizeof(answer));
    if (got <= 0) {
        complain(peer->address.sun_path, got, peer->timeout_s);
        if (is_sent && peer->look)
            fprintf(stderr, "gbflow: it may have begun; see %s\n", peer->look);
        return NULL;
    }
    peer->octets += (size_t)got;
    json_t *root = json_loadb(answer, (size_t)got, 0, NULL), *rows = json_incref(json_object_get(root, key));
    const char *error = rows ? NULL : error_of(root);
    if (error)
        command_error("", "%s: %s", what, error);
    json_decref(root);
    if (error)
        return NULL;
    if (json_is_null(rows)) {
        command_error("",
                      "the process at %s has no %s: a node and a BSS have different tables; --prefix NAME "
                      "selects another",
                      peer->address.sun_path, what);
        json_decref(rows);
        return NULL;
    }
    if (!rows)
        command_error("", INVALID);
    return rows;
}

/* A page of a table behind its header. A process that sends rows without end is left. NULL, with a line on
 * stderr. */
static json_t *read_page(struct peer *peer, const char *name, size_t first)
{
    char number[NUMBER_CHARS];
    snprintf(number, sizeof(number), "%zu", first);
    json_t *page = show_ask(peer, name, number);
    bool is_short = peer->octets <= PAGES_FREE * ANSWER_OCTETS + first * ROW_OCTETS;
    const char *error = error_of(page);
    if (!page || (json_array_size(page) >= HEADER_ROWS && first <= ROWS_MOST && is_short))
        return page;
    if (error)
        command_error("", "%s: %s", name, error);
    else
        command_error("", INVALID);
    json_decref(page);
    return NULL;
}

/* All rows, behind one header; NULL, with a line on stderr. */
static json_t *read_all(struct peer *peer, const char *what)
{
    char name[NAME_CHARS];
    snprintf(name, sizeof(name), "table/%s", what);
    json_t *all = read_page(peer, name, 0), *page = json_incref(all);
    while (json_array_size(page) > HEADER_ROWS) {
        json_decref(page);
        page = read_page(peer, name, json_array_size(all) - HEADER_ROWS);
        for (size_t row = HEADER_ROWS; row < json_array_size(page); row++)
            json_array_append(all, json_array_get(page, row));
    }
    bool is_whole = page != NULL;
    json_decref(page);
    if (is_whole)
        return all;
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

/* --- columns --- */

/* The first name of a list, between commas; returns the list behind it, NULL: that was all. */
static const char *take_name(const char *list, char name[NAME_CHARS])
{
    size_t chars = strcspn(list, ",");
    snprintf(name, NAME_CHARS, "%.*s", (int)chars, list);
    return list[chars] ? list + chars + 1 : NULL;
}

static bool has_column(const struct field *fields, const char *name)
{
    for (const struct field *field = fields; field->name; field++)
        if (field->type == FIELD_PART ? has_column(field->rows, name) : strcmp(field->name, name) == 0)
            return true;
    return false;
}

static void add_columns(struct words *words, const struct field *fields)
{
    for (const struct field *field = fields; field->name; field++)
        if (field->type == FIELD_PART)
            add_columns(words, field->rows);
        else
            words_add(words, field->name);
}

void show_list_columns(const struct field *table, struct words *words)
{
    add_columns(words, table->rows);
}

const char *show_wrong_column(const struct field *table, const char *list)
{
    static char name[NAME_CHARS];
    while (list) {
        list = take_name(list, name);
        if (!has_column(table->rows, name))
            return name;
    }
    return NULL;
}

/* In its column: a number stands right. Texts may be a peer's. */
static void print_cell(const char *space, const char *text, int width, bool is_right)
{
    int octets = (int)strlen(text), blanks = width > octets ? width - octets : 0;
    printf("%s%*s", space, is_right ? blanks : 0, "");
    utf8_print(stdout, text, (size_t)octets);
    printf("%*s", is_right ? 0 : blanks, "");
}

/* Indices of columns, in the order of a list of names; NULL: all. Returns their number. */
static size_t order_columns(const json_t *rows, const char *list, size_t order[COLUMNS_MAX])
{
    size_t columns = json_array_size(json_array_get(rows, 0)), count = 0;
    char name[NAME_CHARS];
    for (size_t i = 0; !list && i < columns && count < COLUMNS_MAX; i++)
        order[count++] = i;
    while (list) {
        list = take_name(list, name);
        for (size_t i = 0; i < columns && count < COLUMNS_MAX; i++)
            if (strcmp(cell(rows, 0, i), name) == 0)
                order[count++] = i;
    }
    return count;
}

static void print_text(const json_t *rows, const char *list)
{
    size_t order[COLUMNS_MAX], count = order_columns(rows, list, order);
    int widths[COLUMNS_MAX];
    for (size_t i = 0; i < count; i++)
        widths[i] = width_of(rows, order[i]);
    for (size_t row = 0; row < json_array_size(rows); row++) {
        if (row == 1) /* the kinds */
            continue;
        for (size_t i = 0; i < count; i++)
            print_cell(i > 0 ? "  " : "", cell(rows, row, order[i]), widths[i], is_number(rows, order[i]));
        printf("\n");
    }
}

static json_t *value_of(const json_t *rows, size_t row, size_t column)
{
    const char *text = cell(rows, row, column);
    if (!is_number(rows, column))
        return json_string(text);
    if (strcmp(text, "-") == 0)
        return json_null();
    return strchr(text, '.') ? json_real(strtod(text, NULL))
                             : json_integer((json_int_t)strtoull(text, NULL, 10));
}

static void print_json(const json_t *rows, const char *list_of_columns)
{
    size_t order[COLUMNS_MAX], count = order_columns(rows, list_of_columns, order);
    json_t *list = json_array();
    for (size_t row = HEADER_ROWS; row < json_array_size(rows); row++) {
        json_t *object = json_object();
        for (size_t i = 0; i < count; i++)
            json_object_set_new(object, cell(rows, 0, order[i]), value_of(rows, row, order[i]));
        json_array_append_new(list, object);
    }
    json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12) | JSON_ENSURE_ASCII);
    printf("\n");
    json_decref(list);
}

json_t *show_rows(const char *path, const char *what)
{
    struct peer peer;
    if (!connect_to(&peer, path))
        return NULL;
    json_t *rows = read_all(&peer, what);
    close(peer.fd);
    return rows;
}

/* Prints rows of show_rows(). */
static void show_print(const struct show_options *options, const json_t *rows)
{
    if (options->is_json)
        print_json(rows, options->columns);
    else
        print_text(rows, options->columns);
}

/* Removes rows that begin otherwise. False, with a line on stderr: none is left. */
static bool keep_begin(const struct show_options *options, json_t *rows)
{
    for (size_t row = json_array_size(rows); row-- > HEADER_ROWS;)
        if (strncmp(cell(rows, row, 0), options->begin, strlen(options->begin)) != 0)
            json_array_remove(rows, row);
    bool is_left = json_array_size(rows) > HEADER_ROWS;
    if (!is_left)
        command_error("show", "%s: no %s begins with '%s'; gbflow show %s lists all", options->what,
                      cell(rows, 0, 0), options->begin, options->what);
    return is_left;
}

bool show_table(const struct show_options *options)
{
    json_t *rows = show_rows(options->path, options->what);
    bool is_right = rows && (!options->begin || keep_begin(options, rows));
    if (is_right)
        show_print(options, rows);
    json_decref(rows);
    return is_right;
}

bool show_is_done(const json_t *answer)
{
    const char *result = json_string_value(json_object_get(answer, "result")), *error = error_of(answer);
    if (result && strcmp(result, "ok") == 0)
        return true;
    if (answer)
        command_error("", "%s", result ? result : (error ? error : INVALID));
    return false;
}

static bool is_done(json_t *answer)
{
    bool is_ok = show_is_done(answer);
    json_decref(answer);
    return is_ok;
}

json_t *show_greeting(const char *path)
{
    struct peer peer;
    if (!connect_to(&peer, path))
        return NULL;
    close(peer.fd);
    json_t *greeting = json_loads(peer.greeting, 0, NULL);
    if (!greeting)
        command_error("", INVALID);
    return greeting;
}

static json_t *ask_once(const char *path, const char *what, const char *parameters, int timeout_s,
                        const char *look)
{
    struct peer peer;
    if (!connect_for(&peer, path, timeout_s))
        return NULL;
    peer.look = look;
    json_t *answer = show_ask(&peer, what, parameters);
    close(peer.fd);
    return answer;
}

json_t *show_tell(const char *path, const char *what, const char *parameters, int timeout_s)
{
    return ask_once(path, what, parameters, timeout_s, NULL);
}

bool show_order(const char *path, const char *what, const char *parameters, const char *look)
{
    return is_done(ask_once(path, what, parameters, SHOW_TIMEOUT_S, look));
}

#define KEY_CHARS          512
#define WATCH_NUMBER_CHARS 32

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

struct table {
    json_t *rows, *by_key; /* by_key: row by its labels */
    int64_t at_ns;
};

/* The kind of each column, in order. */
static unsigned list_kinds(const struct field *fields, enum field_kind *kinds, unsigned count)
{
    for (const struct field *field = fields; field->name && count < COLUMNS_MAX; field++) {
        if (field->type == FIELD_PART)
            count = list_kinds(field->rows, kinds, count);
        else
            kinds[count++] = field->meaning->kind;
    }
    return count;
}

static const char *watch_cell(const json_t *row, size_t column)
{
    const char *text = json_string_value(json_array_get(row, column));
    return text ? text : "";
}

/* A row's labels up to its first number: states that follow numbers may change. */
static void key_of(const json_t *row, const enum field_kind *kinds, unsigned count, char out[KEY_CHARS])
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < count && kinds[i] == FIELD_LABEL && used < KEY_CHARS; i++)
        used += (size_t)snprintf(out + used, KEY_CHARS - used, "%s|", watch_cell(row, i));
}

static void put_rate(json_t *row, unsigned column, const json_t *before, double seconds)
{
    char text[WATCH_NUMBER_CHARS];
    uint64_t now = strtoull(watch_cell(row, column), NULL, 10),
             was = strtoull(watch_cell(before, column), NULL, 10);
    if (!before || watch_cell(row, column)[0] == '-' || now < was)
        snprintf(text, sizeof(text), "-");
    else
        snprintf(text, sizeof(text), "%.0f", (double)(now - was) / seconds);
    json_array_set_new(row, column, json_string(text));
}

/* Counters become rates; returns the rows as they were, by their keys. */
static json_t *make_rates(struct table *table, const json_t *before, double seconds,
                          const struct field *fields)
{
    enum field_kind kinds[COLUMNS_MAX];
    unsigned count = list_kinds(fields, kinds, 0);
    json_t *by_key = json_object();
    for (size_t i = HEADER_ROWS; i < json_array_size(table->rows); i++) {
        char key[KEY_CHARS];
        json_t *row = json_array_get(table->rows, i);
        key_of(row, kinds, count, key);
        json_object_set_new(by_key, key, json_deep_copy(row));
        for (unsigned k = 0; k < count; k++)
            if (kinds[k] == FIELD_COUNTER)
                put_rate(row, k, json_object_get(before, key), seconds);
    }
    return by_key;
}

/* "sent" becomes "sent/s". */
static void rename_counters(json_t *names, const struct field *fields)
{
    enum field_kind kinds[COLUMNS_MAX];
    unsigned count = list_kinds(fields, kinds, 0);
    for (unsigned i = 0; i < count; i++) {
        char name[KEY_CHARS];
        if (kinds[i] != FIELD_COUNTER)
            continue;
        snprintf(name, sizeof(name), "%s/s", watch_cell(names, i));
        json_array_set_new(names, i, json_string(name));
    }
}

static void wait_until(int64_t end_ns)
{
    int64_t left_ns = end_ns - clock_now_ns();
    struct timespec wait = {.tv_sec = left_ns / MOMENT_SECOND, .tv_nsec = left_ns % MOMENT_SECOND};
    if (left_ns > 0)
        nanosleep(&wait, NULL);
}

static void print(const struct show_options *options, const struct table *table, bool is_first)
{
    if (isatty(STDOUT_FILENO) && !options->is_json)
        printf("\033[H\033[2J");
    else if (!is_first)
        printf("\n");
    show_print(options, table->rows);
    fflush(stdout);
}

bool show_watch(const struct show_options *options)
{
    const struct field *fields = options->table->rows;
    struct table table = {0};
    json_t *before = NULL;
    bool is_first = true, is_answered = true;

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    while (!is_over && !ferror(stdout)) {
        int64_t was_ns = table.at_ns;
        table = (struct table){.rows = show_rows(options->path, options->what), .at_ns = clock_now_ns()};
        is_answered = table.rows != NULL;
        if (!is_answered)
            break;
        table.by_key = make_rates(&table, before, (double)(table.at_ns - was_ns) / MOMENT_SECOND, fields);
        if (!options->is_json && !options->columns)
            rename_counters(json_array_get(table.rows, 0), fields);
        print(options, &table, is_first);
        json_decref(table.rows);
        json_decref(before);
        before = table.by_key;
        is_first = false;
        wait_until(table.at_ns + (int64_t)(options->watch_s * MOMENT_SECOND));
    }
    json_decref(before);
    return is_answered || is_over;
}

/* --- messages --- */

bool show_follow(const char *path, const char *what, const char *parameters)
{
    static char text[ANSWER_OCTETS];
    const struct timeval no_limit = {0};
    struct peer peer;
    ssize_t got;
    if (!connect_to(&peer, path))
        return false;
    if (!is_done(show_ask(&peer, what, parameters))) {
        close(peer.fd);
        return false;
    }
    setsockopt(peer.fd, SOL_SOCKET, SO_RCVTIMEO, &no_limit, sizeof(no_limit));
    while ((got = read(peer.fd, text, sizeof(text) - 1)) > 0) {
        text[got] = '\0';
        utf8_print(stdout, text, (size_t)got);
        fputc('\n', stdout);
        fflush(stdout);
    }
    command_error("", "the process at %s has ended, or the connection", peer.address.sun_path);
    close(peer.fd);
    return false;
}
