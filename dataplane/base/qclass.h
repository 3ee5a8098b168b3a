/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic classes of queues, weights and reports, in order of precedence (TS 23.107; signalling and SMS
 * before).
 */
#ifndef DATAPLANE_BASE_QCLASS_H
#define DATAPLANE_BASE_QCLASS_H

#include <stdint.h>

enum qclass {
    QCLASS_SIGNALLING,
    QCLASS_SMS,
    QCLASS_CONVERSATIONAL,
    QCLASS_STREAMING,
    QCLASS_THP1,
    QCLASS_THP2,
    QCLASS_THP3,
    QCLASS_BACKGROUND,
    QCLASS_COUNT,
};

/* Name as in configuration and reports ("thp2"); "?" out of range. Static string. */
const char *qclass_name(enum qclass qclass);

/* Class of a name, or -1. */
int qclass_from_name(const char *name);

#endif
