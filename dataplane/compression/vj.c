/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/compression/vj.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"

#include <stdbool.h>
#include <string.h>

/* Change mask of VJ_COMPRESSED. */
enum { U = 1, W = 2, A = 4, S = 8, P = 16, I = 32, C = 64 };
enum { SAWU = S | A | W | U, ECHOED = S | W | U, ONE_WAY = SAWU };

enum { LINE_OCTETS = 64, MOST_OCTETS = 65535, PLAIN_OCTETS = IPV4_OCTETS + TCP_OCTETS /* without options */ };

/* Offsets in an IPv4 header. */
enum {
    IP_LENGTH_AT = 2,
    IP_ID_AT = 4,
    IP_FRAGMENT_AT = 6,
    IP_TTL_AT = 8,
    IP_PROTO_AT = 9,
    IP_CHECKSUM_AT = 10,
    IP_SRC_AT = 12
};
/* Offsets in a TCP header. */
enum { TCP_SEQ_AT = 4, TCP_ACK_AT = 8, TCP_OFFSET_AT = 12, TCP_FLAGS_AT = 13, TCP_URGENT_AT = 18 };

static size_t whole(size_t octets, size_t of)
{
    return (octets + of - 1) / of * of;
}

/* Compressor. */

/* A cache line. */
struct sent {
    uint8_t header[VJ_SENT_HEADER_OCTETS]; /* of the last packet, IP without options */
    uint8_t octets;                        /* 0: the next packet is VJ_UNCOMPRESSED */
    uint8_t unused[3];
};

/*
 * Places go from the slot used last to the one used first. In memory: this struct, the tags of the places,
 * their slots, both filled up to 8; then, in whole cache lines, the slots.
 */
struct vj_compressor {
    uint16_t slots;
    uint16_t places; /* slots filled up to 8 */
    uint8_t unused[4];
    uint8_t tags[]; /* hash of a connection */
};

static size_t sent_at(unsigned slots)
{
    return whole(sizeof(struct vj_compressor) + 2 * whole(slots, 8), LINE_OCTETS);
}

static uint8_t *slots_of(struct vj_compressor *c)
{
    return c->tags + c->places;
}

static struct sent *sent_of(struct vj_compressor *c, unsigned slot)
{
    return (struct sent *)((uint8_t *)c + sent_at(c->slots)) + slot;
}

size_t vj_compressor_octets(unsigned slots)
{
    return sent_at(slots) + slots * sizeof(struct sent);
}

void vj_compressor_start(struct vj_compressor *c, unsigned slots)
{
    memset(c, 0, vj_compressor_octets(slots));
    c->slots = (uint16_t)slots;
    c->places = (uint16_t)whole(slots, 8);
    for (unsigned i = 0; i < slots; i++)
        slots_of(c)[i] = (uint8_t)(slots - 1 - i);
}

unsigned vj_last_slot(const struct vj_compressor *c)
{
    return c->tags[c->places];
}

void vj_prefetch(const struct vj_compressor *c)
{
    __builtin_prefetch((const uint8_t *)c + sent_at(c->slots) + vj_last_slot(c) * sizeof(struct sent), 1);
}

void vj_refresh_slot(struct vj_compressor *c, unsigned slot)
{
    if (slot < c->slots)
        sent_of(c, slot)->octets = 0;
}

void vj_refresh(struct vj_compressor *c)
{
    for (unsigned slot = 0; slot < c->slots; slot++)
        sent_of(c, slot)->octets = 0;
}

/* Octets of both headers; 0: this packet is VJ_IP. */
static unsigned header_octets_of(const uint8_t *packet, unsigned octets)
{
    if (octets < PLAIN_OCTETS || packet[0] != 0x45 || packet[IP_PROTO_AT] != IPV4_PROTO_TCP ||
        bytes_get_u16(packet + IP_LENGTH_AT) != octets || bytes_get_u16(packet + IP_FRAGMENT_AT) & 0x3fff)
        return 0;
    const uint8_t *tcp = packet + IPV4_OCTETS;
    unsigned tcp_octets = 4U * (tcp[TCP_OFFSET_AT] >> 4),
             most = octets < VJ_SENT_HEADER_OCTETS ? octets : VJ_SENT_HEADER_OCTETS;
    if (tcp_octets < TCP_OCTETS || IPV4_OCTETS + tcp_octets > most ||
        (tcp[TCP_FLAGS_AT] & (TCP_ACK | TCP_FIN | TCP_SYN | TCP_RST)) != TCP_ACK ||
        !ipv4_is_checksum_good(packet, IPV4_OCTETS))
        return 0;
    return IPV4_OCTETS + tcp_octets;
}

