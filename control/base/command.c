/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/base/commit.h"
#include "control/base/outlet.h"
#include "control/base/utf8.h"
#include "control/base/version.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELP_COLUMNS 80  /* longer lines of a help are broken between words */
#define NAME_COLUMNS 12  /* of a list of names with sentences */
#define FIRST_VALUE  256 /* getopt's value of the first option; a short option's is its character */

static const char *program = "gbflow";

void command_set_program(const char *name)
{
    program = name;
}

int command_wrong(const char *command, const char *message, const char *what)
{
    return command_refuse(command, "%s%s", message, what);
}

/* "gbflow bench ndr", or the program alone where it has no commands. */
static void print_name(const char *command)
{
    fprintf(stderr, command[0] ? "%s %s" : "%s", program, command);
}

/* Words are the caller's: what a terminal would obey becomes a question mark, and a word that is too long for
 * a name or a path is cut. */
enum { WORD_LONGEST = 200, WORD_CUT = 60 };

void command_print(const char *text)
{
    while (*text) {
        size_t octets = strcspn(text, " "), shown = octets > WORD_LONGEST ? WORD_CUT : octets;
        utf8_print(stderr, text, shown);
        fputs(shown < octets ? "..." : "", stderr);
        text += octets;
        for (; *text == ' '; text++)
            fputc(' ', stderr);
    }
}

static void print_message(const char *command, const char *format, va_list values)
{
    char *text = NULL;
    print_name(command);
    fputs(": ", stderr);
    command_print(vasprintf(&text, format, values) >= 0 ? text : "out of memory for a message");
    free(text);
    fputs("\n", stderr);
}

void command_error(const char *command, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message(command, format, values);
    va_end(values);
}

int command_refuse(const char *command, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message(command, format, values);
    va_end(values);
    fputs("try: ", stderr);
    print_name(command);
    fputs(" --help\n", stderr);
    return COMMAND_USAGE;
}

int command_unknown(const char *command, const char *before, const char *noun, const char *word,
                    const struct words *words)
{
    char *text = words_unknown(words, noun, word);
    command_refuse(command, "%s%s", before, text ? text : word);
    free(text);
    return COMMAND_USAGE;
}

bool command_has_file(const char *command, const char *path)
{
    if (strcmp(path, "-") == 0 || access(path, F_OK) == 0)
        return true;
    command_error(command, "%s: %s", path, strerror(errno));
    return false;
}

bool command_accepted(const char *usage, int *status)
{
    if (*status == COMMAND_HELP) {
        fputs(usage, stdout);
        *status = COMMAND_OK;
        return false;
    }
    return *status == COMMAND_OK;
}

static bool is_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

bool command_asks_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

/* --- the table of the program --- */

static struct command_table program_table;

void command_set_table(const struct command_table *table)
{
    program_table = *table;
}

const struct command_table *command_table(void)
{
    return &program_table;
}

/* --- help --- */

void command_put_words(FILE *out, const char *text, int at, int indent)
{
    for (const char *word = text; *word;) {
        const int length = (int)strcspn(word, " \n");
        if (at > indent && at + 1 + length > HELP_COLUMNS)
            at = fprintf(out, "\n%*s", indent, "") - 1;
        else if (word > text)
            at += fprintf(out, " ");
        at += fprintf(out, "%.*s", length, word);
        word += length;
        word += strspn(word, " ");
        if (*word == '\n') {
            fputs("\n", out);
            at = fprintf(out, "%*s", indent, "");
            text = ++word;
        }
    }
    fputs("\n", out);
}

void command_put_row(FILE *out, const char *name, const char *what)
{
    int at = fprintf(out, "  %-*s  ", NAME_COLUMNS, name);
    command_put_words(out, what, at, NAME_COLUMNS + 4);
}

/* --- modes --- */

void command_print_modes(const struct command_modes *m)
{
    fputs(m->head, stdout);
    for (unsigned i = 0; i < m->count; i++)
        command_put_row(stdout, m->modes[i].name, m->modes[i].what);
    fputs(m->tail, stdout);
}

void command_put_modes(char out[COMMAND_NAMES_CHARS], const struct command_modes *m, uint32_t bits,
                       const char *quote)
{
    size_t used = 0;
    out[0] = 0;
    for (unsigned i = 0; i < m->count && used < COMMAND_NAMES_CHARS; i++)
        if (bits & UINT32_C(1) << i)
            used += (size_t)snprintf(out + used, COMMAND_NAMES_CHARS - used, "%s%s%s%s", used > 0 ? ", " : "",
                                     quote, m->modes[i].name, quote);
}

bool command_find_mode(const struct command_modes *m, int argc, char **argv, unsigned *mode, int *status)
{
    struct words words = {.count = 0};
    char names[COMMAND_NAMES_CHARS];
    *status = COMMAND_OK;
    if (argc >= 2 && is_help(argv[1])) {
        command_print_modes(m);
        return false;
    }
    for (*mode = 0; argc >= 2 && *mode < m->count; ++*mode)
        if (strcmp(argv[1], m->modes[*mode].name) == 0)
            return true;
    for (unsigned i = 0; i < m->count; i++)
        words_add(&words, m->modes[i].name);
    command_put_modes(names, m, UINT32_MAX, "");
    *status = argc < 2 || argv[1][0] == '-'
                  ? command_refuse(m->command, "missing %s, one of: %s", m->noun, names)
                  : command_unknown(m->command, "", m->noun, argv[1], &words);
    return false;
}

