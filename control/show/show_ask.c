/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks a running process by its socket: which one it is, questions and orders to it, messages of it. */
#include "control/show/show.h"
#include "control/show/process_find.h"
#include "control/show/telemetry_socket.h"

#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/utf8.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <jansson.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_OCTETS  65536
#define COMMAND_OCTETS 1000 /* limit of DPDK */
#define NUMBER_CHARS   24
#define NAME_CHARS     64
#define ROWS_MOST      1000000
#define ROW_OCTETS     1024 /* more than a row has on average, behind PAGES_FREE answers */
#define PAGES_FREE     16
#define REFUSAL_CHARS  80
#define BUSY_NS        (3 * MOMENT_SECOND / 2) /* more than an idle client keeps its place for */
#define BUSY_STEP_NS   (MOMENT_SECOND / 20)
#define INVALID        "invalid answer of the node; it may be of another version"

/* The user whose socket it is, or whose folder around it. */
static void put_owner(char out[NAME_CHARS], const char *path)
{
    char part[TELEMETRY_SOCKET_PATH_CHARS], *end;
    struct stat file;
    snprintf(part, sizeof(part), "%s", path);
    while (stat(part, &file) != 0 && (end = strrchr(part, '/')) && end > part)
        *end = '\0';
    const struct passwd *user = stat(part, &file) == 0 ? getpwuid(file.st_uid) : NULL;
    snprintf(out, NAME_CHARS, "%s", user ? user->pw_name : "?");
}

static void complain_of_rights(const char *path)
{
    char owner[NAME_CHARS];
    put_owner(owner, path);
    command_error("", "no right to the socket %s, which is of the user %s; use sudo, or be that user", path,
                  owner);
}

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
        complain_of_rights(path);
    else
        command_error("", "no running node at %s: %s; --prefix NAME selects a node by its eal.prefix%s", path,
                      strerror(errno), getuid() == 0 ? "" : "; use sudo if another user runs it");
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
    fprintf(stderr,
            "gbflow: no node or BSS runs: no socket answers in %s; start one, or use sudo or be the user "
            "that runs it\n",
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
    if (!page || (json_array_size(page) >= SHOW_HEADER_ROWS && first <= ROWS_MOST && is_short))
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
    while (json_array_size(page) > SHOW_HEADER_ROWS) {
        json_decref(page);
        page = read_page(peer, name, json_array_size(all) - SHOW_HEADER_ROWS);
        for (size_t row = SHOW_HEADER_ROWS; row < json_array_size(page); row++)
            json_array_append(all, json_array_get(page, row));
    }
    bool is_whole = page != NULL;
    json_decref(page);
    if (is_whole)
        return all;
    json_decref(all);
    return NULL;
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

/* --- orders and messages --- */

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
    if (json_is_object(greeting))
        return greeting;
    json_decref(greeting);
    command_error("", INVALID);
    return NULL;
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
