/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of schemes share: one instance, views to show it, and what chance allows. */
#ifndef TESTS_UNIT_DATAPLANE_AQM_KIT_H
#define TESTS_UNIT_DATAPLANE_AQM_KIT_H

#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/moment.h"

#define MS INT64_C(1000000)

struct kit {
    struct aqm_registry registry;
    struct aqm_setup *setup;
    _Alignas(64) uint8_t state[AQM_MAX_STATE];
};

/* One instance of a scheme at the time 0; set is "name=number name=number ..." in base units. */
void kit_init(struct kit *kit, const char *scheme, const char *set, uint64_t seed);
void kit_fini(struct kit *kit);

/* The reason why a scheme is refused with these values, "" when it is not. */
const char *kit_refusal(struct kit *kit, const char *scheme, const char *set);

/* An N-PDU of 500 octets, ECN capable, with this much before it. */
struct aqm_view kit_view(uint64_t backlog_octets);

/* The same that has waited so long. */
struct aqm_view kit_aged(int64_t age_ns);

enum aqm_verdict kit_come(struct kit *kit, struct aqm_view *view, int64_t now);
enum aqm_verdict kit_leave(struct kit *kit, struct aqm_view *view, int64_t now);

/* A figure of the instance by name. */
double kit_reading(const struct kit *kit, const char *name);

/* How many of so many packets are signalled when each sees this view at its enqueue, 1 us apart. */
uint64_t kit_signals(struct kit *kit, struct aqm_view view, uint64_t packets);

/* That counted is within 3 sigma of expected (and of a half, for what is certain). */
void kit_assert_near(double counted, double expected, double sigma);

#endif
