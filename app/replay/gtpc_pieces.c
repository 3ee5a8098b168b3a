/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/replay/gtpc_pieces.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/gtpc.h"

#include <string.h>

#define KEPT_NS (5 * MOMENT_SECOND)

static bool is_gtpc(const struct gtpc_pieces_datagram *d)
{
    return d->has[0] && (bytes_get_u16(d->bytes) == GTPC_PORT || bytes_get_u16(d->bytes + 2) == GTPC_PORT);
}

static void give_up(struct gtpc_pieces *p, struct gtpc_pieces_datagram *d)
{
    p->lost += d->is_used && is_gtpc(d);
    d->is_used = false;
}

static bool is_of(const struct gtpc_pieces_datagram *d, const struct gtpc_pieces_piece *piece)
{
    return d->is_used && d->id == piece->id && neighbour_ip_is_same(&d->way.from, &piece->way.from) &&
           neighbour_ip_is_same(&d->way.to, &piece->way.to);
}

/* The piece's datagram, or a new one in place of the oldest. */
static struct gtpc_pieces_datagram *find(struct gtpc_pieces *p, const struct gtpc_pieces_piece *piece,
                                         int64_t now)
{
    struct gtpc_pieces_datagram *place = p->datagrams;
    for (unsigned i = 0; i < GTPC_PIECES_DATAGRAMS; i++) {
        struct gtpc_pieces_datagram *d = &p->datagrams[i];
        if (is_of(d, piece) && now - d->began_ns <= KEPT_NS)
            return d;
        bool is_better = place->is_used && (!d->is_used || d->began_ns < place->began_ns);
        if (is_better || is_of(d, piece))
            place = d;
    }
    give_up(p, place);
    place->way = piece->way;
    place->id = piece->id;
    place->began_ns = now;
    place->octets = 0;
    place->is_used = true;
    memset(place->has, 0, sizeof(place->has));
    return place;
}

/* Writes a block. False: another one is there. */
static bool put_block(struct gtpc_pieces_datagram *d, unsigned block, const uint8_t *bytes, size_t octets)
{
    uint8_t *to = d->bytes + (size_t)block * GTPC_PIECES_BLOCK;
    if (d->has[block])
        return memcmp(to, bytes, octets) == 0;
    memcpy(to, bytes, octets);
    return d->has[block] = true;
}

/* False: it contradicts other pieces, or is too long. */
static bool put(struct gtpc_pieces_datagram *d, const struct gtpc_pieces_piece *piece)
{
    size_t end = piece->offset + piece->octets;
    bool is_ragged = piece->octets % GTPC_PIECES_BLOCK > 0 && !piece->is_last;
    bool is_behind = d->octets && (end > d->octets || (piece->is_last && end != d->octets));
    if (piece->octets == 0 || end > GTPC_PIECES_OCTETS || is_ragged || is_behind)
        return false;
    if (piece->is_last)
        d->octets = (uint32_t)end;
    for (size_t at = 0; at < piece->octets; at += GTPC_PIECES_BLOCK) {
        size_t left = piece->octets - at;
        if (!put_block(d, (unsigned)((piece->offset + at) / GTPC_PIECES_BLOCK), piece->bytes + at,
                       left < GTPC_PIECES_BLOCK ? left : GTPC_PIECES_BLOCK))
            return false;
    }
    return true;
}

/* Blocks behind the end: a piece that came before the last one was longer than the datagram. */
static bool is_whole(const struct gtpc_pieces_datagram *d)
{
    bool is_there = d->octets > 0;
    for (unsigned block = 0; is_there && block < GTPC_PIECES_BLOCKS; block++)
        is_there = d->has[block] == (block * GTPC_PIECES_BLOCK < d->octets);
    return is_there;
}

size_t gtpc_pieces_put(struct gtpc_pieces *p, const struct gtpc_pieces_piece *piece, const uint8_t **whole,
                       int64_t now)
{
    struct gtpc_pieces_datagram *d = find(p, piece, now);
    if (!put(d, piece)) {
        give_up(p, d);
        return 0;
    }
    if (!is_whole(d))
        return 0;
    d->is_used = false;
    *whole = d->bytes;
    return d->octets;
}

uint64_t gtpc_pieces_incomplete(const struct gtpc_pieces *p)
{
    uint64_t waiting = 0;
    for (unsigned i = 0; i < GTPC_PIECES_DATAGRAMS; i++)
        waiting += p->datagrams[i].is_used && is_gtpc(&p->datagrams[i]);
    return p->lost + waiting;
}