/* Both addresses and both ports, which follow one another. */
struct key {
    uint64_t addresses;
    uint32_t ports;
};

static struct key key_of(const uint8_t *header)
{
    struct key key;
    memcpy(&key.addresses, header + IP_SRC_AT, sizeof(key.addresses));
    memcpy(&key.ports, header + IPV4_OCTETS, sizeof(key.ports));
    return key;
}

static uint8_t tag_of(const struct key *key)
{
    return (uint8_t)((key->addresses ^ (uint64_t)key->ports << 16) * 0x9e3779b97f4a7c15 >> 56);
}

/* The place moves to the front. */
static struct sent *use(struct vj_compressor *c, unsigned place, uint8_t tag)
{
    uint8_t *slots = slots_of(c), slot = slots[place];
    if (place > 0) {
        memmove(c->tags + 1, c->tags, place);
        memmove(slots + 1, slots, place);
        slots[0] = slot;
    }
    c->tags[0] = tag;
    return sent_of(c, slot);
}

/* The slot of a connection, or the one that is unused for longest; then its header is of another. */
static struct sent *find(struct vj_compressor *c, const uint8_t *packet)
{
    const struct key key = key_of(packet);
    const uint8_t tag = tag_of(&key);
    const uint64_t ones = 0x0101010101010101;
    for (unsigned from = 0; from < c->places; from += 8) {
        /* High bits of octets equal to the tag; some others may follow one of them, and their keys differ. */
        uint64_t tags;
        memcpy(&tags, c->tags + from, sizeof(tags));
        tags = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(tags) : tags) ^ ones * tag;
        for (uint64_t hits = (tags - ones) & ~tags & ones << 7; hits; hits &= hits - 1) {
            unsigned place = from + (unsigned)__builtin_ctzll(hits) / 8;
            if (place >= c->slots)
                break;
            struct key other = key_of(sent_of(c, slots_of(c)[place])->header);
            if (other.addresses == key.addresses && other.ports == key.ports)
                return use(c, place, tag);
        }
    }
    struct sent *oldest = use(c, c->slots - 1U, tag);
    oldest->octets = 0;
    return oldest;
}

/* The difference between two headers. */
struct change {
    uint16_t urgent, window, id;
    uint32_t ack, seq;
    unsigned mask;
};

/* Whether the fields are equal that VJ_COMPRESSED does not carry. */
static bool is_like(const struct sent *last, const uint8_t *packet, unsigned octets)
{
    const uint8_t *header = last->header, *tcp = packet + IPV4_OCTETS, *other = header + IPV4_OCTETS;
    /* Not the length and the ID. */
    uint64_t differs = (bytes_get_u64(header) ^ bytes_get_u64(packet)) & 0xffff00000000ffff;
    differs |= header[IP_TTL_AT] ^ packet[IP_TTL_AT] ^ 0U;
    differs |= other[TCP_OFFSET_AT] ^ tcp[TCP_OFFSET_AT] ^ 0U;
    differs |= (other[TCP_FLAGS_AT] ^ tcp[TCP_FLAGS_AT]) & ~(TCP_PSH | TCP_URG);
    if (!(tcp[TCP_FLAGS_AT] & TCP_URG))
        differs |= bytes_get_u16(other + TCP_URGENT_AT) ^ bytes_get_u16(tcp + TCP_URGENT_AT) ^ 0U;
    if (last->octets != octets || differs)
        return false;
    for (unsigned at = PLAIN_OCTETS; at < octets; at += 4)
        if (memcmp(header + at, packet + at, 4) != 0)
            return false;
    return true;
}

/* Decompressors by RFC 1144's appendix keep URG of the last packet where a change says nothing of it. */
static void abbreviate(struct change *change, const struct sent *last, unsigned last_data)
{
    const unsigned said = change->mask & SAWU;
    if (change->seq != last_data || last->header[IPV4_OCTETS + TCP_FLAGS_AT] & TCP_URG)
        return;
    if (said == S)
        change->mask |= ONE_WAY;
    else if (said == (S | A) && change->ack == last_data)
        change->mask = (change->mask & ~SAWU) | ECHOED;
}

