/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of the host: reads files of /sys and /proc below a root: "" for this machine, a folder in tests.
 * Paths are formats as of printf() and begin with a slash. */
#ifndef APP_DOCTOR_HOST_TREE_H
#define APP_DOCTOR_HOST_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOST_TREE_NAME = 64 };

struct host_tree {
    const char *root;
};

/* The sorted names in a folder; names beyond the first 256 are left out. */
struct host_tree_names {
    char names[256][HOST_TREE_NAME];
    unsigned count;
};

/* The file's text, at most cap - 1 octets of it, without its last newline. False, and an empty text: the file
 * cannot be read. */
bool host_tree_text(const struct host_tree *tree, char *out, size_t cap, const char *path, ...)
    __attribute__((format(printf, 4, 5)));

/* The file's first number; false: it has no number, or cannot be read. */
bool host_tree_number(const struct host_tree *tree, int64_t *out, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of a key in a file of lines "KEY: VALUE" or "KEY  VALUE". */
bool host_tree_field(const struct host_tree *tree, const char *path, const char *key, char *out, size_t cap);

/* The last part of the path that a symbolic link points to; false: not a link. */
bool host_tree_link(const struct host_tree *tree, char *out, size_t cap, const char *path, ...)
    __attribute__((format(printf, 4, 5)));

/* The names in a folder, sorted, without those that begin with a dot; empty without such a folder. */
void host_tree_list(const struct host_tree *tree, struct host_tree_names *out, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

bool host_tree_has(const struct host_tree *tree, const char *path);

/* The count of numbers in a list as the kernel writes it: "0-3,8" is 5. */
unsigned host_tree_count_list(const char *list);

#endif
