/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/unread.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MANY_OF = 100, WHAT_CHARS = 80 };

void capture_unread_put(struct capture_unread *u, struct capture_link link, uint64_t frames)
{
    unsigned i = 0;
    while (i < u->count && (u->kinds[i].link.end != link.end || u->kinds[i].link.type != link.type))
        i++;
    if (i == CAPTURE_UNREAD_KINDS) {
        u->rest += frames;
        return;
    }
    u->kinds[i].link = link;
    u->kinds[i].frames += frames;
    u->count += i == u->count;
}

void capture_unread_add(struct capture_unread *u, const struct capture_unread *more)
{
    for (unsigned i = 0; i < more->count; i++)
        capture_unread_put(u, more->kinds[i].link, more->kinds[i].frames);
    u->rest += more->rest;
}

void capture_unread_list_put(struct capture_unread_list *list, uint64_t frames, const char *what)
{
    size_t used = strlen(list->text);
    if (frames == 0)
        return;
    snprintf(list->text + used, sizeof(list->text) - used, "%s%" PRIu64 " %s", used > 0 ? ", " : "", frames,
             what);
    list->frames += frames;
}

static const char *name_of(uint32_t type)
{
    static const struct {
        uint16_t type;
        const char *name;
    } rows[] = {
        {0x8809, " (LACP)"}, {0x8863, " (PPPoE discovery)"}, {0x888e, " (802.1X)"},
        {0x88cc, " (LLDP)"}, {0x88e5, " (MACsec)"},          {0x894f, " (NSH)"},
        {0x8137, " (IPX)"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].type == type)
            return rows[i].name;
    return "";
}

static void say(char what[WHAT_CHARS], struct capture_link link)
{
    switch (link.end) {
    case CAPTURE_LINK_CUT:
        snprintf(what, WHAT_CHARS, "cut in front of IP");
        break;
    case CAPTURE_LINK_PPP:
        snprintf(what, WHAT_CHARS, "of PPP's protocol 0x%04x", link.type);
        break;
    case CAPTURE_LINK_LLC:
        snprintf(what, WHAT_CHARS, "of IEEE 802.2 LLC, DSAP and SSAP 0x%04x", link.type);
        break;
    case CAPTURE_LINK_LABELLED:
        snprintf(what, WHAT_CHARS, "with MPLS labels and no IP packet");
        break;
    case CAPTURE_LINK_UNKNOWN:
        snprintf(what, WHAT_CHARS, "of link type %u", link.type);
        break;
    case CAPTURE_LINK_PROTOCOL:
    case CAPTURE_LINK_IP:
    default:
        snprintf(what, WHAT_CHARS, "of EtherType 0x%04x%s", link.type, name_of(link.type));
        break;
    }
}

void capture_unread_list_links(struct capture_unread_list *list, const struct capture_unread *u)
{
    char what[WHAT_CHARS];
    bool is_done[CAPTURE_UNREAD_KINDS] = {false};
    for (unsigned round = 0; round < u->count; round++) {
        unsigned most = CAPTURE_UNREAD_KINDS;
        for (unsigned i = 0; i < u->count; i++)
            if (!is_done[i] && (most == CAPTURE_UNREAD_KINDS || u->kinds[i].frames > u->kinds[most].frames))
                most = i;
        is_done[most] = true;
        say(what, u->kinds[most].link);
        capture_unread_list_put(list, u->kinds[most].frames, what);
    }
    capture_unread_list_put(list, u->rest, "of other protocols");
}

bool capture_unread_are_many(const struct capture_unread_list *list, uint64_t all_frames)
{
    return list->frames > all_frames / MANY_OF;
}