/* Whether VJ_COMPRESSED can say it, and should. */
static bool can_say(const struct change *change, unsigned last_data, unsigned data)
{
    const unsigned said = change->mask & SAWU;
    if (said == ECHOED || said == ONE_WAY)
        return false;
    /* Data behind an acknowledgement are new; others of the last sequence number may be sent again. */
    if ((said & ~U) == 0)
        return last_data == 0 && data > 0;
    return said & S || last_data == 0 || data == 0;
}

/* False: the packet is VJ_UNCOMPRESSED. */
static bool set_change(struct change *change, const struct sent *last, const uint8_t *packet, unsigned octets)
{
    const uint8_t *tcp = packet + IPV4_OCTETS, *other = last->header + IPV4_OCTETS;
    const unsigned flags = tcp[TCP_FLAGS_AT], last_octets = bytes_get_u16(last->header + IP_LENGTH_AT);
    change->seq = bytes_get_u32(tcp + TCP_SEQ_AT) - bytes_get_u32(other + TCP_SEQ_AT);
    change->ack = bytes_get_u32(tcp + TCP_ACK_AT) - bytes_get_u32(other + TCP_ACK_AT);
    change->window = (uint16_t)(bytes_get_u16(tcp + TCP_WINDOW_AT) - bytes_get_u16(other + TCP_WINDOW_AT));
    change->id = (uint16_t)(bytes_get_u16(packet + IP_ID_AT) - bytes_get_u16(last->header + IP_ID_AT));
    change->urgent = bytes_get_u16(tcp + TCP_URGENT_AT);
    change->mask = (flags & TCP_URG ? U : 0) | (change->window ? W : 0) | (change->ack ? A : 0) |
                   (change->seq ? S : 0) | (flags & TCP_PSH ? P : 0) | (change->id != 1 ? I : 0) | C;
    /* The peer computes the checksum of IP, and never 0xffff. */
    if (change->seq > UINT16_MAX || change->ack > UINT16_MAX ||
        bytes_get_u16(packet + IP_CHECKSUM_AT) == 0xffff)
        return false;
    if (!can_say(change, last_octets - last->octets, octets - last->octets))
        return false;
    abbreviate(change, last, last_octets - last->octets);
    return true;
}

/* In front of `at`; returns where it begins. */
static uint8_t *put_number(uint8_t *at, unsigned number)
{
    if (number - 1 < UINT8_MAX) {
        *--at = (uint8_t)number;
        return at;
    }
    bytes_put_u16(at - 2, (uint16_t)number);
    at -= 3;
    *at = 0;
    return at;
}

/* From the data to the front; the new header is the shorter one. */
static uint8_t *put_change(uint8_t *data, const struct change *change, uint16_t checksum, uint8_t slot)
{
    const unsigned said = change->mask & SAWU;
    uint8_t *at = data;
    if (change->mask & I)
        at = put_number(at, change->id);
    if (said != ECHOED && said != ONE_WAY) {
        if (said & S)
            at = put_number(at, change->seq);
        if (said & A)
            at = put_number(at, change->ack);
        if (said & W)
            at = put_number(at, change->window);
        if (said & U)
            at = put_number(at, change->urgent);
    }
    bytes_put_u16(at - 2, checksum);
    at -= 4;
    at[0] = (uint8_t)change->mask;
    at[1] = slot;
    return at;
}

unsigned vj_compress(struct vj_compressor *c, uint8_t *packet, unsigned octets, enum vj_type *type)
{
    struct change change;
    const unsigned header_octets = header_octets_of(packet, octets);
    *type = VJ_IP;
    if (header_octets == 0)
        return 0;
    struct sent *last = find(c, packet);
    const bool is_change = is_like(last, packet, header_octets) && set_change(&change, last, packet, octets);
    const uint8_t slot = (uint8_t)vj_last_slot(c);
    memcpy(last->header, packet, PLAIN_OCTETS);
    if (is_change) {
        uint16_t checksum = bytes_get_u16(packet + IPV4_OCTETS + TCP_CHECKSUM_AT);
        *type = VJ_COMPRESSED;
        return (unsigned)(put_change(packet + header_octets, &change, checksum, slot) - packet);
    }
    memcpy(last->header + PLAIN_OCTETS, packet + PLAIN_OCTETS, header_octets - PLAIN_OCTETS);
    last->octets = (uint8_t)header_octets;
    packet[IP_PROTO_AT] = slot;
    *type = VJ_UNCOMPRESSED;
    return 0;
}

/* Decompressor. */

