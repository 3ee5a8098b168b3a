/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
