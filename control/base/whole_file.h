/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A result file that appears only when it is complete: written without a name in its folder, named by a
 * rename at the end. A process that a signal ends leaves the previous file, or none. Devices, pipes and files
 * in folders that cannot be written are written directly.
 */
#ifndef CONTROL_BASE_WHOLE_FILE_H
#define CONTROL_BASE_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Opens the file for writing. NULL, with errno. whole_file_close() closes it. */
FILE *whole_file_open(const char *path);

/* Closes the file and gives it its name, `path` as at the opening. 0, or a positive errno: the previous file
 * is as it was. */
int whole_file_close(FILE *file, const char *path);

/*
 * Before a file of a folder of results is opened: removes a link at its path, whose author would choose the
 * file that is written. False, with a line on stderr: it cannot be removed.
 */
bool whole_file_drop_link(const char *path);

/* Whether two paths, which may be NULL, name one regular file or one that is not there yet. */
bool whole_file_is_same(const char *a, const char *b);

/* --- its folder --- */

/* Makes a folder and its parents, as far as they do not exist. False, with a line on stderr: one cannot be
 * made. */
bool whole_file_make_folder(const char *path);

/* The same for the folder of a file's path. */
bool whole_file_make_folder_for(const char *file);

/* Whether writing the file `out` (NULL: none) would overwrite `in`: both are one regular file, under whatever
 * names. `in` "-" is standard input. */
bool whole_file_is_input(const char *out, const char *in);

#endif
