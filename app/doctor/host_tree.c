/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/host_tree.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIELD_FILE_OCTETS 16384

static bool make_path(char out[PATH_MAX], const struct host_tree *tree, const char *format, va_list list)
{
    int root = snprintf(out, PATH_MAX, "%s", tree->root);
    if (root < 0 || root >= PATH_MAX)
        return false;
    int rest = vsnprintf(out + root, PATH_MAX - (size_t)root, format, list);
    return rest >= 0 && root + rest < PATH_MAX;
}

static bool read_text(const char *path, char *out, size_t cap)
{
    FILE *file = fopen(path, "re");
    out[0] = 0;
    if (!file)
        return false;
    size_t octets = fread(out, 1, cap - 1, file);
    bool is_read = !ferror(file);
    fclose(file);
    if (octets > 0 && out[octets - 1] == '\n')
        octets--;
    out[octets] = 0;
    return is_read;
}

bool host_tree_text(const struct host_tree *tree, char *out, size_t cap, const char *path, ...)
{
    char full[PATH_MAX];
    va_list list;
    out[0] = 0;
    va_start(list, path);
    bool fits = make_path(full, tree, path, list);
    va_end(list);
    return fits && read_text(full, out, cap);
}

bool host_tree_number(const struct host_tree *tree, int64_t *out, const char *path, ...)
{
    char full[PATH_MAX], text[32], *end;
    va_list list;
    va_start(list, path);
    bool fits = make_path(full, tree, path, list);
    va_end(list);
    if (!fits || !read_text(full, text, sizeof(text)))
        return false;
    *out = strtoll(text, &end, 10);
    return end != text;
}

bool host_tree_field(const struct host_tree *tree, const char *path, const char *key, char *out, size_t cap)
{
    char text[FIELD_FILE_OCTETS], *rest = text, *line;
    out[0] = 0;
    if (!host_tree_text(tree, text, sizeof(text), "%s", path))
        return false;
    while ((line = strsep(&rest, "\n"))) {
        size_t octets = strlen(key);
        if (strncmp(line, key, octets) != 0 || !strchr(": \t", line[octets]))
            continue;
        snprintf(out, cap, "%s", line + octets + strspn(line + octets, ": \t"));
        return true;
    }
    return false;
}

bool host_tree_link(const struct host_tree *tree, char *out, size_t cap, const char *path, ...)
{
    char full[PATH_MAX], target[PATH_MAX];
    va_list list;
    va_start(list, path);
    bool fits = make_path(full, tree, path, list);
    va_end(list);
    ssize_t octets = fits ? readlink(full, target, sizeof(target) - 1) : -1;
    if (octets < 0)
        return false;
    target[octets] = 0;
    const char *slash = strrchr(target, '/');
    return (size_t)snprintf(out, cap, "%s", slash ? slash + 1 : target) < cap;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

void host_tree_list(const struct host_tree *tree, struct host_tree_names *out, const char *path, ...)
{
    char full[PATH_MAX];
    struct dirent *entry;
    va_list list;
    out->count = 0;
    va_start(list, path);
    DIR *folder = make_path(full, tree, path, list) ? opendir(full) : NULL;
    va_end(list);
    if (!folder)
        return;
    while ((entry = readdir(folder)) && out->count < sizeof(out->names) / sizeof(out->names[0]))
        if (entry->d_name[0] != '.' && strlen(entry->d_name) < HOST_TREE_NAME)
            snprintf(out->names[out->count++], HOST_TREE_NAME, "%s", entry->d_name);
    closedir(folder);
    qsort(out->names, out->count, sizeof(out->names[0]), by_name);
}

bool host_tree_has(const struct host_tree *tree, const char *path)
{
    char full[PATH_MAX];
    int octets = snprintf(full, sizeof(full), "%s%s", tree->root, path);
    return octets >= 0 && octets < PATH_MAX && access(full, F_OK) == 0;
}

unsigned host_tree_count_list(const char *list)
{
    unsigned count = 0;
    char *end;
    for (; *list; list = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list)
            break;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        count += last >= first ? (unsigned)(last - first) + 1 : 0;
    }
    return count;
}