/* --- options --- */

int command_number(const char *command, const struct command_option *o, const char *text)
{
    char *end;
    errno = 0;
    *o->number = strtoll(text, &end, 10);
    if (!errno && !*end && end != text && *o->number >= o->min && *o->number <= o->max)
        return COMMAND_OK;
    return command_refuse(command, "--%s takes whole numbers from %" PRId64 " to %" PRId64 ", not %s",
                          o->name, o->min, o->max, text);
}

static void list_options(const struct command_parser *parser, struct option *out)
{
    static const int takes[] = {
        [COMMAND_ARGUMENT] = required_argument,
        [COMMAND_NO_ARGUMENT] = no_argument,
        [COMMAND_MAYBE_ARGUMENT] = optional_argument,
    };
    assert(parser->count <= COMMAND_OPTIONS);
    for (unsigned i = 0; i < parser->count; i++) {
        const struct command_option *o = &parser->options[i];
        out[i] =
            (struct option){o->name, o->flag ? no_argument : takes[o->takes], NULL, FIRST_VALUE + (int)i};
    }
    out[parser->count] = (struct option){"help", no_argument, NULL, 'h'};
}

/* Set by the console. */
static const char *process;

void command_set_process(const char *name)
{
    process = name;
}

const char *command_process(void)
{
    return process;
}

static bool chooses_process(const struct command_option *o)
{
    return process && (strcmp(o->name, "prefix") == 0 || strcmp(o->name, "config") == 0);
}

static int refuse_process(const struct command_parser *parser, const struct command_option *o)
{
    command_error(parser->command,
                  "--%s: the console is at %s; for another process: gbflow console --prefix NAME", o->name,
                  process);
    return COMMAND_USAGE;
}

static int command_take(const struct command_parser *parser, const struct command_option *o)
{
    if (chooses_process(o))
        return refuse_process(parser, o);
    if (o->text)
        *o->text = optarg;
    if (o->flag)
        *o->flag = o->value;
    if (o->number)
        return command_number(parser->command, o, optarg);
    if (o->take)
        return o->take(parser->to, o, optarg);
    return o->parse ? o->parse(parser->to, optarg) : COMMAND_OK;
}

static bool is_of_mode(const struct command_parser *parser, const struct command_option *o)
{
    return o->modes == 0 || !parser->modes || (o->modes & UINT32_C(1) << parser->mode);
}

static int refuse_foreign(const struct command_parser *parser, const struct command_option *o)
{
    char names[COMMAND_NAMES_CHARS];
    command_put_modes(names, parser->modes, o->modes, "'");
    return command_refuse(parser->command, "--%s belongs to %s", o->name, names);
}

/* "--sed": the option of the mode that was probably meant. */
static int refuse_unknown(const struct command_parser *parser, const char *argument)
{
    struct words words = {.count = 0};
    char *given = strdup(argument + strspn(argument, "-"));
    for (unsigned i = 0; i < parser->count; i++)
        if (is_of_mode(parser, &parser->options[i]))
            words_add(&words, parser->options[i].name);
    if (given)
        given[strcspn(given, "=")] = '\0';
    const char *nearest = given ? words_nearest(&words, given) : NULL;
    int status =
        command_refuse(parser->command, "unknown option %s%s%s%s", argument,
                       nearest ? "; did you mean --" : "", nearest ? nearest : "", nearest ? "?" : "");
    free(given);
    return status;
}

/* After getopt_long() failed on `argument` and returned `value`. */
static int base_command_refuse(const struct command_parser *parser, int value, const char *argument)
{
    unsigned i = (unsigned)optopt - FIRST_VALUE;
    const struct command_option *o = optopt >= FIRST_VALUE && i < parser->count ? &parser->options[i] : NULL;
    if (o && !is_of_mode(parser, o))
        return refuse_foreign(parser, o);
    if (o)
        return command_refuse(parser->command,
                              value == ':' ? "--%s needs an argument" : "--%s takes no argument", o->name);
    if (optopt == 'h')
        return command_refuse(parser->command, "--help takes no argument");
    if (optopt > 0 && optopt < FIRST_VALUE)
        return command_refuse(parser->command, "unknown option -%c", optopt);
    return refuse_unknown(parser, argument);
}

int command_parse(const struct command_parser *parser, int argc, char **argv)
{
    struct option options[COMMAND_OPTIONS + 2] = {{0}};
    int value, status = COMMAND_OK;
    list_options(parser, options);
    for (unsigned i = 0; process && i < parser->count; i++)
        if (strcmp(parser->options[i].name, "prefix") == 0)
            *parser->options[i].text = process;
    opterr = 0;
    while (status == COMMAND_OK && (value = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (value == 'h')
            return COMMAND_HELP;
        if (value < FIRST_VALUE)
            return base_command_refuse(parser, value, argv[optind - 1]);
        const struct command_option *o = &parser->options[value - FIRST_VALUE];
        status = is_of_mode(parser, o) ? command_take(parser, o) : refuse_foreign(parser, o);
    }
    return status;
}

const char *command_version(void)
{
    return GBFLOW_VERSION;
}

const char *command_commit(void)
{
    return strcmp(GBFLOW_COMMIT, "unknown") == 0 ? "" : GBFLOW_COMMIT;
}
