/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/output.h"

#include "control/base/outlet.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define RING_OCTETS ((size_t)256 * 1024)
#define END_MS      250

bool output_begin(struct output *output)
{
    struct outlet *outlet = outlet_open(STDERR_FILENO, RING_OCTETS);
    FILE *stream = outlet ? outlet_stream(outlet) : NULL;
    if (!stream) {
        fprintf(stderr, "gbflow: cannot start the thread that writes stderr: %s\n", strerror(errno));
        if (outlet)
            outlet_close(outlet, 0);
        return false;
    }
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    *output = (struct output){.outlet = outlet, .own = stderr};
    stderr = stream;
    return true;
}

uint64_t output_lost(const struct output *output)
{
    return output->outlet ? outlet_lost(output->outlet) : 0;
}

void output_end(struct output *output)
{
    FILE *stream = stderr;
    if (!output->outlet)
        return;
    stderr = output->own;
    fclose(stream);
    outlet_close(output->outlet, END_MS);
    output->outlet = NULL;
}
