/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/capture.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SLL_OCTETS      16
#define SLL_TYPE_OFFSET 14
#define LAST_SECOND     INT64_C(8000000000) /* in the year 2223; leaves room above in nanoseconds of 64 bits */

static int64_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
}

int capture_open(struct capture *c, const char *path)
{
    char reason[PCAP_ERRBUF_SIZE];
    *c = (struct capture){.last_ns = INT64_MIN, .file_octets = size_of(path)};
    c->pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, reason);
    if (!c->pcap) {
        snprintf(c->error, sizeof(c->error), "%s", reason);
        return -1;
    }
    c->link_type = pcap_datalink(c->pcap);
    if (c->link_type == DLT_EN10MB || c->link_type == DLT_RAW || c->link_type == DLT_LINUX_SLL)
        return 0;
    snprintf(c->error, sizeof(c->error),
             "link type %d: only Ethernet, raw IP and Linux cooked captures are read", c->link_type);
    capture_close(c);
    return -1;
}

void capture_close(struct capture *c)
{
    if (c->pcap)
        pcap_close(c->pcap);
    c->pcap = NULL;
}

/* Puts an Ethernet header in front of what the capture has instead of one. */
static void make_ethernet(struct capture *c, struct capture_frame *frame)
{
    size_t skip = c->link_type == DLT_LINUX_SLL ? SLL_OCTETS : 0;
    struct ether ether = {.type = ETHER_TYPE_IPV4};

    if (frame->octets < skip || frame->octets - skip > CAPTURE_MAX_OCTETS - ETHER_OCTETS) {
        frame->octets = 0;
        return;
    }
    if (skip)
        ether.type = bytes_get_u16(frame->bytes + SLL_TYPE_OFFSET);
    else if (frame->octets > 0 && frame->bytes[0] >> 4 == 6)
        ether.type = 0x86dd;
    ether_encode(c->made, ETHER_OCTETS, &ether);
    memcpy(c->made + ETHER_OCTETS, frame->bytes + skip, frame->octets - skip);
    frame->bytes = c->made;
    frame->octets += ETHER_OCTETS - skip;
}

/* pcap's 32 bits of seconds are unsigned and libpcap extends their sign; pcapng's 64 bits may say anything.
 */
static int64_t time_ns(const struct pcap_pkthdr *header)
{
    int64_t seconds = header->ts.tv_sec;
    if (seconds < 0 && seconds >= INT32_MIN)
        seconds = (uint32_t)seconds;
    seconds = moment_max(0, moment_min(seconds, LAST_SECOND));
    return seconds * MOMENT_SECOND + header->ts.tv_usec; /* nanoseconds, as asked for */
}

/*
 * Time neither goes back nor leaps. A frame from before the last one is taken to be as old as that. A leap
 * further than any silence, either way, is a clock that was set: later frames keep their distances to this
 * one.
 */
static void keep_time(struct capture *c, struct capture_frame *frame)
{
    frame->at_ns -= c->leapt_ns;
    int64_t gap_ns = c->frames > 1 ? frame->at_ns - c->last_ns : 0;
    if (gap_ns > CAPTURE_MAX_GAP_NS || gap_ns < -CAPTURE_MAX_GAP_NS) {
        int64_t kept_ns = gap_ns > 0 ? CAPTURE_MAX_GAP_NS : 0;
        c->leapt_ns += gap_ns - kept_ns;
        frame->at_ns = c->last_ns + kept_ns;
        c->clock_steps++;
    } else if (gap_ns < 0) {
        frame->at_ns = c->last_ns;
        c->clock_steps++;
    }
    c->last_ns = frame->at_ns;
}

bool capture_next(struct capture *c, struct capture_frame *frame)
{
    struct pcap_pkthdr *header;
    int rc = pcap_next_ex(c->pcap, &header, &frame->bytes);

    if (rc != 1) {
        c->is_broken = rc == PCAP_ERROR;
        snprintf(c->error, sizeof(c->error), "%s", c->is_broken ? pcap_geterr(c->pcap) : "");
        return false;
    }
    frame->octets = header->caplen;
    frame->at_ns = time_ns(header);
    c->frames++;
    c->cut_short += header->caplen < header->len;
    keep_time(c, frame);
    if (c->link_type != DLT_EN10MB)
        make_ethernet(c, frame);
    return true;
}

int capture_percent(const struct capture *c)
{
    FILE *file = c->pcap ? pcap_file(c->pcap) : NULL;
    long at = file ? ftell(file) : -1;
    return c->file_octets > 0 && at >= 0 ? (int)(at * 100 / c->file_octets) : -1;
}
