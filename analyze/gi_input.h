/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a capture as a stream: pcap or pcapng, plain or gzip, from a file or from standard input. Time never
 * goes back: a step of at most a second backwards is taken for frames out of order and stands still; a longer
 * one, or one of more than a day forwards, is a clock that was set, and later frames keep their distances to
 * the frame it happened at.
 */
#ifndef ANALYZE_GI_INPUT_H
#define ANALYZE_GI_INPUT_H

#include "analyze/gi_frame.h"
#include "analyze/gi_pcapng.h"

#include <stdio.h>

#define GI_INPUT_ERROR_OCTETS 300

struct pcap;

/* What was read so far, over all captures. */
struct gi_input_counts {
    uint64_t frames, octets;
    uint64_t cut_short;     /* shorter than on the wire */
    uint64_t clock_steps;   /* timestamps before that of the frame before, or out of all distance to it */
    uint64_t unknown_links; /* frames of links that are not read */
    int64_t first_ns, last_ns;
};

struct gi_input {
    struct pcap *pcap;   /* of a pcap file; NULL: it is pcapng, or none */
    struct gi_pcapng ng; /* its file is closed with it */
    void *gzip;          /* owned by the file */
    int link_type;       /* of the last frame */
    int64_t file_octets; /* 0: not known */
    int64_t leapt_ns;    /* cut out of time so far */
    bool is_broken;      /* it ended with an error; what came before was read */
    char error[GI_INPUT_ERROR_OCTETS];
    struct gi_input_counts counts;
};

/* Zero before the first use. Opens the next capture ("-": standard input), its counts go on. 0, or -1 with
 * the reason in error. */
int gi_input_open(struct gi_input *in, const char *path);

/* The same of an open file, which it takes; octets as they are, not gzip. */
int gi_input_open_file(struct gi_input *in, FILE *file);
void gi_input_close(struct gi_input *in);

/* The next frame, whose octets live until the next call. False at the end, also when the file is damaged
 * there (is_broken, error). */
bool gi_input_next(struct gi_input *in, struct gi_frame *frame);

/* How much of the file has been read, in percent; -1 when not known. */
int gi_input_percent(const struct gi_input *in);

#endif
