/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Neighbours on both ports with sequences of frames, next hops and time. What a frame may cause: at most one
 * reply, hardly longer than itself, to an address that is in it; another MAC address of an entry, if the
 * frame has both the entry's IP address and that MAC address, IPv4 by ARP and IPv6 by Neighbour Discovery.
 * Entries are those that were wanted and not forgotten, static ones, which never change, and those of
 * neighbours that asked for an address of the port, which causes nothing until they are wanted.
 */
#include "control/links/neighbour.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ipv4.h"
#include "tests/fuzz/fuzz.h"

enum {
    PORTS = 2,
    IPS = 12, /* the last two are static entries of each port; IPv6 from here on: */
    FIRST_IPV6 = 6,
    FIRST_STATIC = 10,
    OWN = 2,
    FRAME = 1600,
    STEPS = 64,
    LONGER = 8, /* an advertisement has an option that its solicitation may lack */
    SHORTEST = 60
};

struct port {
    struct neighbour n;
    bool wanted[IPS];
    struct neighbour_entry statics[IPS];
};

static struct port ports[PORTS];
static int64_t now;

/* The frame that is being received; NULL: another input. */
static const uint8_t *heard;
static size_t heard_octets;
static unsigned replies;

static const uint8_t static_mac[6] = {2, 0, 0, 0, 9, 9};

/* Number IPS and above: the port's own addresses, IPv4 first. */
static struct neighbour_ip address_of(unsigned number)
{
    uint8_t v6[16] = {0xfd, 0, [15] = (uint8_t)(number + 1)};
    bool is_v4 = number < FIRST_IPV6 || number == FIRST_STATIC || number == IPS;
    return is_v4 ? neighbour_ip_v4(0xc0000200 + number + 1) : neighbour_ip_v6(v6);
}

/* --- the model --- */

static bool is_in_frame(const void *octets, size_t count)
{
    for (size_t at = 0; at + count <= heard_octets; at++)
        if (memcmp(heard + at, octets, count) == 0)
            return true;
    return false;
}

/* Behind at most one tag. */
static unsigned heard_type(void)
{
    unsigned type = heard_octets >= 14 ? bytes_get_u16(heard + 12) : 0;
    return type == 0x8100 && heard_octets >= 18 ? bytes_get_u16(heard + 16) : type;
}

static void on_send(void *arg, const uint8_t *frame, size_t octets)
{
    const struct port *port = arg;
    FUZZ_CHECK(octets >= SHORTEST && octets <= 1518 && memcmp(frame + 6, port->n.mac, 6) == 0);
    if (!heard)
        return;
    size_t most = heard_octets + LONGER < SHORTEST ? SHORTEST : heard_octets + LONGER;
    FUZZ_CHECK(++replies == 1 && octets <= most);
    FUZZ_CHECK((frame[0] == 0x33 && frame[1] == 0x33) || (!(frame[0] & 1) && is_in_frame(frame, 6)));
}

static void on_tell(void *unused_arg, const struct neighbour_entry *entry)
{
    FUZZ_CHECK(!entry->has_mac || !(entry->mac[0] & 1));
    if (!heard)
        return;
    bool is_v4 = neighbour_ip_is_v4(&entry->ip);
    FUZZ_CHECK(entry->state == NEIGHBOUR_KNOWN && entry->has_mac && is_in_frame(entry->mac, 6));
    FUZZ_CHECK(heard_type() == (is_v4 ? 0x0806 : 0x86dd));
    FUZZ_CHECK(is_in_frame(entry->ip.octets + (is_v4 ? 12 : 0), is_v4 ? 4 : 16));
}

static const struct neighbour_entry *entry_of(const struct port *port, unsigned number)
{
    const struct neighbour_entry *found = NULL;
    struct neighbour_ip ip = address_of(number);
    for (unsigned i = 0; i < port->n.entry_count; i++) {
        if (!neighbour_ip_is_same(&port->n.entries[i].ip, &ip))
            continue;
        FUZZ_CHECK(!found);
        found = &port->n.entries[i];
    }
    return found;
}

