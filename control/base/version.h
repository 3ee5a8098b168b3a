/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the program. meson.build is its only source: project(version: ...). */
#ifndef CONTROL_BASE_VERSION_H
#define CONTROL_BASE_VERSION_H

/* "0.1.0", static string: for --version, the first line of --help, and the field `version` of a JSON
 * document. */
const char *version_text(void);

/* The commit that the program was built of, with "-dirty" for a changed tree; "" where it was built of no
 * repository. Static string. */
const char *version_commit(void);

#endif
