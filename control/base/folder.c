/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_one(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return false;
}

bool folder_make(const char *path)
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

bool folder_make_for(const char *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s", file);
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return true;
    *slash = 0;
    return folder_make(path);
}

bool folder_is_input(const char *out, const char *in)
{
    struct stat of_out, of_in;
    bool is_stdin = strcmp(in, "-") == 0;
    if (!out || stat(out, &of_out) < 0 || (is_stdin ? fstat(STDIN_FILENO, &of_in) : stat(in, &of_in)) < 0)
        return false;
    return S_ISREG(of_in.st_mode) && of_out.st_dev == of_in.st_dev && of_out.st_ino == of_in.st_ino;
}
