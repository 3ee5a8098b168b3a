/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/source.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/dlt.h>
#include <pcap/pcap.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BUFFER_OCTETS (1 << 18)

static ssize_t source_take(struct capture_source *s, void *to, size_t octets)
{
    if (s->gzip)
        return gzread(s->gzip, to, (unsigned)octets);
    size_t taken = octets < s->left ? octets : s->left;
    memcpy(to, s->next, taken);
    s->next += taken;
    s->left -= taken;
    return (ssize_t)taken;
}

static ssize_t give(void *cookie, char *to, size_t octets)
{
    struct capture_source *s = cookie;
    size_t ahead = s->head_octets - s->head_given;
    if (ahead > octets)
        ahead = octets;
    memcpy(to, s->head + s->head_given, ahead);
    s->head_given += (unsigned)ahead;
    ssize_t taken = ahead < octets ? source_take(s, to + ahead, octets - ahead) : 0;
    if (taken < 0 && ahead == 0)
        return -1;
    taken = (ssize_t)ahead + (taken > 0 ? taken : 0);
    s->given += (uint64_t)taken;
    return taken;
}

/* Only reports the offset in the stream. */
static int seek(void *cookie, off64_t *offset, int whence)
{
    const struct capture_source *s = cookie;
    if (whence != SEEK_CUR || *offset != 0) {
        errno = ESPIPE;
        return -1;
    }
    *offset = (off64_t)s->given;
    return 0;
}

static int source_end(void *cookie)
{
    struct capture_source *s = cookie;
    int rc = s->gzip ? gzclose_r(s->gzip) : Z_OK;
    s->gzip = NULL;
    return rc == Z_OK ? 0 : -1;
}

static FILE *source_begin(struct capture_source *s)
{
    ssize_t octets = source_take(s, s->head, CAPTURE_SOURCE_HEAD);
    s->head_octets = octets > 0 ? (unsigned)octets : 0;
    FILE *file =
        fopencookie(s, "rb", (cookie_io_functions_t){.read = give, .seek = seek, .close = source_end});
    if (!file)
        source_end(s);
    return file;
}

FILE *capture_source_open(struct capture_source *s, const char *path)
{
    struct stat st;
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    *s = (struct capture_source){0};
    if (fd < 0)
        return NULL;
    s->file_octets = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
    s->gzip = gzdopen(fd, "rb");
    if (!s->gzip) {
        close(fd);
        errno = ENOMEM;
        return NULL;
    }
    gzbuffer(s->gzip, BUFFER_OCTETS);
    return source_begin(s);
}

FILE *capture_source_open_memory(struct capture_source *s, const uint8_t *bytes, size_t octets)
{
    *s = (struct capture_source){.next = bytes, .left = octets};
    return source_begin(s);
}

/* zlib puts the file descriptor before its reason: "<fd:3>: invalid block type". */
const char *capture_source_error(const struct capture_source *s)
{
    int code = Z_OK;
    const char *text = s->gzip ? gzerror(s->gzip, &code) : "";
    if (code == Z_OK || code == Z_STREAM_END)
        return NULL;
    const char *reason = strstr(text, ">: ");
    return reason ? reason + 3 : text;
}

bool capture_source_is_gzip(const struct capture_source *s)
{
    return s->gzip && !gzdirect(s->gzip);
}

int capture_source_percent(const struct capture_source *s)
{
    z_off_t at = s->gzip ? gzoffset(s->gzip) : -1;
    return s->file_octets > 0 && at >= 0 ? (int)(at * 100 / s->file_octets) : -1;
}

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
    out->has_no_time = false;
    return 1;
}

#define SECTION     UINT32_C(0x0a0d0d0a)
#define ORDER       UINT32_C(0x1a2b3c4d)
#define LAST_SECOND INT64_C(8000000000) /* in the year 2223; 64 bits of nanoseconds have room above it */

enum { INTERFACE = 1, OLD_PACKET = 2, SIMPLE = 3, ENHANCED = 6 };
enum { FRAME_OCTETS = 12, HEAD_OCTETS = 8, SECTION_OCTETS = 28, INTERFACE_OCTETS = 20 };
enum { OPTION_RESOLUTION = 9, OPTION_OFFSET = 14 };
enum { LINKTYPE_RAW = 101 }; /* libpcap's DLT_RAW */

#define MICROSECONDS UINT64_C(1000000)

bool capture_pcapng_is(const uint8_t head[4])
{
    return bytes_get_u32(head) == SECTION;
}

void capture_pcapng_fini(struct capture_pcapng *p)
{
    free(p->block);
    p->block = NULL;
    p->file = NULL;
    p->room = p->interface_count = 0;
}