/* Two cache lines; most headers need the first one alone. */
struct taken {
    uint8_t octets;    /* 0: empty */
    uint8_t ip_octets; /* of them, those of IP */
    uint8_t unused[2];
    uint8_t header[VJ_TAKEN_HEADER_OCTETS]; /* of the last packet */
    uint8_t more_unused[4];
};

struct vj_decompressor {
    uint16_t slots;
    uint8_t last; /* the slot of a packet that names none */
    bool is_tossing;
    uint8_t unused[LINE_OCTETS - 4];
    struct taken taken[];
};

size_t vj_decompressor_octets(unsigned slots)
{
    return sizeof(struct vj_decompressor) + slots * sizeof(struct taken);
}

void vj_decompressor_start(struct vj_decompressor *d, unsigned slots)
{
    memset(d, 0, vj_decompressor_octets(slots));
    d->slots = (uint16_t)slots;
    d->is_tossing = true;
}

void vj_toss(struct vj_decompressor *d)
{
    d->is_tossing = true;
}

static int remember(struct vj_decompressor *d, uint8_t *packet, unsigned octets)
{
    struct ipv4 ip;
    if (octets < IPV4_OCTETS)
        return VJ_MALFORMED;
    const uint8_t slot = packet[IP_PROTO_AT];
    packet[0] &= 0x4f; /* some peers set the bits of RFC 1144's type */
    packet[IP_PROTO_AT] = IPV4_PROTO_TCP;
    if (slot >= d->slots)
        return VJ_NO_SLOT;
    if (ipv4_decode(&ip, packet, octets) < 0 || ipv4_is_fragment(&ip) || ip.payload_octets < TCP_OCTETS)
        return VJ_MALFORMED;
    const unsigned tcp_octets = 4U * (packet[ip.header_octets + TCP_OFFSET_AT] >> 4);
    if (tcp_octets < TCP_OCTETS || tcp_octets > ip.payload_octets)
        return VJ_MALFORMED;
    if (!ipv4_is_checksum_good(packet, ip.header_octets))
        return VJ_CHECKSUM;
    struct taken *taken = &d->taken[slot];
    taken->ip_octets = ip.header_octets;
    taken->octets = (uint8_t)(ip.header_octets + tcp_octets);
    memcpy(taken->header, packet, PLAIN_OCTETS);
    memcpy(taken->header + PLAIN_OCTETS, packet + PLAIN_OCTETS, taken->octets - PLAIN_OCTETS);
    d->last = slot;
    d->is_tossing = false;
    return 0;
}

/* Octets of a compressed header that are not read yet. */
struct rest {
    const uint8_t *at, *end;
    bool is_short;
};

static uint16_t take_number(struct rest *rest)
{
    const long left = rest->end - rest->at;
    if (left < 1 || (left < 3 && rest->at[0] == 0)) {
        rest->is_short = true;
        return 0;
    }
    if (rest->at[0] > 0)
        return *rest->at++;
    rest->at += 3;
    return bytes_get_u16(rest->at - 2);
}

static void take_change(struct change *change, struct rest *rest, unsigned last_data)
{
    const unsigned said = change->mask & SAWU;
    change->seq = change->ack = change->window = change->urgent = 0;
    if (said == ECHOED || said == ONE_WAY) {
        change->mask &= ~U;
        change->seq = last_data;
        change->ack = said == ECHOED ? last_data : 0;
    } else {
        if (said & U)
            change->urgent = take_number(rest);
        if (said & W)
            change->window = take_number(rest);
        if (said & A)
            change->ack = take_number(rest);
        if (said & S)
            change->seq = take_number(rest);
    }
    change->id = change->mask & I ? take_number(rest) : 1;
}

/* Fields of the headers that a change sets. */
struct fields {
    uint16_t total_octets, id, ip_checksum, window, tcp_checksum, urgent;
    uint32_t seq, ack;
    uint8_t flags;
};

