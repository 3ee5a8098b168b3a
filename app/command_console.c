/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow console`: finds the process, and says what the console can do there. */
#include "app/console/console.h"

#include "control/base/command.h"
#include "control/base/utf8.h"
#include "control/show/process_find.h"
#include "control/show/show.h"
#include "control/show/telemetry.h"

#include <getopt.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define LOOK_NS INT64_C(200000000)

static const char usage[] =
    "usage: gbflow console [--prefix NAME]\n"
    "       gbflow console [--prefix NAME] [--keep-going] < SCRIPT\n"
    "\n"
    "A prompt for commands to a running node or BSS: show, page, log, reload and all\n"
    "others of gbflow that take --prefix, which the console has chosen already. help\n"
    "lists them. Words may be shortened to what tells them apart: `sh bvc`. The\n"
    "prompt ends in # for a user who may act, in > for one who may read only.\n"
    "\n"
    "  TAB            completes commands, words, options, and IMSIs, TLLIs and\n"
    "                 numbers of NS-VCs, cells and NSEs\n"
    "  ?              lists what can follow; <cr>: the line is whole\n"
    "  ctrl-C         ends the line, or the command that runs\n"
    "  ctrl-D         ends the console, as exit and quit do\n"
    "\n"
    "`COMMAND | grep PATTERN` prints the lines that match, `COMMAND | less` page by\n"
    "page.\n"
    "\n"
    "history prints earlier lines, which arrow keys and ctrl-R bring back. They are\n"
    "in ~/.local/state/gbflow/console_history, the latest 1000, if HOME is the user's\n"
    "own.\n"
    "\n"
    "Where input or output is no terminal, standard input is a script: a command a\n"
    "line, # begins a comment, quotes and backslashes are those of a shell, and\n"
    "nothing is expanded. It ends at the first command that fails.\n"
    "\n"
    "  --keep-going   carry out the lines behind a command that fails, too\n"
    "  --prefix NAME  eal.prefix of the node, or --prefix of gbflow emulate (the only\n"
    "                 one that runs)\n"
    "\n"
    "Exit status: that of the first command of a script that fails; 0 success, 1 no\n"
    "such node runs, 2 wrong arguments.\n";

/* The name of a process of a path "FOLDER/NAME/FILE". */
static void take_name(struct console *c, const char *path)
{
    const char *end = strrchr(path, '/'), *name = end;
    while (name && name > path && name[-1] != '/')
        name--;
    snprintf(c->prefix, sizeof(c->prefix), "%.*s", end ? (int)(end - name) : 0, name ? name : "");
}

static const char *text_of(const json_t *greeting, const char *name, const char *other)
{
    const char *text = json_string_value(json_object_get(greeting, name));
    return text ? text : other;
}

/* False, with a line on stderr: no process answers. */
static bool greet(struct console *c, const char *path)
{
    json_t *greeting = path ? show_greeting(path) : NULL;
    if (!greeting)
        return false;
    take_name(c, path);
    command_set_process(c->prefix);
    c->may_act = !json_is_false(json_object_get(greeting, "acts"));
    if (c->is_interactive)
        utf8_printf(
            stdout,
            "%s %s, gbflow %s, process %lld; user %u may %s. ? lists what can follow, TAB completes.\n",
            strcmp(text_of(greeting, "kind", TELEMETRY_NODE), TELEMETRY_NODE) == 0 ? "Node" : "BSS",
            c->prefix, text_of(greeting, "version", "of an unknown version"),
            (long long)json_integer_value(json_object_get(greeting, "pid")), geteuid(),
            c->may_act ? "act" : "only read");
    json_decref(greeting);
    return true;
}

static void look(struct console *c)
{
    static struct process_found found[PROCESS_FIND_MOST];
    if (process_find(c->prefix, found, LOOK_NS) == 1 && found[0].kind[0])
        c->may_act = found[0].may_act;
}

int command_console(int argc, char **argv)
{
    static struct console c = {.look = look};
    const char *prefix = NULL;
    const struct command_option options[] = {
        {.name = "keep-going", .flag = &c.keeps_going, .value = true},
        {.name = "prefix", .text = &prefix},
    };
    const struct command_parser parser = {.command = "console", .options = options, .count = 2, .to = &c};
    int status = command_parse(&parser, argc, argv);
    if (!command_accepted(usage, &status))
        return status;
    if (argc != optind)
        return command_wrong("console", "unexpected argument: ", argv[optind]);
    signal(SIGCHLD, SIG_DFL); /* ignored, as some parents leave it, it gives no status */
    c.is_interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (!greet(&c, show_find(prefix, TELEMETRY_NODE)))
        return COMMAND_FAILED;
    return c.is_interactive ? console_edit(&c) : console_play(&c);
}
