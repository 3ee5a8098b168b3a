/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands that act on one phone, NS-VC or cell of a running node. */
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/utf8.h"
#include "control/show/show.h"
#include "control/show/telemetry.h"

#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_US       20000
#define KEY_CHARS      24
#define ORDER_CHARS    256
#define IMSI_MIN       6
#define IMSI_MAX       15
#define ARGUMENTS_MOST 2
#define NRI_MAX        1023

#define OPTIONS_HELP                                                                                         \
    "  --dry-run      say what would be sent, and change nothing\n"                                          \
    "  --prefix NAME  eal.prefix of the node (the only one that runs)\n"
#define END_HELP                                                                                             \
    "\n"                                                                                                     \
    "The node writes to its log who has asked for it; `gbflow show acts` lists the\n"                        \
    "latest acts.\n"                                                                                         \
    "Exit status: 0 done, 1 not done, which a line on stderr explains, 2 wrong\n"                            \
    "arguments.\n"

struct request {
    const char *command, *usage, *prefix, *path, *nsei;
    int more; /* arguments behind the first */
    bool is_dry, reattaches;
    char order[ORDER_CHARS], key[KEY_CHARS];
};

/* --- the dialogue with the node --- */

static void put(struct request *r, const char *name, const char *value)
{
    size_t used = strlen(r->order);
    snprintf(r->order + used, sizeof(r->order) - used, ",%s=%s", name, value);
}

/* "pending" and so on; NULL, with a line on stderr: the node does not answer. *result is the caller's. */
static json_t *ask_outcome(const struct request *r)
{
    json_t *outcome = show_tell(r->path, "acted", r->key, SHOW_TIMEOUT_S);
    if (!outcome)
        command_error(r->command, "the act has begun; its end: gbflow show acts");
    if (!outcome || json_is_string(json_object_get(outcome, "state")))
        return outcome;
    command_error(r->command, "the node does not know the act any more; look with `gbflow show`");
    json_decref(outcome);
    return NULL;
}

static const char *text_of(const json_t *outcome, const char *name)
{
    const char *text = json_string_value(json_object_get(outcome, name));
    return text ? text : "";
}

/* Prints how the act has ended. */
static int finish(const struct request *r, const json_t *outcome)
{
    bool has_failed = strcmp(text_of(outcome, "state"), "failed") == 0;
    FILE *out = has_failed ? stderr : stdout;
    fprintf(out, "gbflow %s: %s: ", r->command, has_failed ? "not done" : r->is_dry ? "would send" : "done");
    utf8_printf(out, "%s\n", text_of(outcome, "result"));
    return has_failed ? COMMAND_FAILED : COMMAND_OK;
}

static int act(struct request *r)
{
    snprintf(r->key, sizeof(r->key), "%x-%" PRIx64, (unsigned)getpid(), (uint64_t)clock_now_ns());
    put(r, "key", r->key);
    put(r, "verb", r->command);
    if (r->is_dry)
        put(r, "dry", "yes");
    r->path = show_find(r->prefix, TELEMETRY_NODE);
    if (!r->path || !show_order(r->path, "act", r->order + 1, "gbflow show acts"))
        return COMMAND_FAILED;
    json_t *outcome = ask_outcome(r);
    while (outcome && strcmp(text_of(outcome, "state"), "pending") == 0) {
        json_decref(outcome);
        usleep(PAUSE_US);
        outcome = ask_outcome(r);
    }
    int status = outcome ? finish(r, outcome) : COMMAND_FAILED;
    json_decref(outcome);
    return status;
}

/* --- arguments --- */

static int command_act_parse(struct request *r, int argc, char **argv, const struct command_option *own,
                             unsigned count)
{
    struct command_option options[ARGUMENTS_MOST + 1] = {
        {.name = "prefix", .text = &r->prefix}, {.name = "dry-run", .flag = &r->is_dry, .value = true}};
    if (count > 0)
        options[ARGUMENTS_MOST] = *own;
    const struct command_parser parser = {
        .command = r->command, .options = options, .count = ARGUMENTS_MOST + count, .to = r};
    return command_parse(&parser, argc, argv);
}

