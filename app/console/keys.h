/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of the terminal for libedit. Signals that come while a line is edited are keys of it: libedit takes
 * one that the console ignores for the end of the input, and leaves out octets that are no character. */
#ifndef APP_CONSOLE_KEYS_H
#define APP_CONSOLE_KEYS_H

#include <histedit.h>
#include <wchar.h>

#define KEYS_INTERRUPT "\003" /* of SIGINT and SIGQUIT, too */

/* The characters are those of UTF-8. */
void keys_open(void);

/* Around a line: within, signals are keys; outside, they do what they did before. */
void keys_begin(void);
void keys_end(void);

/* The next character, U+FFFD for octets that are not UTF-8; as EL_GETCFN has it. */
int keys_read(EditLine *el, wchar_t *out);

/* The signal that has ended the input: SIGTERM, SIGHUP. 0: none. */
int keys_end_signal(void);

#endif
