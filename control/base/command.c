/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int command_wrong(const char *command, const char *message, const char *what)
{
    fprintf(stderr, "gbflow %s: %s%s\ntry: gbflow %s --help\n", command, message, what, command);
    return COMMAND_USAGE;
}

bool command_goes_on(const char *usage, int *status)
{
    if (*status == COMMAND_HELP) {
        fputs(usage, stdout);
        *status = COMMAND_OK;
        return false;
    }
    return *status == COMMAND_OK;
}

int command_number(const char *command, const struct command_option *o, const char *text)
{
    char *end, message[128];
    errno = 0;
    *o->number = strtoll(text, &end, 10);
    if (!errno && !*end && end != text && *o->number >= o->min && *o->number <= o->max)
        return COMMAND_OK;
    snprintf(message, sizeof(message), "--%s takes whole numbers from %" PRId64 " to %" PRId64 ", not ",
             o->name, o->min, o->max);
    return command_wrong(command, message, text);
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
        out[i] = (struct option){o->name, o->flag ? no_argument : takes[o->takes], NULL, (int)i + 1};
    }
    out[parser->count] = (struct option){"help", no_argument, NULL, COMMAND_OPTIONS + 1};
}

static int take(const struct command_parser *parser, const struct command_option *o)
{
    if (o->text)
        *o->text = optarg;
    if (o->flag)
        *o->flag = o->value;
    if (o->number)
        return command_number(parser->command, o, optarg);
    return o->parse ? o->parse(parser->to, optarg) : COMMAND_OK;
}

int command_parse(const struct command_parser *parser, int argc, char **argv)
{
    struct option options[COMMAND_OPTIONS + 2] = {{0}};
    int number, status = COMMAND_OK;
    list_options(parser, options);
    while (status == COMMAND_OK && (number = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (number == COMMAND_OPTIONS + 1)
            return COMMAND_HELP;
        if (number < 1 || number > (int)parser->count)
            return command_wrong(parser->command, "wrong option", "");
        status = take(parser, &parser->options[number - 1]);
    }
    return status;
}