static bool is_number(const char *text, uint32_t min, uint32_t max)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value >= min && value <= max;
}

static bool put_imsi(struct request *r, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (text[digits] == '\0' && digits >= IMSI_MIN && digits <= IMSI_MAX) {
        put(r, "imsi", text);
        return true;
    }
    command_wrong(r->command, "not an IMSI of 6 to 15 digits: ", text);
    return false;
}

/* Parses the options, and the IMSI with at most r->more arguments. False: *status is the exit status. */
static bool take_imsi(struct request *r, int argc, char **argv, int *status)
{
    const struct command_option reattach = {.name = "reattach", .flag = &r->reattaches, .value = true};
    *status = command_act_parse(r, argc, argv, &reattach, strcmp(r->command, "detach") == 0);
    if (!command_accepted(r->usage, status))
        return false;
    *status = COMMAND_USAGE;
    if (argc - optind >= 1 && argc - optind <= 1 + r->more)
        return put_imsi(r, argv[optind]);
    command_wrong(r->command, "missing IMSI, or too many arguments", "");
    return false;
}

/* --- phones --- */

static const char page_usage[] =
    "usage: gbflow page IMSI [--dry-run] [--prefix NAME]\n"
    "\n"
    "Reaches a mobile of a running node: one in STANDBY is paged (TS 24.008 clause\n"
    "4.7.9.1), one in READY is there. The command returns when the mobile has\n"
    "answered, or the pages have ended without an answer.\n"
    "\n" OPTIONS_HELP END_HELP;

int command_page(int argc, char **argv)
{
    struct request r = {.command = "page", .usage = page_usage};
    int status;
    return take_imsi(&r, argc, argv, &status) ? act(&r) : status;
}

static const char detach_usage[] =
    "usage: gbflow detach IMSI [--reattach] [--dry-run] [--prefix NAME]\n"
    "\n"
    "Detaches a phone of a running node by DETACH REQUEST (TS 24.008 clause 4.7.4.2),\n"
    "and deletes its PDP contexts at their GGSNs. The command returns when the phone\n"
    "has accepted, or T3322 has expired five times: then the node forgets the phone\n"
    "all the same.\n"
    "\n"
    "  --reattach     the phone is to attach again at once; else it stays detached\n"
    "                 until it attaches by itself\n" //
    OPTIONS_HELP END_HELP;

int command_detach(int argc, char **argv)
{
    struct request r = {.command = "detach", .usage = detach_usage};
    int status;
    if (!take_imsi(&r, argc, argv, &status))
        return status;
    if (r.reattaches)
        put(&r, "reattach", "yes");
    return act(&r);
}

static const char deactivate_usage[] =
    "usage: gbflow deactivate IMSI [NSAPI] [--dry-run] [--prefix NAME]\n"
    "\n"
    "Deactivates PDP contexts of a phone of a running node, all or that of an NSAPI,\n"
    "by DEACTIVATE PDP CONTEXT REQUEST (TS 24.008 clause 6.1.3.4.2), and deletes them\n"
    "at their GGSNs. The command returns when the phone has accepted, or T3395 has\n"
    "expired five times: then the contexts are gone all the same.\n"
    "\n" OPTIONS_HELP END_HELP;

int command_deactivate(int argc, char **argv)
{
    struct request r = {.command = "deactivate", .usage = deactivate_usage, .more = 1};
    int status;
    if (!take_imsi(&r, argc, argv, &status))
        return status;
    const char *nsapi = argv[optind + 1];
    if (nsapi && !is_number(nsapi, 5, 15))
        return command_wrong(r.command, "not an NSAPI from 5 to 15: ", nsapi);
    if (nsapi)
        put(&r, "nsapi", nsapi);
    return act(&r);
}