__attribute__((format(printf, 2, 3))) static bool source_fail(struct capture_pcapng *p, const char *format,
                                                              ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(p->reason, sizeof(p->reason), format, values);
    va_end(values);
    return false;
}

static uint32_t u32(const struct capture_pcapng *p, size_t at)
{
    uint32_t value = bytes_get_u32(p->block + at);
    return p->is_big ? value : __builtin_bswap32(value);
}

static uint16_t u16(const struct capture_pcapng *p, size_t at)
{
    uint16_t value = bytes_get_u16(p->block + at);
    return p->is_big ? value : __builtin_bswap16(value);
}

/* --- blocks --- */

static bool make_room(struct capture_pcapng *p, uint32_t octets)
{
    if (octets <= p->room)
        return true;
    uint8_t *block = realloc(p->block, octets);
    if (!block)
        return source_fail(p, "out of memory for a block of %u octets", octets);
    p->block = block;
    p->room = octets;
    return true;
}

/* The third word of a section header has the section's byte order. */
static bool learn_order(struct capture_pcapng *p)
{
    uint32_t order = bytes_get_u32(p->block + HEAD_OCTETS);
    p->is_big = order == ORDER;
    if (p->is_big || __builtin_bswap32(order) == ORDER)
        return true;
    return source_fail(p, "a section's byte-order magic is 0x%08x, not 0x1a2b3c4d in either byte order",
                       order);
}

static bool is_sound(struct capture_pcapng *p, uint32_t type, uint32_t octets)
{
    uint32_t least = type == SECTION ? SECTION_OCTETS : FRAME_OCTETS;
    if (octets >= least && octets % 4 == 0 && octets <= CAPTURE_PCAPNG_MOST_OCTETS)
        return true;
    return source_fail(p, "a block of type 0x%x has the length %u; a length is %u to %u, a multiple of 4",
                       type, octets, least, (unsigned)CAPTURE_PCAPNG_MOST_OCTETS);
}

/* Reads until the block has this number of octets in memory. */
static bool read_until(struct capture_pcapng *p, uint32_t octets, uint32_t *have)
{
    uint32_t wanted = octets - *have;
    uint32_t got = (uint32_t)fread(p->block + *have, 1, wanted, p->file);
    *have += got;
    p->next_at += got;
    return got == wanted || source_fail(p, "the file ends %u octets into a block of %u", *have, octets);
}

/* Reads a whole block. Returns its octets; 0: end of the file, or an error with a reason. */
static uint32_t read_block(struct capture_pcapng *p, uint32_t *type)
{
    uint32_t have = 0;
    p->at = p->next_at;
    if (!make_room(p, FRAME_OCTETS))
        return 0;
    if (!read_until(p, FRAME_OCTETS, &have)) {
        if (have == 0)
            p->reason[0] = '\0';
        return 0;
    }
    *type = u32(p, 0);
    if (*type == SECTION && !learn_order(p))
        return 0;
    uint32_t octets = u32(p, 4);
    if (!is_sound(p, *type, octets) || !make_room(p, octets) || !read_until(p, octets, &have))
        return 0;
    uint32_t again = u32(p, octets - 4);
    if (again != octets)
        source_fail(p, "a block has the length %u at its beginning and %u at its end", octets, again);
    return again == octets ? octets : 0;
}

const char *capture_pcapng_open(struct capture_pcapng *p, FILE *file)
{
    uint32_t type = 0;
    *p = (struct capture_pcapng){.file = file};
    if (read_block(p, &type) > 0 &&
        (type == SECTION || source_fail(p, "the first block is not a section header")))
        return NULL;
    return p->reason;
}

/* --- interfaces --- */

/* Units per second: a power of 10 or, with the top bit, of 2. A value that does not fit 64 bits counts as
 * microseconds. */
static uint64_t units_of(uint8_t resolution)
{
    uint64_t units = 1;
    if (resolution & 0x80)
        return (resolution & 0x7f) < 64 ? UINT64_C(1) << (resolution & 0x7f) : MICROSECONDS;
    if (resolution > 19)
        return MICROSECONDS;
    while (resolution--)
        units *= 10;
    return units;
}

static void read_option(const struct capture_pcapng *p, struct capture_pcapng_interface *out, size_t at)
{
    uint16_t code = u16(p, at), octets = u16(p, at + 2);
    if (code == OPTION_RESOLUTION && octets == 1)
        out->units = units_of(p->block[at + 4]);
    if (code != OPTION_OFFSET || octets != 8)
        return;
    uint64_t first = u32(p, at + 4), second = u32(p, at + 8);
    out->offset_s = (int64_t)(p->is_big ? first << 32 | second : second << 32 | first);
}

