/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow show`: its options. */
#include "app/config_show.h"
#include "app/emulate/emulate.h"
#include "control/base/command.h"
#include "control/show/show.h"

#include "control/live/tables.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MIN 0.1
#define SECONDS_MAX 3600

static const char usage_head[] =
    "usage: gbflow show WHAT [--json] [--watch [SECONDS]] [--columns LIST]\n"
    "                   [--prefix NAME]\n"
    "       gbflow show config [KEY] [--effective] [--json] [--prefix NAME]\n"
    "       gbflow show config --file | --difference [--json]\n"
    "                          [--prefix NAME]\n"
    "       gbflow show subscriber IMSI|TLLI|P-TMSI|ADDRESS [--json] [--prefix NAME]\n"
    "\n"
    "Prints a table of a running node or BSS, or all of one subscriber of a node: its\n"
    "states and running timers, contexts, ciphering, cell, identities, queue, and the\n"
    "latest ten events. TLLI and P-TMSI are hexadecimal.\n"
    "\n"
    "WHAT is one of:\n"
    "\n"
    "  subscriber   All of one mobile of a node.\n";
static const char usage_end[] =
    "\n"
    "  --json         print a list of objects instead of a table\n"
    "  --watch [SECONDS]  print the table again every SECONDS (1); counters as their\n"
    "                 increase a second\n"
    "  --columns LIST names of columns, in order, separated by commas, or all; a\n"
    "                 terminal has else the columns that fit its width, the most\n"
    "                 important ones first, and one row that does not fit as a line\n"
    "                 for each value\n"
    "  --prefix NAME  eal.prefix of the node, or --prefix of gbflow emulate (the only\n"
    "                 one that runs)\n"
    "\n"
    "Of config:\n"
    "  KEY            only keys that begin so\n"
    "  --effective    the values in force, with defaults (the default)\n"
    "  --file         the text of the configuration file\n"
    "  --difference   what a reload would change, or why it could not\n"
    "\n"
    "Meaning of the columns: gbflow fields show, gbflow fields bss,\n"
    "docs/reference/show.md.\n"
    "Exit status: 0 success, 1 no such node runs, or it does not answer within 5 s, 2\n"
    "wrong arguments.\n";

/* The tables of nodes and of BSSs. */
static const struct field *const table_lists[] = {live_tables, emulate_tables};

#define LISTS (sizeof(table_lists) / sizeof(table_lists[0]))

static void put_tables(FILE *out, const struct field *tables)
{
    for (const struct field *table = tables; table->name; table++)
        if (table->type == FIELD_PART)
            put_tables(out, table->rows);
        else
            command_put_row(out, table->name, table->meaning->sentence);
}

/* The tables stand between head and end. */
static const char *usage(void)
{
    static char text[8192];
    FILE *out = fmemopen(text, sizeof(text), "w");
    assert(out);
    fputs(usage_head, out);
    for (size_t i = 0; i < LISTS; i++)
        put_tables(out, table_lists[i]);
    fputs(usage_end, out);
    assert(ftell(out) < (long)sizeof(text) && !ferror(out));
    fclose(out);
    return text;
}

static int take_seconds(struct show_options *o, const char *text)
{
    char *end;
    o->watch_s = strtod(text, &end);
    if (*end == '\0' && o->watch_s >= SECONDS_MIN && o->watch_s <= SECONDS_MAX)
        return COMMAND_OK;
    return command_wrong("show", "--watch: not a number of seconds from 0.1 to 3600: ", text);
}

static int parse_watch(void *to, char *argument)
{
    struct show_options *o = to;
    o->watch_s = 1;
    return argument ? take_seconds(o, argument) : COMMAND_OK;
}

/* Forms of the configuration. */
struct parts {
    bool is_effective, is_file, is_difference;
};

static int command_show_parse(int argc, char **argv, struct show_options *o, struct parts *parts,
                              const char **prefix)
{
    const struct command_option options[] = {
        {.name = "effective", .flag = &parts->is_effective, .value = true},
        {.name = "file", .flag = &parts->is_file, .value = true},
        {.name = "difference", .flag = &parts->is_difference, .value = true},
        {.name = "json", .flag = &o->is_json, .value = true},
        {.name = "prefix", .text = prefix},
        {.name = "columns", .text = &o->columns},
        {.name = "watch", .parse = parse_watch, .takes = COMMAND_MAYBE_ARGUMENT},
    };
    const struct command_parser parser = {
        .command = "show", .options = options, .count = sizeof(options) / sizeof(options[0]), .to = o};
    return command_parse(&parser, argc, argv);
}

static void add_tables(struct words *words, const struct field *tables)
{
    for (const struct field *table = tables; table->name; table++)
        if (table->type == FIELD_PART)
            add_tables(words, table->rows);
        else
            words_add(words, table->name);
}

static int refuse_table(const char *what)
{
    struct words words = {.count = 0};
    for (size_t i = 0; i < LISTS; i++)
        add_tables(&words, table_lists[i]);
    return command_unknown("show", "", "table", what, &words);
}

static int refuse_column(const struct field *table, const char *column)
{
    struct words words = {.count = 0};
    show_list_columns(table, &words);
    return command_unknown("show", "--columns: ", "column of the table", column, &words);
}

/* Words behind `show` of osmo-sgsn's VTY that are no table here (docs/from-osmo-sgsn.md). */
static const char *const of_vty[][2] = {
    {"sgsn", "node"},
    {"mm-context", "subscribers"},
    {"pdp-context", "pdp"},
    {"ns", "nse"},
    {"bssgp", "bvc"},
    {"sndcp", "pdp"},
    {"timer", "config"},
    {"stats", "counts"},
    {"rate-counters", "counts"},
    {"running-config", "config"},
};

static int refuse_word(const char *word)
{
    for (size_t i = 0; i < sizeof(of_vty) / sizeof(of_vty[0]); i++)
        if (strcmp(of_vty[i][0], word) == 0)
            return command_refuse("show",
                                  "'%s' is no table: what osmo-sgsn's VTY shows by it, gbflow show %s has",
                                  word, of_vty[i][1]);
    return refuse_table(word);
}

/* One subscriber, by the word behind `subscriber`. */
static int show_one(const struct show_options *o, const char *prefix, int words, char **word)
{
    if (words != 1)
        return command_wrong("show", "subscriber: give one IMSI, TLLI, P-TMSI or address", "");
    if (strcmp(word[0], "cache") == 0)
        return command_wrong("show",
                             "subscriber: 'cache' is not an IMSI; what osmo-sgsn's VTY shows by it, gbflow "
                             "show subscribers has",
                             "");
    if (o->watch_s > 0 || o->columns)
        return command_wrong("show", "subscriber: --watch and --columns are for tables", "");
    const char *path = show_find(prefix, TELEMETRY_NODE);
    return path && show_subscriber(path, word[0], o->is_json) ? COMMAND_OK : COMMAND_FAILED;
}

int command_show(int argc, char **argv)
{
    struct show_options o = {.what = NULL};
    struct parts parts = {false};
    const char *prefix = NULL;
    int status = command_show_parse(argc, argv, &o, &parts, &prefix);

    if (!command_accepted(usage(), &status))
        return status;
    if (o.watch_s > 0 && argc - optind == 2) {
        status = take_seconds(&o, argv[--argc]);
        if (status != COMMAND_OK)
            return status;
    }
    if (argc - optind >= 1 && strcmp(argv[optind], "subscriber") == 0)
        return show_one(&o, prefix, argc - optind - 1, argv + optind + 1);
    if (argc - optind == 2 && strcmp(argv[optind], "subscribers") == 0)
        return command_wrong(
            "show",
            "the table of subscribers takes no further word; for one of them: gbflow show subscriber ",
            argv[optind + 1]);
    if (argc == optind)
        return command_wrong("show", "missing WHAT: the name of a table, which gbflow show --help lists", "");
    o.what = argv[optind];
    for (size_t i = 0; i < LISTS && !o.table; i++)
        o.table = telemetry_table(table_lists[i], o.what);
    if (!o.table)
        return refuse_word(o.what);
    bool is_of_config = strcmp(o.what, "config") == 0, is_whole = parts.is_file || parts.is_difference;
    if (argc - optind > (is_of_config && !is_whole ? 2 : 1))
        return command_refuse("show", "'%s' behind the table %s: give one table", argv[argc - 1], o.what);
    o.begin = argv[optind + 1];
    int part_count = parts.is_effective + parts.is_file + parts.is_difference;
    if (part_count > 1 || (part_count == 1 && !is_of_config))
        return command_wrong("show", "--effective, --file and --difference are of config, one of them", "");
    const char *wrong = show_wrong_column(o.table, o.columns);
    if (wrong)
        return refuse_column(o.table, wrong);
    o.path = show_find(prefix, telemetry_table(live_tables, o.what) ? TELEMETRY_NODE : TELEMETRY_BSS);
    if (!o.path)
        return COMMAND_FAILED;
    if (parts.is_file)
        return config_show_file(&o);
    if (parts.is_difference)
        return config_show_difference(&o);
    return (o.watch_s > 0 ? show_watch(&o) : show_table(&o)) ? COMMAND_OK : COMMAND_FAILED;
}
