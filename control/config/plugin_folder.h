/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The folder of AQM plug-ins. A plug-in's code runs with the rights of the program as soon as it is loaded,
 * so a configuration names a file of this folder and cannot choose the folder: it is that of the command line
 * (`gbflow --plugins DIR`), else that of the installation. The settings are the process's, made in main().
 */
#ifndef CONTROL_CONFIG_PLUGIN_FOLDER_H
#define CONTROL_CONFIG_PLUGIN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#define PLUGIN_FOLDER_PATH_CHARS 4096

/* Sets the folder; the text must stay. */
void plugin_folder_set(const char *folder);

/* Whether plug-ins may be loaded; they may unless this was called with false. */
void plugin_folder_allow(bool is_allowed);
bool plugin_folder_is_allowed(void);

/*
 * Writes the path of a plug-in (PLUGIN_FOLDER_PATH_CHARS). False, with the reason in message: the name has a
 * "/", there is no such file, or the file, its folder or a folder above belongs to a user who is neither root
 * nor that of the process, or others may write to it.
 */
bool plugin_folder_find(const char *name, char *path, char *message, size_t cap);

#endif
