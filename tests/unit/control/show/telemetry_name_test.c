/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that a process with a telemetry socket may have. */
#include "control/show/telemetry_socket.h"
#include "tests/unit/unit.h"

static const struct {
    const char *name;
    bool is_good;
} wishes[] = {
    {"emulate", true},
    {"gbflow-lab-bss", true},
    {"_9", true},
    {"x23456789012345678901234567890", true},
    {"x234567890123456789012345678901", false},
    {"", false},
    {".", false},
    {"..", false},
    {"a.b", false},
    {"-x", false},
    {"a b", false},
    {"a/b", false},
    {"a\n", false},
    {"\x1b[2J", false},
    {"\xc3\xa4", false},
};

TEST(names_of_processes)
{
    for (size_t i = 0; i < COUNT(wishes); i++)
        assert_int_equal(telemetry_socket_is_name(wishes[i].name), wishes[i].is_good);
}

UNIT_MAIN(NULL, NULL)
