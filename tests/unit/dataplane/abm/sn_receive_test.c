/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiver of SNDCP's acknowledged mode in steps: what is done, and what comes of it.
 *
 *     f N, b N, a, e    a segment comes: a whole N-PDU, its first, a further, the last segment; F, B:
 * compressed !       LLC was established again
 */
#include "dataplane/abm/sn_receive.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, SAID = 64 };

struct rig {
    struct sn_receive s;
    char said[SAID];
};

static void arrive(struct rig *rig, const char *what)
{
    static const char *const fates[] = {"whole", "begin", "append",     "end",
                                        "again", "error", "whole, old", "end, old"};
    struct sn_data in = {
        .first = strchr("fbFB", *what), .more = strchr("baB", *what), .comp = strchr("FB", *what) ? 0x10 : 0};
    in.number = in.first ? (uint8_t)strtoul(what + 1, NULL, 10) : 0;
    strcpy(rig->said, fates[sn_receive_take(&rig->s, &in)]);
}

static void step(struct rig *rig, const char *what)
{
    if (*what == '!')
        sn_receive_established(&rig->s);
    else
        arrive(rig, what);
}

struct row {
    const char *name;
    uint8_t receive;
    struct {
        const char *what, *says;
    } steps[STEPS];
};

static const struct row rows[] = {
    {"whole ones and segments",
     0,
     {{"f 0", "whole"}, {"b 1", "begin"}, {"a", "append"}, {"e", "end"}, {"f 2", "whole"}}},
    {"no first segment", 0, {{"a", "error"}, {"e", "error"}, {"f 0", "whole"}, {"e", "error"}}},
    {"a first segment amid another N-PDU",
     0,
     {{"b 0", "begin"}, {"b 1", "begin"}, {"e", "end"}, {"f 2", "whole"}}},
    {"again after an establishment", 0,
     LIST({"f 0", "whole"}, {"f 1", "whole"}, {"!", ""}, {"f 0", "again"}, {"b 1", "again"}, {"a", "again"},
          {"e", "again"}, {"e", "error"}, {"b 2", "begin"}, {"e", "end"}, {"f 2", "whole"})},
    {"again after an establishment, compressed", 0,
     LIST({"F 0", "whole"}, {"F 1", "whole"}, {"!", ""}, {"F 0", "whole, old"}, {"B 1", "begin"},
          {"a", "append"}, {"e", "end, old"}, {"e", "error"}, {"B 2", "begin"}, {"e", "end"},
          {"f 2", "whole"})},
    {"a part before the establishment does not count",
     0,
     {{"f 0", "whole"}, {"b 1", "begin"}, {"!", ""}, {"e", "error"}, {"b 1", "begin"}, {"e", "end"}}},
    {"behind the wrap", 255,
     LIST({"f 255", "whole"}, {"f 0", "whole"}, {"!", ""}, {"f 255", "again"}, {"f 0", "again"},
          {"f 1", "whole"})},
    {"127 before, and 128", 127, {{"!", ""}, {"f 0", "again"}, {"f 255", "whole"}}},
};

TEST(steps)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig = {.s.number = rows[i].receive};
        for (size_t j = 0; j < STEPS && rows[i].steps[j].what; j++) {
            rig.said[0] = 0;
            step(&rig, rows[i].steps[j].what);
            if (strcmp(rig.said, rows[i].steps[j].says) != 0)
                fail_msg("%s: step %zu, %s: \"%s\", not \"%s\"", rows[i].name, j, rows[i].steps[j].what,
                         rig.said, rows[i].steps[j].says);
        }
    }
}

UNIT_MAIN(NULL, NULL)
