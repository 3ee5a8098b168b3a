/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_CHARS (PATH_MAX + 32)

/* The path without links, of a file that may not be there; false: its folder is not there. */
static bool resolve(const char *path, char out[PATH_MAX])
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (realpath(path, out))
        return true;
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    if (!realpath(folder, out))
        return false;
    size_t used = strlen(out);
    return (size_t)snprintf(out + used, PATH_MAX - used, "/%s", name) < PATH_MAX - used;
}

static void put_part(char out[PART_CHARS], const char *target)
{
    snprintf(out, PART_CHARS, "%s.%d.part", target, (int)getpid());
}

/* --- opening --- */

/* Whether a rename may replace the path: a regular file with write permission, or nothing. */
static bool is_replaceable(const char *path, mode_t *mode)
{
    struct stat of_path;
    *mode = 0666;
    if (stat(path, &of_path) < 0)
        return errno == ENOENT && lstat(path, &of_path) < 0;
    *mode = of_path.st_mode & 0777;
    return S_ISREG(of_path.st_mode) && access(path, W_OK) == 0;
}

static int open_part(const char *target, mode_t mode)
{
    char folder[PATH_MAX], part[PART_CHARS];
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(target, '/') - target) + 1, target);
    bool can_link = access("/proc/self/fd", X_OK) == 0; /* by which a file without a name gets one */
    int fd = can_link ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode) : -1;
    if (fd >= 0)
        return fd;
    put_part(part, target);
    return open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
}

FILE *whole_file_open(const char *path)
{
    char target[PATH_MAX];
    mode_t mode;
    bool is_new = access(path, F_OK) < 0;
    int fd = is_replaceable(path, &mode) && resolve(path, target) ? open_part(target, mode) : -1;
    if (fd < 0)
        return fopen(path, "w");
    if (!is_new)
        fchmod(fd, mode); /* the previous file's, whatever the umask */
    FILE *file = fdopen(fd, "w");
    if (!file)
        close(fd);
    return file;
}

bool whole_file_drop_link(const char *path)
{
    struct stat about;
    bool is_link = lstat(path, &about) == 0 &&
                   (S_ISLNK(about.st_mode) || (S_ISREG(about.st_mode) && about.st_nlink > 1));
    if (!is_link || unlink(path) == 0)
        return true;
    fprintf(stderr, "%s: the link cannot be removed: %s\n", path, strerror(errno));
    return false;
}

/* --- closing --- */

static bool has_name(int fd, const char *path)
{
    struct stat of_fd, of_path;
    return fstat(fd, &of_fd) == 0 && stat(path, &of_path) == 0 && of_fd.st_dev == of_path.st_dev &&
           of_fd.st_ino == of_path.st_ino;
}

/* Gives an unnamed file the name of a part; false: it cannot have one. */
static bool link_part(int fd, const char *part)
{
    char self[64];
    struct stat of_fd;
    if (fstat(fd, &of_fd) < 0 || of_fd.st_nlink > 0 || !S_ISREG(of_fd.st_mode))
        return true;
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, part, AT_SYMLINK_FOLLOW) == 0;
}

static int reason(void)
{
    return errno ? errno : EIO;
}

/* After all octets are written: renames a part. 0, or errno. */
static int name_file(int fd, const char *path)
{
    char target[PATH_MAX], part[PART_CHARS];
    if (!resolve(path, target))
        return 0;
    put_part(part, target);
    if (!link_part(fd, part))
        return reason();
    return has_name(fd, part) && rename(part, target) < 0 ? reason() : 0;
}

static void remove_part(int fd, const char *path)
{
    char target[PATH_MAX], part[PART_CHARS];
    if (!resolve(path, target))
        return;
    put_part(part, target);
    if (has_name(fd, part))
        unlink(part);
}

/* stdio may lose the reason of a write that failed when its buffer was just full: the next write has it, too.
 */
static int reason_of_error(FILE *file)
{
    errno = 0;
    return write(fileno(file), "", 1) < 0 ? reason() : EIO;
}

int whole_file_close(FILE *file, const char *path)
{
    errno = 0;
    int wrong = ferror(file) ? reason_of_error(file) : fflush(file) != 0 ? reason() : 0;
    if (wrong == 0)
        wrong = name_file(fileno(file), path);
    if (wrong != 0)
        remove_part(fileno(file), path);
    errno = 0;
    if (fclose(file) != 0 && wrong == 0)
        wrong = reason();
    return wrong;
}

bool whole_file_is_same(const char *a, const char *b)
{
    char of_a[PATH_MAX], of_b[PATH_MAX];
    struct stat stat_a, stat_b;
    if (!a || !b)
        return false;
    if (stat(a, &stat_a) == 0 && stat(b, &stat_b) == 0)
        return S_ISREG(stat_a.st_mode) && stat_a.st_dev == stat_b.st_dev && stat_a.st_ino == stat_b.st_ino;
    return resolve(a, of_a) && resolve(b, of_b) && strcmp(of_a, of_b) == 0;
}

/* --- its folder --- */

static bool make_one(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return false;
}

bool whole_file_make_folder(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof(part), "%s", path);
    for (char *slash = part + 1; *part && (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (!make_one(part))
            return false;
        *slash = '/';
    }
    return make_one(part);
}

bool whole_file_make_folder_for(const char *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s", file);
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return true;
    *slash = 0;
    return whole_file_make_folder(path);
}

bool whole_file_is_input(const char *out, const char *in)
{
    struct stat of_out, of_in;
    bool is_stdin = strcmp(in, "-") == 0;
    if (!out || stat(out, &of_out) < 0 || (is_stdin ? fstat(STDIN_FILENO, &of_in) : stat(in, &of_in)) < 0)
        return false;
    return S_ISREG(of_in.st_mode) && of_out.st_dev == of_in.st_dev && of_out.st_ino == of_in.st_ino;
}