/* Of the last header, whose checksum of IP is right, and of what changes. */
static struct fields fields_of(const struct taken *last, const struct change *change, uint16_t tcp_checksum,
                               unsigned total_octets)
{
    const uint8_t *ip = last->header, *tcp = ip + last->ip_octets;
    const uint16_t last_octets = bytes_get_u16(ip + IP_LENGTH_AT), last_id = bytes_get_u16(ip + IP_ID_AT);
    const uint16_t id = (uint16_t)(last_id + change->id);
    const uint32_t more = (uint16_t)~last_octets + total_octets + (uint16_t)~last_id + id;
    const unsigned flags = tcp[TCP_FLAGS_AT] & ~(unsigned)(TCP_PSH | TCP_URG);
    return (struct fields){
        .total_octets = (uint16_t)total_octets,
        .id = id,
        .ip_checksum = ipv4_checksum_add(bytes_get_u16(ip + IP_CHECKSUM_AT), more),
        .window = (uint16_t)(bytes_get_u16(tcp + TCP_WINDOW_AT) + change->window),
        .tcp_checksum = tcp_checksum,
        .urgent = change->mask & U ? change->urgent : bytes_get_u16(tcp + TCP_URGENT_AT),
        .seq = bytes_get_u32(tcp + TCP_SEQ_AT) + change->seq,
        .ack = bytes_get_u32(tcp + TCP_ACK_AT) + change->ack,
        .flags = (uint8_t)(flags | (change->mask & P ? TCP_PSH : 0) | (change->mask & U ? TCP_URG : 0)),
    };
}

static void put_fields(uint8_t *ip, uint8_t *tcp, const struct fields *fields)
{
    bytes_put_u16(ip + IP_LENGTH_AT, fields->total_octets);
    bytes_put_u16(ip + IP_ID_AT, fields->id);
    bytes_put_u16(ip + IP_CHECKSUM_AT, fields->ip_checksum);
    bytes_put_u32(tcp + TCP_SEQ_AT, fields->seq);
    bytes_put_u32(tcp + TCP_ACK_AT, fields->ack);
    tcp[TCP_FLAGS_AT] = fields->flags;
    bytes_put_u16(tcp + TCP_WINDOW_AT, fields->window);
    bytes_put_u16(tcp + TCP_CHECKSUM_AT, fields->tcp_checksum);
    bytes_put_u16(tcp + TCP_URGENT_AT, fields->urgent);
}

/* The slot of a packet behind its change mask, or enum vj_error. */
static int take_slot(struct vj_decompressor *d, unsigned mask, struct rest *rest)
{
    if (!(mask & C))
        return d->is_tossing ? VJ_TOSSED : d->last;
    if (rest->at == rest->end)
        return VJ_MALFORMED;
    unsigned slot = *rest->at++;
    if (slot >= d->slots)
        return VJ_NO_SLOT;
    if (d->taken[slot].octets == 0)
        return VJ_EMPTY_SLOT;
    d->last = (uint8_t)slot;
    d->is_tossing = false;
    return (int)slot;
}

static int restore(struct vj_decompressor *d, uint8_t *packet, unsigned octets, unsigned room)
{
    struct rest rest = {packet, packet + octets, false};
    if (octets == 0)
        return VJ_MALFORMED;
    struct change change = {.mask = *rest.at++};
    const int slot = take_slot(d, change.mask, &rest);
    if (slot < 0)
        return slot;
    if (rest.end - rest.at < 2)
        return VJ_MALFORMED;
    const uint16_t checksum = bytes_get_u16(rest.at);
    rest.at += 2;
    struct taken *taken = &d->taken[slot];
    take_change(&change, &rest, bytes_get_u16(taken->header + IP_LENGTH_AT) - taken->octets);
    if (rest.is_short)
        return VJ_MALFORMED;
    const unsigned total_octets = taken->octets + (unsigned)(rest.end - rest.at);
    if (total_octets > MOST_OCTETS)
        return VJ_TOO_LONG;
    const struct fields fields = fields_of(taken, &change, checksum, total_octets);
    /* The longest compressed header, 19 octets, is shorter than any other. */
    const bool has_room = total_octets - octets <= room;
    if (has_room) {
        /* Of the header before its fields are set: a load of octets just stored in pieces waits for them. */
        uint8_t *header = packet + octets - total_octets;
        memcpy(header, taken->header, PLAIN_OCTETS);
        memcpy(header + PLAIN_OCTETS, taken->header + PLAIN_OCTETS, taken->octets - PLAIN_OCTETS);
        put_fields(header, header + taken->ip_octets, &fields);
    }
    put_fields(taken->header, taken->header + taken->ip_octets, &fields);
    return has_room ? (int)(total_octets - octets) : VJ_NO_ROOM;
}

int vj_decompress(struct vj_decompressor *d, enum vj_type type, uint8_t *packet, unsigned octets,
                  unsigned room)
{
    int result = type == VJ_COMPRESSED     ? restore(d, packet, octets, room)
                 : type == VJ_UNCOMPRESSED ? remember(d, packet, octets)
                                           : VJ_MALFORMED;
    if (result < 0)
        d->is_tossing = true;
    return result;
}
