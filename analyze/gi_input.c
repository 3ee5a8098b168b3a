/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_input.h"

#include "dataplane/base/moment.h"

#include <fcntl.h>
#include <pcap/pcap.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BUFFER_OCTETS   (1 << 18)
#define DAY_NS          (86400 * MOMENT_SECOND)
#define LINKTYPE_RAW_IP 101                 /* of which libpcap makes DLT_RAW */
#define LAST_SECOND     INT64_C(8000000000) /* room above it in 64 bits of nanoseconds */

static ssize_t gzip_read(void *cookie, char *to, size_t octets)
{
    int got = gzread(cookie, to, (unsigned)octets);
    return got < 0 ? -1 : got;
}

static int gzip_close(void *cookie)
{
    return gzclose_r(cookie) == Z_OK ? 0 : -1;
}

static int say(struct gi_input *in, const char *reason)
{
    snprintf(in->error, sizeof(in->error), "%s", reason);
    return -1;
}

static FILE *open_gzip(struct gi_input *in, const char *path)
{
    struct stat st;
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    in->file_octets = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
    gzFile gzip = fd >= 0 ? gzdopen(fd, "rb") : NULL;
    if (!gzip) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    gzbuffer(gzip, BUFFER_OCTETS);
    in->gzip = gzip;
    return fopencookie(gzip, "rb", (cookie_io_functions_t){.read = gzip_read, .close = gzip_close});
}

static int open_pcapng(struct gi_input *in, FILE *file)
{
    const char *wrong = gi_pcapng_open(&in->ng, file);
    if (!wrong)
        return 0;
    fclose(file);
    in->gzip = NULL;
    return say(in, wrong);
}

int gi_input_open_file(struct gi_input *in, FILE *file)
{
    char reason[PCAP_ERRBUF_SIZE], text[GI_INPUT_ERROR_OCTETS];
    in->is_broken = false;
    if (gi_pcapng_is_next(file))
        return open_pcapng(in, file);
    in->pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, reason);
    if (!in->pcap) {
        fclose(file);
        in->gzip = NULL;
        return say(in, reason);
    }
    in->link_type = pcap_datalink(in->pcap);
    if (gi_frame_is_known(in->link_type))
        return 0;
    snprintf(text, sizeof(text), "link type %d; captures are read of: %s", in->link_type, gi_frame_links());
    gi_input_close(in);
    return say(in, text);
}

int gi_input_open(struct gi_input *in, const char *path)
{
    FILE *file = open_gzip(in, path);
    if (!file) {
        in->gzip = NULL;
        return say(in, "cannot be opened");
    }
    setvbuf(file, NULL, _IOFBF, BUFFER_OCTETS);
    return gi_input_open_file(in, file);
}

void gi_input_close(struct gi_input *in)
{
    if (in->pcap)
        pcap_close(in->pcap);
    if (in->ng.file)
        fclose(in->ng.file);
    gi_pcapng_fini(&in->ng);
    in->pcap = NULL;
    in->gzip = NULL;
}

/* libpcap extends the sign of pcap's 32 bits of seconds; pcapng's 64 bits may say anything. */
static int64_t time_ns(const struct pcap_pkthdr *header)
{
    int64_t seconds = header->ts.tv_sec;
    if (seconds < 0 && seconds >= INT32_MIN)
        seconds = (uint32_t)seconds;
    seconds = moment_max(0, moment_min(seconds, LAST_SECOND));
    int64_t rest_ns = moment_max(0, moment_min(header->ts.tv_usec, MOMENT_SECOND));
    return seconds * MOMENT_SECOND + rest_ns;
}

/* Times are at least 0; leapt_ns is what a frame's time was ahead of the one it was given. */
static int64_t keep_time(struct gi_input *in, int64_t at_ns)
{
    struct gi_input_counts *c = &in->counts;
    __int128_t gap_ns = (__int128_t)at_ns - in->leapt_ns - c->last_ns;
    if (c->frames == 1) {
        c->first_ns = c->last_ns = at_ns;
    } else if (gap_ns > (int64_t)DAY_NS || gap_ns < -(int64_t)MOMENT_SECOND) {
        c->last_ns = moment_add(c->last_ns, gap_ns > 0 ? DAY_NS : 0);
        in->leapt_ns = at_ns - c->last_ns;
        c->clock_steps++;
    } else if (gap_ns < 0) {
        c->clock_steps++;
    } else {
        c->last_ns = moment_add(c->last_ns, (int64_t)gap_ns);
    }
    return c->last_ns;
}

/* A gzip stream that breaks off between two frames looks like an end to libpcap. */
static bool is_gzip_broken(struct gi_input *in)
{
    int code = Z_OK;
    const char *text = in->gzip ? gzerror(in->gzip, &code) : "";
    if (code == Z_OK || code == Z_STREAM_END)
        return false;
    say(in, text);
    return true;
}

/* 1, 0 at the end, -1 with the reason in error. */
static int next_of_pcap(struct gi_input *in, struct gi_frame *frame)
{
    struct pcap_pkthdr *header;
    int rc = pcap_next_ex(in->pcap, &header, &frame->bytes);
    if (rc != 1) {
        say(in, rc == PCAP_ERROR ? pcap_geterr(in->pcap) : "");
        return rc == PCAP_ERROR ? -1 : 0;
    }
    frame->captured = header->caplen;
    frame->wire_octets = header->len;
    frame->at_ns = time_ns(header);
    return 1;
}

static int next_of_pcapng(struct gi_input *in, struct gi_frame *frame)
{
    struct gi_pcapng_packet packet;
    const char *reason;
    int rc = gi_pcapng_next(&in->ng, &packet, &reason);
    if (rc != 1) {
        say(in, rc < 0 ? reason : "");
        return rc;
    }
    frame->bytes = packet.bytes;
    frame->captured = packet.captured;
    frame->wire_octets = packet.wire_octets;
    frame->at_ns = packet.at_ns;
    in->link_type = packet.link_type == LINKTYPE_RAW_IP ? DLT_RAW : packet.link_type;
    in->counts.unknown_links += !gi_frame_is_known(in->link_type);
    return 1;
}

bool gi_input_next(struct gi_input *in, struct gi_frame *frame)
{
    int rc = in->pcap ? next_of_pcap(in, frame) : next_of_pcapng(in, frame);
    if (rc != 1) {
        in->is_broken = rc < 0;
        in->is_broken |= is_gzip_broken(in);
        return false;
    }
    in->counts.frames++;
    in->counts.cut_short += frame->captured < frame->wire_octets;
    if (frame->wire_octets < frame->captured)
        frame->wire_octets = frame->captured;
    in->counts.octets += frame->wire_octets;
    frame->at_ns = keep_time(in, frame->at_ns);
    return true;
}

int gi_input_percent(const struct gi_input *in)
{
    z_off_t at = in->gzip ? gzoffset(in->gzip) : -1;
    return in->file_octets > 0 && at >= 0 ? (int)(at * 100 / in->file_octets) : -1;
}
