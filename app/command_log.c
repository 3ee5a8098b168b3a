/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow log`: the levels of a running node's log, and its lines as they are written. */
#include "control/base/command.h"
#include "control/base/words.h"
#include "control/live/tables.h"
#include "control/log/log.h"
#include "control/show/show.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMSI_MIN    6
#define IMSI_MAX    15
#define LIST_CHARS  512
#define USAGE_CHARS 4096

static const char usage_head[] =
    "usage: gbflow log [[CATEGORY=]LEVEL ...] [--prefix NAME]\n"
    "       gbflow log --follow [[CATEGORY=]LEVEL ...]\n"
    "                  [--imsi DIGITS | --tlli HEX | --nsvc NSVCI | --peer ADDRESS]\n"
    "                  [--prefix NAME]\n"
    "\n"
    "Prints the levels of a running node's log; with LEVEL or CATEGORY=LEVEL sets\n"
    "those of its stderr, until the node ends. LEVEL alone is that of all categories\n"
    "without one of their own.\n"
    "\n"
    "  --follow       print the lines as the node writes them, by levels of this\n"
    "                 command's own: those of the node, changed by the arguments;\n"
    "                 with a filter and no argument, all lines\n"
    "  --imsi DIGITS  lines about this subscriber\n"
    "  --tlli HEX     lines about this TLLI\n"
    "  --nsvc NSVCI   lines about this NS-VC\n"
    "  --peer ADDRESS lines about this BSS, GGSN or HLR\n"
    "  --prefix NAME  eal.prefix of the node (the only one that runs)\n"
    "\n";
static const char usage_end[] =
    "\n"
    "Level debug has each event of a state machine with the states before and behind\n"
    "it, and each message. A follower gets at most 1000 lines a second, loses those\n"
    "that it does not read in time, and is told how many. Five may follow at a time.\n"
    "Exit status: 0 success, 1 no such node runs, or it ended, 2 wrong arguments.\n";

static const char *usage(void)
{
    static char text[USAGE_CHARS];
    size_t at = (size_t)snprintf(text, sizeof(text), "%sLEVEL is one of: %s. CATEGORY is one of:\n\n",
                                 usage_head, log_level_names());
    for (unsigned i = 0; i < LOG_CATEGORIES; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "  %-8s %s\n", log_categories[i].name,
                               log_categories[i].what);
    snprintf(text + at, sizeof(text) - at, "%s", usage_end);
    return text;
}

struct request {
    const char *prefix;
    bool is_follow;
    unsigned filters;
    char word[LOG_WORD_CHARS]; /* that the lines have; "": all */
};

/* --- filters: each is a word of the lines --- */

static int take_imsi(void *to, char *text)
{
    struct request *r = to;
    size_t digits = strspn(text, "0123456789");
    r->filters++;
    snprintf(r->word, sizeof(r->word), "%s", text);
    if (text[digits] || digits < IMSI_MIN || digits > IMSI_MAX)
        return command_wrong("log", "--imsi: not 6 to 15 digits: ", text);
    return COMMAND_OK;
}

static int take_tlli(void *to, char *text)
{
    struct request *r = to;
    const char *digits = strncmp(text, "0x", 2) == 0 ? text + 2 : text;
    size_t chars = strspn(digits, "0123456789abcdefABCDEF");
    r->filters++;
    snprintf(r->word, sizeof(r->word), "TLLI %08lx", strtoul(digits, NULL, 16));
    if (digits[chars] || chars == 0 || chars > 8)
        return command_wrong("log", "--tlli: not 1 to 8 hexadecimal digits: ", text);
    return COMMAND_OK;
}

static int take_nsvc(void *to, char *text)
{
    struct request *r = to;
    size_t digits = strspn(text, "0123456789");
    r->filters++;
    snprintf(r->word, sizeof(r->word), "NSVCI %lu", strtoul(text, NULL, 10));
    if (text[digits] || digits == 0 || digits > 5 || strtoul(text, NULL, 10) > UINT16_MAX)
        return command_wrong("log", "--nsvc: not an NSVCI from 0 to 65535: ", text);
    return COMMAND_OK;
}

static int take_peer(void *to, char *text)
{
    struct request *r = to;
    unsigned char octets[sizeof(struct in6_addr)];
    int family = strchr(text, ':') ? AF_INET6 : AF_INET;
    r->filters++;
    if (inet_pton(family, text, octets) != 1 || !inet_ntop(family, octets, r->word, sizeof(r->word)))
        return command_wrong("log", "--peer: not an IPv4 or IPv6 address: ", text);
    return COMMAND_OK;
}

static int command_log_parse(int argc, char **argv, struct request *r)
{
    const struct command_option options[] = {
        {.name = "follow", .flag = &r->is_follow, .value = true},
        {.name = "imsi", .parse = take_imsi},
        {.name = "tlli", .parse = take_tlli},
        {.name = "nsvc", .parse = take_nsvc},
        {.name = "peer", .parse = take_peer},
        {.name = "prefix", .text = &r->prefix},
    };
    const struct command_parser parser = {
        .command = "log", .options = options, .count = sizeof(options) / sizeof(options[0]), .to = r};
    return command_parse(&parser, argc, argv);
}

/* --- levels --- */

/* The first name that begins so, else the nearest. */
static const char *meant_by(const struct words *words, const char *name)
{
    for (unsigned i = 0; *name && i < words->count; i++)
        if (strncmp(words->list[i], name, strlen(name)) == 0)
            return words->list[i];
    return words_nearest(words, name);
}

/* An argument, or a part of one between commas. */
static int refuse_level(const char *wrong)
{
    char name[LIST_CHARS];
    struct words words = {.count = 0};
    size_t chars = strcspn(wrong, ":=");
    snprintf(name, sizeof(name), "%.*s", (int)chars, wrong);
    for (unsigned i = 0; i < LOG_CATEGORIES; i++)
        words_add(&words, log_categories[i].name);
    for (unsigned i = 0; i < LOG_LEVELS; i++)
        words_add(&words, log_level_name(i));
    const char *nearest = meant_by(&words, name);
    bool is_meant = nearest && strcmp(nearest, name) != 0;
    return command_refuse("log", "'%s' is not LEVEL or CATEGORY=LEVEL; levels: %s; categories: %s%s%s%s",
                          wrong, log_level_names(), log_category_names(), is_meant ? "; did you mean '" : "",
                          is_meant ? nearest : "", is_meant ? "'?" : "");
}

/* The arguments as a list, each of them right. */
static int put_levels(char list[LIST_CHARS], char **arguments)
{
    size_t used = 0;
    struct log_levels levels = {.others = LOG_LEVEL_WARN};
    list[0] = '\0';
    for (; *arguments; arguments++) {
        const char *wrong = log_levels_set(&levels, *arguments);
        if (wrong)
            return refuse_level(wrong);
        used += (size_t)snprintf(list + used, LIST_CHARS - used, "%s%s", used > 0 ? "," : "", *arguments);
        if (used >= LIST_CHARS)
            return command_refuse("log", "more than %d characters of levels", LIST_CHARS - 1);
    }
    return COMMAND_OK;
}

static bool follow(const struct request *r, const char *path, const char *list)
{
    char parameters[LIST_CHARS + LOG_WORD_CHARS];
    snprintf(parameters, sizeof(parameters), "%s,%s", r->word, list);
    return show_follow(path, "log_follow", parameters);
}

int command_log(int argc, char **argv)
{
    struct request r = {.prefix = NULL};
    char list[LIST_CHARS];
    int status = command_log_parse(argc, argv, &r);

    if (!command_accepted(usage(), &status))
        return status;
    if (r.filters > 1)
        return command_wrong("log", "more than one of --imsi, --tlli, --nsvc and --peer", "");
    if (r.filters > 0 && !r.is_follow)
        return command_wrong("log", "a filter is for --follow, which is missing", "");
    status = put_levels(list, argv + optind);
    if (status != COMMAND_OK)
        return status;
    const char *path = show_find(r.prefix, TELEMETRY_NODE);
    if (!path)
        return COMMAND_FAILED;
    if (r.is_follow)
        return follow(&r, path, list) ? COMMAND_OK : COMMAND_FAILED;
    const struct show_options levels = {
        .what = "log", .path = path, .table = telemetry_table(live_tables, "log")};
    bool is_set = !list[0] || show_order(path, "log_levels", list, "gbflow log");
    return is_set && show_table(&levels) ? COMMAND_OK : COMMAND_FAILED;
}