static const char forget_usage[] =
    "usage: gbflow forget IMSI [--dry-run] [--prefix NAME]\n"
    "\n"
    "Forgets a phone of a running node, as when its HLR cancels its location because\n"
    "it is with another SGSN: the phone is sent nothing, its PDP contexts are deleted\n"
    "at their GGSNs, the HLR gets PURGE MS. The phone attaches again when it sends,\n"
    "since it is unknown then.\n"
    "\n" OPTIONS_HELP END_HELP;

int command_forget(int argc, char **argv)
{
    struct request r = {.command = "forget", .usage = forget_usage};
    int status;
    return take_imsi(&r, argc, argv, &status) ? act(&r) : status;
}

/* --- a pool of SGSNs --- */

static const char offload_usage[] =
    "usage: gbflow offload --phones N | --all [--to NRI] [--now] [--dry-run]\n"
    "                      [--prefix NAME]\n"
    "       gbflow offload --stop [--prefix NAME]\n"
    "\n"
    "Has phones of a running node go to other SGSNs of its pool (TS 23.236 clause\n"
    "4.5): each is given a P-TMSI that the Gb proxy takes elsewhere, and the SGSN\n"
    "there fetches its contexts here, so that none is lost. The command returns at\n"
    "once; `gbflow drain` says when no phone is left. docs/pool.md has the walk.\n"
    "\n"
    "  --phones N     the next N phones\n"
    "  --all          all phones, also those that come meanwhile\n"
    "  --to NRI       to the SGSN with this NRI; else the proxy chooses one that\n"
    "                 takes new phones\n"
    "  --now          tell phones at once, 50 a second; else when they attach or\n"
    "                 update their routeing area\n"
    "  --stop         tell no more phones\n" OPTIONS_HELP END_HELP;

int command_offload(int argc, char **argv)
{
    struct request r = {.command = "offload", .usage = offload_usage};
    const char *phones = NULL, *to = NULL;
    bool is_all = false, is_now = false, is_stop = false;
    const struct command_option options[] = {{.name = "prefix", .text = &r.prefix},
                                             {.name = "dry-run", .flag = &r.is_dry, .value = true},
                                             {.name = "phones", .text = &phones},
                                             {.name = "to", .text = &to},
                                             {.name = "all", .flag = &is_all, .value = true},
                                             {.name = "now", .flag = &is_now, .value = true},
                                             {.name = "stop", .flag = &is_stop, .value = true}};
    const struct command_parser parser = {.command = r.command, .options = options, .count = 7, .to = &r};
    int status = command_parse(&parser, argc, argv);
    if (!command_accepted(r.usage, &status))
        return status;
    if (argc > optind)
        return command_wrong(r.command, "unexpected argument: ", argv[optind]);
    if ((phones != NULL) + is_all + is_stop != 1 || (is_stop && (to || is_now)))
        return command_wrong(r.command, "give one of --phones N, --all and --stop, --stop alone", "");
    if (phones && !is_number(phones, 1, INT32_MAX))
        return command_wrong(r.command, "--phones: not a number from 1 to 2147483647: ", phones);
    if (to && !is_number(to, 0, NRI_MAX))
        return command_wrong(r.command, "--to: not an NRI from 0 to 1023: ", to);
    if (phones)
        put(&r, "phones", phones);
    if (to)
        put(&r, "to", to);
    if (is_now)
        put(&r, "now", "yes");
    if (is_stop)
        put(&r, "stop", "yes");
    return act(&r);
}

static const char drain_usage[] =
    "usage: gbflow drain [--dry-run] [--prefix NAME]\n"
    "\n"
    "Waits until no phone of a running node is left, after `gbflow offload --all`:\n"
    "then the node can be stopped without a phone losing its contexts. It fails when\n"
    "phones are left after T3312 and the time behind it, in which each phone has\n"
    "updated or is detached. Ending the command changes nothing at the node; it may\n"
    "be given again.\n"
    "\n" OPTIONS_HELP END_HELP;

