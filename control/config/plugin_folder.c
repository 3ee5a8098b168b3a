/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/plugin_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder_path = GBFLOW_PLUGINS;
static bool is_loading = true;

void plugin_folder_set(const char *folder)
{
    folder_path = folder;
}

void plugin_folder_allow(bool is_allowed)
{
    is_loading = is_allowed;
}

bool plugin_folder_is_allowed(void)
{
    return is_loading;
}

static bool is_trusted(uid_t owner)
{
    return owner == 0 || owner == geteuid();
}

static bool plugin_folder_complain(char *message, size_t cap, const char *path, const char *what)
{
    snprintf(message, cap, "%s %s", path, what);
    return false;
}

/* After a call for the path failed. */
static bool plugin_folder_miss(char *message, size_t cap, const char *path)
{
    snprintf(message, cap, "%s: %s; gbflow --plugins DIR names another folder", path, strerror(errno));
    return false;
}

/* A file, or a folder in which others can exchange nothing; is_above: one that holds such a folder. */
static bool is_kept(const char *path, bool is_above, char *message, size_t cap)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return plugin_folder_miss(message, cap, path);
    if (!is_trusted(st.st_uid))
        return plugin_folder_complain(message, cap, path,
                                      "belongs to another user; root or the program's user must own it");
    mode_t foreign = is_above ? S_IWOTH : S_IWGRP | S_IWOTH;
    if ((st.st_mode & foreign) && !(is_above && st.st_mode & S_ISVTX))
        return plugin_folder_complain(message, cap, path, "can be written by other users; chmod go-w");
    return true;
}

static bool are_above_kept(const char *folder, char *message, size_t cap)
{
    char above[PATH_MAX];
    snprintf(above, sizeof(above), "%s", folder);
    for (char *slash = strrchr(above, '/'); slash; slash = strrchr(above, '/')) {
        slash[slash == above] = '\0';
        if (!is_kept(above, true, message, cap))
            return false;
        if (slash == above)
            return true;
    }
    return true;
}

static bool find_in(const char *folder, const char *name, char *path, char *message, size_t cap)
{
    struct stat st;
    if ((size_t)snprintf(path, PLUGIN_FOLDER_PATH_CHARS, "%s/%s", folder, name) >= PLUGIN_FOLDER_PATH_CHARS)
        return plugin_folder_complain(message, cap, name, "is too long a name");
    if (!are_above_kept(folder, message, cap) || !is_kept(folder, false, message, cap))
        return false;
    if (lstat(path, &st) < 0)
        return plugin_folder_miss(message, cap, path);
    if (!S_ISREG(st.st_mode))
        return plugin_folder_complain(message, cap, path, "is not a regular file");
    return is_kept(path, false, message, cap);
}

bool plugin_folder_find(const char *name, char *path, char *message, size_t cap)
{
    if (!*name || strchr(name, '/')) {
        snprintf(message, cap, "must be the name of a file in %s; gbflow --plugins DIR names another folder",
                 folder_path);
        return false;
    }
    char *folder = realpath(folder_path, NULL);
    if (!folder)
        return plugin_folder_miss(message, cap, folder_path);
    bool is_found = find_in(folder, name, path, message, cap);
    free(folder);
    return is_found;
}