static void read_options(const struct capture_pcapng *p, struct capture_pcapng_interface *out, size_t end)
{
    size_t at = 16;
    while (at + 4 <= end && u16(p, at) != 0) {
        size_t next = at + 4 + (((size_t)u16(p, at + 2) + 3) & ~(size_t)3);
        if (next > end)
            break;
        read_option(p, out, at);
        at = next;
    }
}

static bool add_interface(struct capture_pcapng *p, uint32_t octets)
{
    if (octets < INTERFACE_OCTETS)
        return source_fail(p, "an interface's block has %u octets, less than 20", octets);
    if (p->interface_count == CAPTURE_PCAPNG_INTERFACES)
        return source_fail(p, "a section has more than 256 interfaces");
    struct capture_pcapng_interface *out = &p->interfaces[p->interface_count++];
    int link = u16(p, 8);
    *out = (struct capture_pcapng_interface){
        .link_type = link == LINKTYPE_RAW ? DLT_RAW : link, .snap_octets = u32(p, 12), .units = MICROSECONDS};
    read_options(p, out, octets - 4);
    return true;
}

/* --- packets --- */

static int64_t pcapng_time_ns(const struct capture_pcapng_interface *i, uint64_t stamp)
{
    int64_t whole_s = moment_min((int64_t)(stamp / i->units >> 1), LAST_SECOND) * 2 + (stamp / i->units & 1);
    int64_t offset_s = moment_max(-LAST_SECOND, moment_min(i->offset_s, LAST_SECOND));
    int64_t at_s = moment_max(0, moment_min(whole_s + offset_s, LAST_SECOND));
    __uint128_t rest = (__uint128_t)(stamp % i->units) * MOMENT_SECOND / i->units;
    return at_s * MOMENT_SECOND + (int64_t)rest;
}

/* A packet block: its interface, and the offsets of its timestamp, lengths and data. */
struct place {
    uint32_t interface;
    size_t stamp, lengths, data; /* stamp 0: the block has no timestamp */
};

static bool find_interface(struct capture_pcapng *p, struct place *at, uint32_t type, uint32_t octets)
{
    if (octets < at->data + 4)
        return source_fail(p, "a packet's block has %u octets, less than %zu", octets, at->data + 4);
    if (type != SIMPLE)
        at->interface = type == ENHANCED ? u32(p, 8) : u16(p, 8);
    return at->interface < p->interface_count ||
           source_fail(p, "a packet has interface %u, but only %u interfaces are described before it",
                       at->interface, p->interface_count);
}

static bool read_packet(struct capture_pcapng *p, uint32_t type, uint32_t octets, struct capture_frame *out)
{
    struct place at = type == SIMPLE ? (struct place){.lengths = 8, .data = 12}
                                     : (struct place){.stamp = 12, .lengths = 20, .data = 28};
    if (!find_interface(p, &at, type, octets))
        return false;
    const struct capture_pcapng_interface *interface = &p->interfaces[at.interface];
    uint32_t room = octets - (uint32_t)at.data - 4, snap = interface->snap_octets;
    uint32_t captured = u32(p, at.lengths);
    out->wire_octets = at.stamp ? u32(p, at.lengths + 4) : captured;
    if (!at.stamp && snap && captured > snap)
        captured = snap;
    if (captured > room)
        return source_fail(p, "a packet has the captured length %u, in a block with room for %u octets",
                           captured, room);
    if (at.stamp)
        p->last_ns = pcapng_time_ns(interface, (uint64_t)u32(p, at.stamp) << 32 | u32(p, at.stamp + 4));
    out->captured = captured;
    out->bytes = p->block + at.data;
    out->link_type = interface->link_type;
    out->at_ns = p->last_ns;
    out->has_no_time = at.stamp == 0;
    return true;
}

/* 1: a packet; 0: another block; -1: an error with a reason. */
static int take_block(struct capture_pcapng *p, uint32_t type, uint32_t octets, struct capture_frame *out)
{
    switch (type) {
    case SECTION:
        p->interface_count = 0;
        return 0;
    case INTERFACE:
        return add_interface(p, octets) ? 0 : -1;
    case OLD_PACKET:
    case SIMPLE:
    case ENHANCED:
        return read_packet(p, type, octets, out) ? 1 : -1;
    default:
        return 0;
    }
}

int capture_pcapng_next(struct capture_pcapng *p, struct capture_frame *out, const char **error)
{
    uint32_t type, octets;
    int rc = 0;
    while (rc == 0 && (octets = read_block(p, &type)) > 0)
        rc = take_block(p, type, octets, out);
    if (rc == 1)
        return 1;
    *error = p->reason[0] ? p->reason : NULL;
    return *error ? -1 : 0;
}
