/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders for what a command writes. */
#ifndef CONTROL_BASE_FOLDER_H
#define CONTROL_BASE_FOLDER_H

#include <stdbool.h>

/* Makes a folder and those above it, where they are not there. False, with a line on stderr, when one cannot
 * be made. */
bool folder_make(const char *path);

/* The same for the folder that a file is to lie in. */
bool folder_make_for(const char *file);

#endif
