/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and times of the IP packets of a capture. */
#include "app/run/trace.h"

#include "capture/reader.h"
#include "dataplane/base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_PACKET_OCTETS = 1500, V4_OCTETS = 20, V6_OCTETS = 40, V4_DESTINATION = 16 };

bool trace_capture_is_one(const char *path)
{
    static const uint32_t begins[] = {0x0a0d0d0a, 0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1};
    uint8_t octets[4] = {0};
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(octets, 1, sizeof(octets), file) : 0;
    bool is_one = got == sizeof(octets) && octets[0] == 0x1f && octets[1] == 0x8b; /* gzip */
    for (unsigned i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        is_one |= got == sizeof(octets) && bytes_get_u32(octets) == begins[i];
    if (file)
        fclose(file);
    return is_one;
}

/* Octets of the IP packet; 0: it is not an IP packet, or not to the address. */
static uint32_t octets_of(const struct trace *trace, struct capture_frame *frame)
{
    if (!capture_link_strip(frame) || frame->captured < V4_OCTETS)
        return 0;
    if (frame->bytes[0] >> 4 == 4)
        return trace->to && bytes_get_u32(frame->bytes + V4_DESTINATION) != trace->to
                   ? 0
                   : bytes_get_u16(frame->bytes + 2);
    if (frame->bytes[0] >> 4 == 6 && !trace->to)
        return V6_OCTETS + bytes_get_u16(frame->bytes + 4);
    return 0;
}

static bool add(struct trace *trace, const char *path, struct capture_frame *frame, int64_t *begin_ns)
{
    uint32_t octets = octets_of(trace, frame);
    if (octets == 0)
        return true;
    if (octets > MOST_PACKET_OCTETS) {
        fprintf(stderr,
                "%s: an IP packet of %u octets, from segmentation by a network card perhaps: 1500 at most\n",
                path, octets);
        return false;
    }
    if (trace->count == 0)
        *begin_ns = frame->at_ns;
    struct trace_row row = {
        .at_ns = frame->at_ns - *begin_ns,
        .values = {octets < TRACE_LEAST_PACKET_OCTETS ? TRACE_LEAST_PACKET_OCTETS : octets}};
    if (trace->count && row.at_ns < trace->rows[trace->count - 1].at_ns) /* of several interfaces */
        row.at_ns = trace->rows[trace->count - 1].at_ns;
    return trace_add(trace, path, row);
}

bool trace_capture_read(struct trace *trace, const char *path)
{
    struct capture_reader *reader = calloc(1, sizeof(*reader));
    struct capture_frame frame;
    int64_t begin_ns = 0;
    bool is_right = reader && capture_reader_open(reader, path) == 0;
    if (is_right) {
        while (is_right && capture_reader_next(reader, &frame))
            is_right = add(trace, path, &frame, &begin_ns);
        if (is_right && reader->is_broken)
            fprintf(stderr, "%s: %s\n", path, reader->error);
        is_right = is_right && !reader->is_broken;
    } else {
        fprintf(stderr, "%s: %s\n", path, reader ? reader->error : "out of memory");
    }
    if (reader)
        capture_reader_close(reader);
    free(reader);
    return is_right;
}
