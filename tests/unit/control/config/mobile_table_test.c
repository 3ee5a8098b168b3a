/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of tables of mobiles: none shows a value of the table, whatever is wrong with it. */
#include "control/config/mobile_table.h"
#include "dataplane/base/rng.h"
#include "tests/unit/unit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILES      10000
#define TEXT_CHARS 2048
#define OUT_CHARS  16384
#define WINDOW     8 /* digits of a value that must not be seen together */
#define MOST_EDITS 4

static const char head[] =
    "imsi,tlli,bvci,ciphering,kc,nsapi,sgsn_address,ggsn_address,ggsn_teid,address,class\n";

/* Of digits, of letters and of both. */
static const char rows[] =
    "262420000000071,0xC0000001,1800,gea3,7305912846207193,5,10.98.0.2,10.98.0.1,7,10.2.2.2,thp1\n"
    "262429173000052,0xC0000002,1800,gea4,fedcbaabcdefacdbbadcaffedeadbeef,5,10.98.0.2,10.98.0.1,8,10.2.2.3,"
    "\n"
    "262428340000093,0xC0000003,1800,gea3,9f3ac47b12de5608,5,10.98.0.2,10.98.0.1,9,10.2.2.4,background\n";

static const char *const values[] = {"262420000000071",  "262429173000052",
                                     "262428340000093",  "7305912846207193",
                                     "9f3ac47b12de5608", "fedcbaabcdefacdbbadcaffedeadbeef"};

/* --- edits of a text --- */

struct text {
    char text[TEXT_CHARS];
    size_t count;
};

static void replace(struct text *t, size_t at, size_t octets, const char *with)
{
    size_t more = strlen(with);
    if (at + octets > t->count || t->count - octets + more >= TEXT_CHARS)
        return;
    memmove(t->text + at + more, t->text + at + octets, t->count - at - octets + 1);
    memcpy(t->text + at, with, more);
    t->count += more - octets;
}

/* The start of a field or line behind a random place: behind the next octet of `ends`. */
static size_t behind(const struct text *t, struct rng *rng, const char *ends)
{
    size_t at = rng_below(rng, t->count + 1);
    at += strcspn(t->text + at, ends);
    return at < t->count ? at + 1 : 0;
}

/* The field there moves into the place of another. */
static void move_field(struct text *t, struct rng *rng)
{
    char field[128] = "";
    size_t from = behind(t, rng, ",\n"), octets = strcspn(t->text + from, ",\n");
    if (octets >= sizeof(field))
        return;
    memcpy(field, t->text + from, octets);
    replace(t, from, octets, "");
    size_t to = behind(t, rng, ",\n");
    replace(t, to, strcspn(t->text + to, ",\n"), field);
}

static void swap_separators(struct text *t, char by)
{
    for (size_t i = 0; i < t->count; i++)
        t->text[i] = t->text[i] == ',' ? by : t->text[i];
}

static void edit(struct text *t, struct rng *rng)
{
    static const char *const pieces[] = {",", "\n",   "\"", " ", "0x",   ";",
                                         "x", "\r\n", "#",  "=", "\x01", ",,"};
    size_t at = rng_below(rng, t->count + 1), left = t->count - at;
    switch (rng_below(rng, 8)) {
    case 0:
        return replace(t, at, left < 3 ? left : rng_between(rng, 1, 3), "");
    case 1:
        return replace(t, at, 0, pieces[rng_below(rng, COUNT(pieces))]);
    case 2:
        return move_field(t, rng);
    case 3: /* one column too far */
        return replace(t, behind(t, rng, ",\n"), 0, ",");
    case 4: /* no header, or a row less */
        at = rng_chance_ppm(rng, 500000) ? 0 : behind(t, rng, "\n");
        return replace(t, at, strcspn(t->text + at, "\n") + 1, "");
    case 5:
        return swap_separators(t, ";\t "[rng_below(rng, 3)]);
    case 6: /* a field less */
        at = behind(t, rng, ",\n");
        return replace(t, at, strcspn(t->text + at, ",\n") + 1, "");
    default:
        return replace(t, at, left < 1 ? left : 1, pieces[rng_below(rng, COUNT(pieces))]);
    }
}

/* --- the reading, and its output --- */

static bool read_table(const struct text *t, int table, char out[OUT_CHARS])
{
    struct node_config config = {.limits = {.mobiles = 8, .contexts = 8}};
    int seen = memfd_create("stderr", 0), saved = dup(STDERR_FILENO);
    assert_true(seen >= 0 && saved >= 0);
    assert_int_equal(ftruncate(table, 0), 0);
    assert_int_equal(pwrite(table, t->text, t->count, 0), t->count);
    node_config_add_nse(&config, &(struct node_config_nse){.nsei = 101});
    node_config_add_cell(&config, &(struct node_config_cell){.bvci = 1800});
    snprintf(config.mobiles.file, sizeof(config.mobiles.file), "%d", table);
    fflush(stderr);
    dup2(seen, STDERR_FILENO);
    bool is_right = mobile_table_read(&config, "/proc/self/fd/node.lua");
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    ssize_t octets = pread(seen, out, OUT_CHARS - 1, 0);
    assert_in_range(octets, 0, OUT_CHARS - 2);
    out[octets] = '\0';
    close(seen);
    close(saved);
    node_config_free(&config);
    return is_right;
}

/* The value of which WINDOW digits are in the output; NULL: none. */
static const char *shown_in(char *out)
{
    for (char *at = out; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    for (size_t i = 0; i < COUNT(values); i++)
        for (size_t k = 0; k + WINDOW <= strlen(values[i]); k++)
            if (memmem(out, strlen(out), values[i] + k, WINDOW))
                return values[i];
    return NULL;
}

TEST(errors_show_no_value)
{
    static char out[OUT_CHARS];
    struct rng rng;
    unsigned wrong = 0;
    int table = memfd_create("mobiles.csv", 0);
    rng_init(&rng, 1, 0);
    for (unsigned i = 0; i < FILES; i++) {
        struct text t;
        t.count = (size_t)snprintf(t.text, TEXT_CHARS, "%s%s", head, rows);
        for (uint64_t edits = i == 0 ? 0 : rng_between(&rng, 1, MOST_EDITS); edits > 0; edits--)
            edit(&t, &rng);
        bool is_right = read_table(&t, table, out);
        assert_true(i > 0 || is_right);
        wrong += !is_right;
        const char *value = shown_in(out);
        if (value)
            fail_msg("%s of\n%s\nis in\n%s", value, t.text, out);
    }
    assert_in_range(wrong, FILES / 2, FILES);
    close(table);
}

UNIT_MAIN(NULL, NULL)
