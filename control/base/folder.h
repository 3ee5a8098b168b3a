/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders and files that a command writes. */
#ifndef CONTROL_BASE_FOLDER_H
#define CONTROL_BASE_FOLDER_H

#include <stdbool.h>

/* Makes a folder and its parents, as far as they do not exist. False, with a line on stderr: one cannot be
 * made. */
bool folder_make(const char *path);

/* The same for the folder of a file's path. */
bool folder_make_for(const char *file);

/* Whether writing the file `out` (NULL: none) would overwrite `in`: both are one regular file, under whatever
 * names. `in` "-" is standard input. */
bool folder_is_input(const char *out, const char *in);

#endif
