/* SPDX-License-Identifier: BSD-3-Clause */
/* Unread frames: those of a capture that could not be read, by what they were, for a warning. */
#ifndef CAPTURE_UNREAD_H
#define CAPTURE_UNREAD_H

#include "capture/link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAPTURE_UNREAD_KINDS = 8, CAPTURE_UNREAD_CHARS = 800 };

/* Frames without an IP packet, by kind; `rest`: of further kinds than there are rows. */
struct capture_unread {
    struct {
        struct capture_link link;
        uint64_t frames;
    } kinds[CAPTURE_UNREAD_KINDS];
    unsigned count;
    uint64_t rest;
};

void capture_unread_put(struct capture_unread *u, struct capture_link link, uint64_t frames);

/* Adds all of `more`. */
void capture_unread_add(struct capture_unread *u, const struct capture_unread *more);

/* A list for a message: "30 of EtherType 0x88cc (LLDP), 2 cut in front of IP". */
struct capture_unread_list {
    uint64_t frames;
    char text[CAPTURE_UNREAD_CHARS];
};

/* Adds frames that `what` describes, if there are any. */
void capture_unread_list_put(struct capture_unread_list *list, uint64_t frames, const char *what);

/* Adds all kinds, the most frequent one first. */
void capture_unread_list_links(struct capture_unread_list *list, const struct capture_unread *u);

/* Whether they are more than a hundredth of all frames, which a user has to know. */
bool capture_unread_are_many(const struct capture_unread_list *list, uint64_t all_frames);

#endif