static void check_port(const struct port *port)
{
    unsigned count = IPS - FIRST_STATIC, heard_count = 0;
    for (unsigned i = 0; i < port->n.entry_count; i++)
        heard_count += port->n.entries[i].state == NEIGHBOUR_HEARD;
    for (unsigned i = 0; i < IPS; i++) {
        const struct neighbour_entry *entry = entry_of(port, i);
        bool is_there = entry && entry->state != NEIGHBOUR_HEARD;
        FUZZ_CHECK(is_there == (port->wanted[i] || i >= FIRST_STATIC));
        FUZZ_CHECK(i < FIRST_STATIC ||
                   (entry->state == NEIGHBOUR_STATIC && memcmp(entry->mac, static_mac, 6) == 0));
        FUZZ_CHECK(!entry || (entry->state != NEIGHBOUR_KNOWN && entry->state != NEIGHBOUR_HEARD) ||
                   entry->has_mac);
        count += i < FIRST_STATIC && port->wanted[i];
    }
    FUZZ_CHECK(port->n.heard_count == heard_count && port->n.entry_count == count + heard_count);
    FUZZ_CHECK(port->n.address_count == OWN);
}

/* --- frames --- */

static size_t put_ether(uint8_t *frame, unsigned type, const uint8_t *src)
{
    memset(frame, 0xff, 6);
    memcpy(frame + 6, src, 6);
    bytes_put_u16(frame + 12, (uint16_t)type);
    return 14;
}

/* Request or reply between any two of the addresses. */
static size_t put_arp(uint8_t *frame, struct fuzz_input *in, const uint8_t *src)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    struct neighbour_ip sender = address_of((what & 7) % FIRST_IPV6), target = address_of(IPS);
    uint8_t *at = frame + put_ether(frame, 0x0806, src);
    if (what & 0x40)
        sender = address_of(FIRST_STATIC);
    bytes_put_u32(at, 0x00010800);
    bytes_put_u32(at + 4, 0x06040000 | (what & 0x80 ? 1 : 2));
    memcpy(at + 8, src, 6);
    memcpy(at + 14, sender.octets + 12, 4);
    memset(at + 18, 0, 6);
    memcpy(at + 24, (what & 0x20 ? sender : target).octets + 12, 4);
    return 14 + 28;
}

/* Type of ICMP or ICMPv6 in front, its checksum made right. */
static void finish_ip6(uint8_t *at, size_t octets)
{
    uint8_t all[40 + FRAME] = {0};
    memcpy(all, at + 8, 32);
    bytes_put_u32(all + 32, (uint32_t)octets);
    all[39] = 58;
    bytes_put_u16(at + 4, (uint16_t)octets);
    bytes_put_u16(at + 42, 0);
    memcpy(all + 40, at + 40, octets);
    bytes_put_u16(at + 42, ipv4_checksum(all, 40 + octets));
}

/* A source of any address, or an IPv4 address in the form of IPv6. */
static size_t put_ip6(uint8_t *frame, struct fuzz_input *in, const uint8_t *src)
{
    static const uint8_t types[] = {135, 136, 128, 135};
    unsigned what = (unsigned)fuzz_take(in, 1), more = (unsigned)fuzz_take(in, 1);
    struct neighbour_ip source = address_of(more % IPS),
                        target = address_of(more & 0x80 ? more / 8 % IPS : IPS + 1);
    uint8_t *at = frame + put_ether(frame, 0x86dd, src);
    size_t octets = 8 + (what & 0x10 ? 16 : 0) + (what & 0x20 ? 8 : 0);
    memset(at, 0, 40 + 32);
    at[0] = 0x60;
    at[6] = 58;
    at[7] = what & 8 ? 64 : 255;
    if (!(what & 0x80))
        memcpy(at + 8, source.octets, 16);
    memcpy(at + 24, target.octets, 16);
    at[40] = types[what & 3];
    memcpy(at + 48, (what & 4 ? source : target).octets, 16);
    at[64] = what & 1 ? 2 : 1;
    at[65] = 1;
    memcpy(at + 66, src, 6);
    finish_ip6(at, octets);
    return 14 + 40 + octets;
}

static size_t put_echo(uint8_t *frame, struct fuzz_input *in, const uint8_t *src)
{
    size_t octets;
    unsigned what = (unsigned)fuzz_take(in, 1);
    const uint8_t *block = fuzz_take_block(in, what & 0x3f, &octets);
    struct neighbour_ip source = address_of(what & 0x40 ? IPS : 0), target = address_of(IPS);
    uint8_t *at = frame + put_ether(frame, 0x0800, src);
    struct ipv4 ip = {.src = neighbour_ip_to_v4(&source),
                      .dst = neighbour_ip_to_v4(&target),
                      .ttl = 9,
                      .proto = 1,
                      .payload_octets = (uint16_t)(8 + octets)};
    at += ipv4_encode(at, IPV4_OCTETS, &ip);
    memset(at, 0, 8);
    at[0] = what & 0x80 ? 0 : 8;
    memcpy(at + 8, block, octets);
    bytes_put_u16(at + 2, ipv4_checksum(at, 8 + octets));
    return 14 + IPV4_OCTETS + 8 + octets;
}

