/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of mobiles, and the rooms of class and mobile for octets that an ACK permits (model: pacing.c). For
 * the files of this folder alone. */
#ifndef DATAPLANE_PACING_ROOM_H
#define DATAPLANE_PACING_ROOM_H

#include "dataplane/pacing/pacing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pacing_flow;
struct pacing_group;

/* Octets for a cell; of these, a TCP segment of a paced class, which only with data makes its mobile one of
 * the class; a flow that has one in either direction. */
void pacing_count_arrived(struct pacing *p, const struct pacing_at *at, size_t octets, int64_t now);
void pacing_count_octets(struct pacing *p, const struct pacing_at *at, size_t octets, bool has_data,
                         int64_t now);
void pacing_count_flow(struct pacing *p, struct pacing_flow *flow, uint32_t ms, int64_t now);

/* The flow has been closed. */
void pacing_uncount_flow(struct pacing *p, const struct pacing_flow *flow, uint32_t ms, int64_t now);

/* Whether the cell has R beyond what arrived for it. */
bool pacing_has_left(struct pacing *p, const struct pacing_at *at, int64_t now);
/* A mobile's share of its class in its cell, in bit/s; its flows, 1 or more. */
uint64_t pacing_share_bps(struct pacing *p, const struct pacing_at *at, int64_t now);
uint32_t pacing_flows_of(struct pacing *p, uint32_t ms, int64_t now);

/* Octets of the class that are queued and paced; UINT32_MAX: R is 0. */
uint32_t pacing_queued_octets(const struct pacing *p, const struct pacing_at *at);
/* Whether the class has room, after permits that have ended; the caller ends these. */
bool pacing_has_room(const struct pacing *p, const struct pacing_at *at);
/* False: R of the mobile is 0, or it has enough. */
bool pacing_ms_has_room(struct pacing *p, uint32_t ms, struct pacing_backlog *backlog, int64_t now);
/* Whether the mobile has fallen behind its class by its credit, so that it needs no room of that. */
bool pacing_ms_is_behind(const struct pacing *p, uint32_t ms, const struct pacing_backlog *backlog);
/* A tick of a class with held ACKs. The room stays while R is 0. */
void pacing_watch(const struct pacing *p, struct pacing_group *group, int64_t now);

#endif
