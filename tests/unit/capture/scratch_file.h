/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of a file that a test may write, in the folder that it runs in. */
#ifndef TESTS_UNIT_CAPTURE_SCRATCH_FILE_H
#define TESTS_UNIT_CAPTURE_SCRATCH_FILE_H

#include <stddef.h>
#include <stdint.h>

#define SCRATCH_FILE_CHARS 32

/* Creates it, empty. The test unlinks it. */
void scratch_file_make(char path[SCRATCH_FILE_CHARS]);

/* Writes a capture of this link type with one frame per row: seconds, nanoseconds, length on the wire. */
struct scratch_file_frame {
    int64_t s, ns;
    uint32_t wire_octets;
    uint32_t octets;
    const uint8_t *bytes;
};
void scratch_file_capture(const char *path, int link_type, const struct scratch_file_frame *frames,
                          size_t count);

/* Cuts it to so many octets; its size. */
void scratch_file_cut(const char *path, size_t octets);
size_t scratch_file_octets(const char *path);

#endif