static size_t put_raw(uint8_t *frame, struct fuzz_input *in, const uint8_t *unused_src)
{
    size_t octets;
    const uint8_t *block = fuzz_take_block(in, (size_t)fuzz_take(in, 1), &octets);
    memcpy(frame, block, octets);
    return octets;
}

static void receive(struct port *port, const uint8_t *frame, size_t octets)
{
    uint64_t ignored = port->n.ignored, answered = port->n.arp_answers + port->n.echo_answers;
    uint8_t *copy = fuzz_copy(frame, octets);
    heard = copy;
    heard_octets = octets;
    replies = 0;
    neighbour_receive(&port->n, copy, octets, now);
    heard = NULL;
    free(copy);
    answered = port->n.arp_answers + port->n.echo_answers - answered;
    FUZZ_CHECK(answered == replies && (port->n.ignored - ignored) + replies == 1);
}

/* From a MAC address of one, of several neighbours, or of a group; an octet may be another, the end may be
 * missing. */
static void give_frame(struct fuzz_input *in, struct port *port)
{
    static size_t (*const puts[])(uint8_t *, struct fuzz_input *, const uint8_t *) = {put_arp, put_ip6,
                                                                                      put_echo, put_raw};
    uint8_t frame[FRAME] = {0}, src[6] = {2, 0, 0, 0, 1, 0};
    unsigned what = (unsigned)fuzz_take(in, 1);
    src[5] = (uint8_t)(what >> 2 & 7);
    src[0] = what & 0x20 ? 3 : 2;
    size_t octets = puts[what & 3](frame, in, src);
    if (what & 0x40 && octets > 0)
        fuzz_spoil(in, frame, octets);
    if (what & 0x80)
        octets -= fuzz_take(in, 1) % (octets + 1);
    receive(port, frame, octets);
}

/* --- next hops and time --- */

static void want(struct fuzz_input *in, struct port *port)
{
    unsigned what = (unsigned)fuzz_take(in, 1), number = what % FIRST_STATIC;
    struct neighbour_ip ip = address_of(number);
    if (what & 0x80)
        neighbour_forget(&port->n, &ip);
    else
        FUZZ_CHECK(neighbour_want(&port->n, &ip, now));
    port->wanted[number] = !(what & 0x80);
}

/* After a step, nothing is due. */
static void wait(struct fuzz_input *in, struct port *port)
{
    int64_t until = now + (INT64_C(1000000) << fuzz_take(in, 1) % 17), next_ns = now;
    for (unsigned i = 0; i < STEPS && next_ns <= until; i++) {
        now = next_ns > now ? next_ns : now;
        next_ns = neighbour_step(&port->n, now);
        FUZZ_CHECK(next_ns > now);
    }
    now = next_ns > until ? until : now;
}

static void start(struct port *port, unsigned number)
{
    const uint8_t mac[6] = {2, 0, 0, 0, 0, (uint8_t)number};
    const struct neighbour_ops ops = {.arg = port, .send = on_send, .tell = on_tell};
    *port = (struct port){.wanted = {false}};
    neighbour_init(&port->n, mac, &ops);
    for (unsigned i = IPS; i < IPS + OWN; i++) {
        struct neighbour_ip own = address_of(i);
        FUZZ_CHECK(neighbour_add_own(&port->n, &own));
    }
    for (unsigned i = FIRST_STATIC; i < IPS; i++) {
        struct neighbour_ip ip = address_of(i);
        FUZZ_CHECK(neighbour_set(&port->n, &ip, static_mac));
    }
    neighbour_announce(&port->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static void (*const inputs[])(struct fuzz_input *, struct port *) = {give_frame, give_frame, want, wait};
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    now = 0;
    heard = NULL;
    for (unsigned i = 0; i < PORTS; i++)
        start(&ports[i], i);
    for (; input.left > 0; steps++) {
        unsigned what = (unsigned)fuzz_take(&input, 1);
        struct port *port = &ports[what >> 2 & 1];
        inputs[what & 3](&input, port);
        check_port(port);
    }
    fuzz_count_sequence(steps);
    return 0;
}
