/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/console/history.h"
#include "app/console/line.h"

#include "control/base/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE   0600
#define FOLDER_MODE 0700

/* No line is kept from then on. */
static void give_up(struct line_history *h, const char *path, const char *why)
{
    command_error("console", "warning: %s: %s; the lines of this console are not kept", path, why);
    h->path[0] = '\0';
}

bool history_is_own_folder(const char *path)
{
    struct stat folder;
    return path && stat(path, &folder) == 0 && S_ISDIR(folder.st_mode) && folder.st_uid == geteuid() &&
           !(folder.st_mode & S_IWOTH);
}

static void find_path(struct line_history *h)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool is_state = state && state[0] == '/';
    const char *folder = is_state ? state : home;
    if (!folder || folder[0] != '/')
        return;
    int chars = snprintf(h->path, sizeof(h->path), "%s%s/gbflow/console_history", folder,
                         is_state ? "" : "/.local/state");
    if ((size_t)chars >= sizeof(h->path))
        give_up(h, folder, "the name is too long");
    else if (!history_is_own_folder(folder))
        give_up(h, folder, "no folder of this user alone (HOME, XDG_STATE_HOME)");
}

/* Of this user, and nothing else. -1, with a reason: it is not. */
static int open_file(const struct line_history *h, int flags, const char **why)
{
    struct stat file;
    int fd = open(h->path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
    *why = fd < 0 ? strerror(errno) : "no regular file of this user with one name";
    if (fd < 0 ||
        (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() && file.st_nlink == 1))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

static void make_folders(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, FOLDER_MODE); /* open() tells why it cannot be used */
        *at = '/';
    }
}

const char *history_line(const struct line_history *h, unsigned number)
{
    return h->lines[(h->first + number) % HISTORY_LINES];
}

static bool keep(struct line_history *h, const char *line)
{
    char *copy = strdup(line);
    if (!copy)
        return false;
    if (h->count == HISTORY_LINES) {
        free(h->lines[h->first]);
        h->lines[h->first] = copy;
        h->first = (h->first + 1) % HISTORY_LINES;
    } else {
        h->lines[(h->first + h->count++) % HISTORY_LINES] = copy;
    }
    return true;
}

/* Returns how many lines the file has. */
static unsigned history_read(struct line_history *h)
{
    const char *why;
    int fd = open_file(h, O_RDONLY, &why);
    if (fd < 0 && errno != ENOENT)
        give_up(h, h->path, why);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    char *line = NULL;
    size_t cap = 0;
    unsigned count = 0;
    ssize_t octets;
    static struct line split;
    while (file && (octets = getline(&line, &cap, file)) > 0) {
        octets -= line[octets - 1] == '\n';
        line[octets] = '\0';
        count++;
        if (!line_split(&split, line, (size_t)octets) && split.count > 0)
            keep(h, line);
    }
    free(line);
    if (file)
        fclose(file);
    return count;
}

/* Replaces the file by the lines that are kept; the old one stays where that fails. */
static void shorten(const struct line_history *h)
{
    char path[sizeof(h->path) + 8];
    snprintf(path, sizeof(path), "%s.XXXXXX", h->path);
    int fd = mkostemp(path, O_CLOEXEC); /* mode 0600 */
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        return;
    for (unsigned i = 0; i < h->count; i++)
        fprintf(file, "%s\n", history_line(h, i));
    bool is_written = !ferror(file);
    is_written &= fclose(file) == 0;
    if (!is_written || rename(path, h->path) != 0)
        unlink(path);
}

void history_open(struct line_history *h)
{
    *h = (struct line_history){.count = 0};
    find_path(h);
    if (!h->path[0])
        return;
    make_folders(h->path);
    if (history_read(h) > HISTORY_LINES)
        shorten(h);
}

/* Of a file that was cut or edited: its last line has no end. */
static bool has_open_end(int fd)
{
    struct stat file;
    char last = '\n';
    return fd >= 0 && fstat(fd, &file) == 0 && file.st_size > 0 &&
           pread(fd, &last, 1, file.st_size - 1) == 1 && last != '\n';
}

/* One write for a line: those of two consoles do not mix. */
static void history_write(struct line_history *h, const char *line)
{
    char text[LINE_OCTETS + 3];
    const char *why;
    int fd = open_file(h, O_RDWR | O_APPEND | O_CREAT, &why);
    int octets = snprintf(text, sizeof(text), "%s%s\n", has_open_end(fd) ? "\n" : "", line);
    if (fd >= 0) {
        fchmod(fd, FILE_MODE);
        errno = ENOSPC; /* of a line that is written in part */
        why = write(fd, text, (size_t)octets) == octets ? NULL : strerror(errno);
        close(fd);
    }
    if (why)
        give_up(h, h->path, why);
}

void history_add(struct line_history *h, const char *line)
{
    if (h->count > 0 && strcmp(history_line(h, h->count - 1), line) == 0)
        return;
    if (keep(h, line) && h->path[0])
        history_write(h, line);
}

void history_print(const struct line_history *h, FILE *out)
{
    for (unsigned i = 0; i < h->count; i++)
        fprintf(out, "%5u  %s\n", i + 1, history_line(h, i));
}

void history_close(struct line_history *h)
{
    for (unsigned i = 0; i < h->count; i++)
        free(h->lines[(h->first + i) % HISTORY_LINES]);
    h->count = 0;
}
