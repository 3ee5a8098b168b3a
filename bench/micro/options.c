/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool options_read(const char *program, const struct options_number *options, unsigned count, int argc,
                  char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        unsigned k = 0, value = i + 1 < argc ? (unsigned)strtoul(argv[i + 1], NULL, 10) : 0;
        while (k < count && strcmp(argv[i], options[k].name) != 0)
            k++;
        if (k == count || value < options[k].least || value > options[k].most ||
            value % options[k].multiple) {
            fprintf(
                stderr,
                "%s: %s: not known, or its value out of range; the options are those of the head of %s.c\n",
                program, argv[i], program);
            return false;
        }
        *options[k].to = value;
    }
    return true;
}
