/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show/process_find.h"
#include "control/base/clock.h"
#include "control/base/eal.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define GREETING_OCTETS 1024
#define PATTERN_CHARS   256
#define SOCKETS         "/proc/net/unix"
#define LISTENS         0x10000 /* in its column Flags */

/* Folders above those of the processes, as patterns; NULL ends them. */
static const char *const *places(void)
{
    static const char *const others[] = {"/run/gbflow/dpdk", "/run/gbflow/*/dpdk", "/var/run/dpdk",
                                         "/run/user/*/dpdk", "/tmp/dpdk"};
    static char own[TELEMETRY_SOCKET_PATH_CHARS];
    static const char *list[2 + sizeof(others) / sizeof(others[0])];
    unsigned count = sizeof(others) / sizeof(others[0]), listed = 0;
    count -= getuid() == 0; /* anyone may put a socket into the last one */
    eal_folder(own, sizeof(own));
    list[listed++] = own;
    for (unsigned i = 0; !getenv("RUNTIME_DIRECTORY") && i < count; i++)
        if (strcmp(others[i], own) != 0)
            list[listed++] = others[i];
    list[listed] = NULL;
    return list;
}

const char *process_find_places(void)
{
    static char text[6 * PATTERN_CHARS];
    size_t used = 0;
    for (const char *const *place = places(); *place; place++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used > 0 ? ", " : "", *place);
    return text;
}

/* False: no process takes clients there. */
static bool try(struct process_found *p)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, p->path, sizeof(p->path));
    p->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (p->fd >= 0 && connect(p->fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
        return true;
    int error = errno;
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
    return error == EACCES || error == EAGAIN; /* another user's; as many clients wait as may */
}

static bool is_among(const struct process_found *found, unsigned count, const struct process_found *p)
{
    for (unsigned i = 0; i < count; i++)
        if (found[i].inode == p->inode && found[i].device == p->device)
            return true;
    return false;
}

/* The process of a path "FOLDER/NAME/FILE"; returns how many there are then. */
static unsigned add_path(struct process_found *found, unsigned count, const char *path)
{
    struct process_found *p = &found[count];
    const char *end = strrchr(path, '/'), *name = end;
    struct stat file;
    while (name > path && name[-1] != '/')
        name--;
    if (strlen(path) >= sizeof(p->path) || (size_t)(end - name) >= sizeof(p->name) || stat(path, &file) != 0)
        return count;
    *p = (struct process_found){.device = file.st_dev, .inode = file.st_ino};
    snprintf(p->path, sizeof(p->path), "%s", path);
    snprintf(p->name, sizeof(p->name), "%.*s", (int)(end - name), name);
    bool is_passed_over = !telemetry_socket_is_name(p->name) || is_among(found, count, p) || !try(p);
    return is_passed_over ? count : count + 1;
}

static void make_pattern(char out[PATTERN_CHARS], const char *place, const char *name)
{
    snprintf(out, PATTERN_CHARS, "%s/%s/" TELEMETRY_SOCKET_FILE, place, name);
}

static unsigned add_place(struct process_found *found, unsigned count, const char *place, const char *name)
{
    char pattern[PATTERN_CHARS];
    glob_t paths;
    make_pattern(pattern, place, name);
    if (glob(pattern, 0, NULL, &paths) != 0)
        return count;
    for (size_t i = 0; i < paths.gl_pathc && count < PROCESS_FIND_MOST; i++)
        count = add_path(found, count, paths.gl_pathv[i]);
    globfree(&paths);
    return count;
}

/* Whether a socket is in one of the places, and its folder another user's that this user may not enter. */
static bool is_hidden(const char *path, const char *name)
{
    char pattern[PATTERN_CHARS];
    struct stat file;
    if (stat(path, &file) == 0 || errno != EACCES)
        return false;
    for (const char *const *place = places(); *place; place++) {
        make_pattern(pattern, *place, name);
        if (fnmatch(pattern, path, FNM_PATHNAME) == 0)
            return true;
    }
    return false;
}

/* Those that listen in folders of other users: the kernel lists them for each user. */
static unsigned add_hidden(struct process_found *found, unsigned count, const char *name)
{
    FILE *list = fopen(SOCKETS, "re");
    char line[2 * PATTERN_CHARS];
    while (list && count < PROCESS_FIND_MOST && fgets(line, sizeof(line), list)) {
        unsigned flags = 0;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        sscanf(line, "%*s %*s %*s %x %*s %*s %*s %n", &flags, &at);
        if (at == 0 || !(flags & LISTENS) || strlen(line + at) >= sizeof(found->path) ||
            !is_hidden(line + at, name))
            continue;
        struct process_found *p = &found[count++];
        *p = (struct process_found){.fd = -1};
        snprintf(p->path, sizeof(p->path), "%s", line + at);
        char *end = strrchr(line + at, '/');
        *end = '\0';
        snprintf(p->name, sizeof(p->name), "%s", strrchr(line + at, '/') + 1);
    }
    if (list)
        fclose(list);
    return count;
}

/* Closes the connection when the process has said what it is. */
static void read_greeting(struct process_found *p)
{
    char greeting[GREETING_OCTETS];
    ssize_t got = recv(p->fd, greeting, sizeof(greeting), MSG_DONTWAIT);
    json_t *root = got > 0 ? json_loadb(greeting, (size_t)got, 0, NULL) : NULL;
    const char *kind = json_string_value(json_object_get(root, "kind"));
    p->may_act = root && !json_is_false(json_object_get(root, "acts"));
    if (root)
        snprintf(p->kind, sizeof(p->kind), "%s", kind ? kind : TELEMETRY_NODE);
    json_decref(root);
    close(p->fd);
    p->fd = -1;
}

/* Whether a process has still to greet. */
static bool wait_for_greetings(struct process_found *found, unsigned count, int64_t wait_ns)
{
    struct pollfd fds[PROCESS_FIND_MOST];
    bool is_one_left = false;
    for (unsigned i = 0; i < count; i++) {
        fds[i] = (struct pollfd){.fd = found[i].fd, .events = POLLIN};
        is_one_left |= found[i].fd >= 0;
    }
    if (!is_one_left || wait_ns <= 0 || poll(fds, count, (int)(wait_ns / (MOMENT_SECOND / 1000)) + 1) <= 0)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (fds[i].fd >= 0 && fds[i].revents)
            read_greeting(&found[i]);
    return true;
}

/* Of those that greeted if there are any, else all. */
static unsigned keep_greeted(struct process_found *found, unsigned count)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        if (found[i].fd >= 0)
            close(found[i].fd);
        found[i].fd = -1;
    }
    for (unsigned i = 0; i < count; i++)
        if (found[i].kind[0])
            found[kept++] = found[i];
    return kept > 0 ? kept : count;
}

unsigned process_find(const char *name, struct process_found found[PROCESS_FIND_MOST], int64_t wait_ns)
{
    int64_t end_ns = clock_now_ns() + wait_ns;
    unsigned count = 0;
    if (name && !telemetry_socket_is_name(name))
        return 0;
    for (const char *const *place = places(); *place; place++)
        count = add_place(found, count, *place, name ? name : "*");
    count = add_hidden(found, count, name ? name : "*");
    while (wait_for_greetings(found, count, end_ns - clock_now_ns()))
        ;
    return keep_greeted(found, count);
}
