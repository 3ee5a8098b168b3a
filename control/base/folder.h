/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes folders for the files that a command writes. */
#ifndef CONTROL_BASE_FOLDER_H
#define CONTROL_BASE_FOLDER_H

#include <stdbool.h>

/* Makes a folder and its parents, as far as they do not exist. False, with a line on stderr: one cannot be
 * made. */
bool folder_make(const char *path);

/* The same for the folder of a file's path. */
bool folder_make_for(const char *file);

#endif
