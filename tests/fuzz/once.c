/* SPDX-License-Identifier: BSD-3-Clause */
/* The main of a harness without libFuzzer: gives it each file named, once. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

enum { FILE_MAX = 1 << 20 };

int main(int argc, char **argv)
{
    static uint8_t octets[FILE_MAX];
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 1;
        }
        size_t len = fread(octets, 1, sizeof(octets), file);
        fclose(file);
        LLVMFuzzerTestOneInput(octets, len);
    }
    return 0;
}