int command_drain(int argc, char **argv)
{
    struct request r = {.command = "drain", .usage = drain_usage};
    int status = command_act_parse(&r, argc, argv, NULL, 0);
    if (!command_accepted(r.usage, &status))
        return status;
    return argc > optind ? command_wrong(r.command, "unexpected argument: ", argv[optind]) : act(&r);
}

/* --- links --- */

/* The acts on an NS-VC and on a cell. */
static const char *const acts[] = {"reset", "block", "unblock"};

#define ACTS (sizeof(acts) / sizeof(acts[0]))

static int refuse_act(const struct request *r, const char *word)
{
    struct words words = {.count = 0};
    for (size_t i = 0; i < ACTS; i++)
        words_add(&words, acts[i]);
    return command_unknown(r->command, "", "act", word, &words);
}

static bool is_act(const char *word)
{
    for (size_t i = 0; i < ACTS; i++)
        if (strcmp(acts[i], word) == 0)
            return true;
    return false;
}

/* A command with a number, whose least value is `min`, and an act. */
static int act_on_link(struct request *r, int argc, char **argv, uint32_t min)
{
    const char *name = strcmp(r->command, "nsvc") == 0 ? "nsvci" : "bvci";
    const struct command_option nsei = {.name = "nsei", .text = &r->nsei};
    int status = command_act_parse(r, argc, argv, &nsei, 1);
    if (!command_accepted(r->usage, &status))
        return status;
    if (argc - optind != 2)
        return command_refuse(r->command, "give the %s and one of reset, block, unblock", name);
    if (!is_number(argv[optind], min, UINT16_MAX))
        return command_refuse(r->command, "'%s' is no %s from %u to 65535", argv[optind], name, min);
    if (r->nsei && !is_number(r->nsei, 0, UINT16_MAX))
        return command_wrong(r->command, "--nsei: not an NSEI from 0 to 65535: ", r->nsei);
    if (!is_act(argv[optind + 1]))
        return refuse_act(r, argv[optind + 1]);
    put(r, name, argv[optind]);
    put(r, "act", argv[optind + 1]);
    if (r->nsei)
        put(r, "nsei", r->nsei);
    return act(r);
}

#define LINK_USAGE(command, number, object, clauses, acts)                                                   \
    "usage: gbflow " command " " number " ACT [--nsei NSEI] [--dry-run] [--prefix NAME]\n"                   \
    "\n"                                                                                                     \
    "Acts on " object " of a running node (" clauses "). ACT is one of:\n"                                   \
    "\n" acts "\n"                                                                                           \
    "  --nsei NSEI    which NSE, if several have " object " of that " number "\n" OPTIONS_HELP END_HELP

int command_nsvc(int argc, char **argv)
{
    static const char usage[] =
        LINK_USAGE("nsvc", "NSVCI", "an NS-VC", "TS 48.016 clause 7.2, 7.3",
                   "  reset    NS-RESET, then NS-UNBLOCK; done when the NS-VC is in service again,\n"
                   "           also after a block\n"
                   "  block    NS-BLOCK; the NS-VC stays blocked, also after resets by the BSS,\n"
                   "           until it is unblocked or reset here\n"
                   "  unblock  NS-UNBLOCK\n"
                   "\n"
                   "The command returns when the BSS has answered, or the repetitions have ended\n"
                   "without an answer.\n");
    struct request r = {.command = "nsvc", .usage = usage};
    return act_on_link(&r, argc, argv, 0);
}

int command_bvc(int argc, char **argv)
{
    static const char usage[] =
        LINK_USAGE("bvc", "BVCI", "a cell", "TS 48.018 clause 8.3, 8.4",
                   "  reset    BVC-RESET; done when the BSS has answered\n"
                   "  block    send no LLC-PDU in the cell; the BSS is told nothing, since only a\n"
                   "           BSS blocks a cell\n"
                   "  unblock  the end of block\n");
    struct request r = {.command = "bvc", .usage = usage};
    return act_on_link(&r, argc, argv, 2);
}
