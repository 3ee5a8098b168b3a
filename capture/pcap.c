/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/pcap.h"

#include "dataplane/base/moment.h"

#include <pcap/pcap.h>

_Static_assert(CAPTURE_PCAP_REASON == PCAP_ERRBUF_SIZE, "libpcap's texts fit");

const char *capture_pcap_open(struct capture_pcap *p, FILE *file)
{
    p->pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, p->reason);
    if (!p->pcap)
        return p->reason;
    p->link_type = pcap_datalink(p->pcap);
    return NULL;
}

uint64_t capture_pcap_at(const struct capture_pcap *p)
{
    off_t at = ftello(pcap_file(p->pcap));
    return at > 0 ? (uint64_t)at : 0;
}

void capture_pcap_close(struct capture_pcap *p)
{
    if (p->pcap)
        pcap_close(p->pcap);
    p->pcap = NULL;
}

/* pcap has unsigned 32-bit seconds, and libpcap extends their sign. The nanoseconds may be out of range. */
static int64_t time_ns(const struct pcap_pkthdr *header)
{
    int64_t seconds = (uint32_t)header->ts.tv_sec;
    int64_t rest_ns = moment_max(0, moment_min(header->ts.tv_usec, MOMENT_SECOND));
    return seconds * MOMENT_SECOND + rest_ns;
}

int capture_pcap_next(struct capture_pcap *p, struct capture_frame *out, const char **error)
{
    struct pcap_pkthdr *header;
    int rc = pcap_next_ex(p->pcap, &header, &out->bytes);
    if (rc != 1) {
        *error = rc == PCAP_ERROR ? pcap_geterr(p->pcap) : NULL;
        return *error ? -1 : 0;
    }
    out->captured = header->caplen;
    out->wire_octets = header->len;
    out->at_ns = time_ns(header);
    out->link_type = p->link_type;
    return 1;
}
