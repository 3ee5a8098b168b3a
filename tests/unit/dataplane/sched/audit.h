/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The books of a scheduler, recounted from nothing but what lies in its queues: counters of all levels, who
 * is in which list, who waits for which instant. For tests that do anything at all to it.
 */
#ifndef TESTS_UNIT_DATAPLANE_SCHED_AUDIT_H
#define TESTS_UNIT_DATAPLANE_SCHED_AUDIT_H

#include "tests/unit/dataplane/sched/rig.h"

/* NULL, or what is wrong. O(mobiles + cells + links + N-PDUs). */
const char *audit_books(struct rig *rig);

/* The same of the wheel: whoever waits for an instant is on it. O(entries and slots of the wheel). */
const char *audit_wheel(struct rig *rig);

/* Once nothing may leave: nobody stays behind whose buckets are open at all levels. */
const char *audit_idle(struct rig *rig);

#endif
