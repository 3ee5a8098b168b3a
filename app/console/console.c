/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/console/console.h"
#include "app/console/history.h"
#include "app/console/keys.h"
#include "app/console/syntax.h"

#include "control/base/utf8.h"
#include "control/base/words.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAID_OCTETS   (1 << 20)
#define SAID_SECONDS  1
#define SCRIPT_OCTETS (64 << 10) /* of a line */
#define ALIKE_CHARS   4
#define STATUS_SIGNAL 128 /* and its number, as shells have it */

/* --- processes --- */

/* A child that ends with the console, however that ends. */
static pid_t fork_child(void)
{
    pid_t console = getpid(), child = fork();
    if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != console))
        _exit(COMMAND_FAILED);
    return child;
}

static void become(const struct command_row *row, char *const *words, unsigned count)
{
    char *argv[LINE_WORDS + 1];
    memcpy(argv, words, count * sizeof(words[0]));
    argv[count] = NULL;
    keys_end();
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    optind = 0; /* the console's own arguments are parsed */
    exit(command_table()->call(row, (int)count, argv));
}

static int status_of(int how)
{
    return WIFSIGNALED(how) ? STATUS_SIGNAL + WTERMSIG(how) : WEXITSTATUS(how);
}

static int wait_for(pid_t child)
{
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    return how;
}

static void read_from(const char *path, int to)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0)
        dup2(fd, to);
}

/* Of a script the command reads nothing. */
static int run(const struct console *c, const struct command_row *row, char *const *words, unsigned count)
{
    fflush(stdout);
    pid_t child = fork_child();
    if (child < 0) {
        command_error("console", "%s: no process for it: %m; try again", row->name);
        return COMMAND_FAILED;
    }
    if (child == 0) {
        if (!c->is_interactive)
            read_from("/dev/null", STDIN_FILENO);
        become(row, words, count);
    }
    int how = wait_for(child);
    if (WIFSIGNALED(how) && WTERMSIG(how) != SIGINT && WTERMSIG(how) != SIGPIPE)
        command_error("console", "%s has ended by a signal: %s", row->name, strsignal(WTERMSIG(how)));
    return status_of(how);
}

static const struct command_row *row_of(const char *name)
{
    for (unsigned i = 0; i < command_table()->count; i++)
        if (strcmp(command_table()->rows[i].name, name) == 0)
            return &command_table()->rows[i];
    return NULL;
}

static char *read_all(int fd)
{
    size_t used = 0, cap = 4096;
    char *text = malloc(cap);
    ssize_t got = 1;
    while (text && got > 0 && used < SAID_OCTETS) {
        if (used + 1 == cap) {
            char *more = realloc(text, cap *= 2);
            if (!more)
                break;
            text = more;
        }
        got = read(fd, text + used, cap - used - 1);
        used += got > 0 ? (size_t)got : 0;
    }
    if (text)
        text[used] = '\0';
    return text;
}

char *console_said(char *const *words, unsigned count)
{
    int ends[2];
    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    pid_t child = fork_child();
    if (child == 0) {
        alarm(SAID_SECONDS);
        read_from("/dev/null", STDIN_FILENO);
        read_from("/dev/null", STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        become(row_of(words[0]), words, count);
    }
    close(ends[1]);
    char *text = child > 0 ? read_all(ends[0]) : NULL;
    close(ends[0]);
    if (child > 0)
        wait_for(child);
    return text;
}

/* --- the console's own commands --- */

enum { OWN_HELP, OWN_HISTORY, OWN_EXIT, OWN_QUIT, OWNS };

static const struct syntax_choice owns[OWNS] = {
    [OWN_HELP] = {.name = "help", .what = "list the commands, or print the help of one: help COMMAND"},
    [OWN_HISTORY] = {.name = "history", .what = "print the lines of this user's consoles"},
    [OWN_EXIT] = {.name = "exit", .what = "end the console, as ctrl-D does"},
    [OWN_QUIT] = {.name = "quit", .what = "the same"},
};

void console_list_commands(struct syntax_choices *choices)
{
    const struct command_table *table = command_table();
    *choices = (struct syntax_choices){.count = 0};
    for (unsigned i = 0; i < table->count; i++)
        if (table->rows[i].is_for_node)
            choices->list[choices->count++] =
                (struct syntax_choice){.name = table->rows[i].name, .what = table->rows[i].what};
    for (unsigned i = 0; i < OWNS; i++)
        choices->list[choices->count++] = owns[i];
}

static int list_help(void)
{
    struct syntax_choices choices;
    console_list_commands(&choices);
    for (unsigned i = 0; i < choices.count; i++)
        printf("  %-15s  %s\n", choices.list[i].name, choices.list[i].what);
    puts("\n? lists what can follow, TAB completes. Words may be shortened to what tells them apart.");
    return COMMAND_OK;
}

const struct syntax *console_syntax(struct console *c, const char *command)
{
    const struct command_row *row = row_of(command);
    if (!row || !row->is_for_node)
        return NULL;
    struct syntax **syntax = &c->syntaxes[row - command_table()->rows];
    char help[] = "--help", *const words[] = {(char *)row->name, help};
    char *text = *syntax ? NULL : console_said(words, 2);
    if (text && (*syntax = malloc(sizeof(**syntax))))
        syntax_read(*syntax, text);
    free(text);
    return *syntax;
}

/* --- a line --- */

bool console_expand_command(char **word, char error[SYNTAX_ERROR_CHARS])
{
    struct syntax_choices choices, begun = {.count = 0};
    if (!*word[0])
        return true;
    console_list_commands(&choices);
    for (unsigned i = 0; i < choices.count; i++) {
        if (strcmp(choices.list[i].name, *word) == 0)
            return true;
        if (strncmp(choices.list[i].name, *word, strlen(*word)) == 0)
            begun.list[begun.count++] = choices.list[i];
    }
    if (begun.count == 1)
        *word = (char *)begun.list[0].name;
    if (begun.count > 1)
        syntax_name_choices(*word, &begun, error);
    return begun.count <= 1;
}

static int refuse_unknown(const char *word)
{
    struct syntax_choices choices;
    struct words words = {.count = 0};
    if (row_of(word)) {
        command_error("console", "'%s' is no command for a running node; in a shell: gbflow %s", word, word);
        return COMMAND_USAGE;
    }
    console_list_commands(&choices);
    for (unsigned i = 0; i < choices.count; i++)
        words_add(&words, choices.list[i].name);
    const char *nearest = words_nearest(&words, word);
    if (strlen(word) < ALIKE_CHARS) /* is like too many words */
        nearest = NULL;
    command_error("console",
                  nearest ? "unknown command '%s'; did you mean '%s'?"
                          : "unknown command '%s'; help lists the commands",
                  word, nearest);
    return COMMAND_USAGE;
}

static int call(struct console *c, const struct command_row *row, struct line *line)
{
    char error[SYNTAX_ERROR_CHARS];
    const struct syntax *syntax = console_syntax(c, row->name);
    if (syntax && !syntax_expand(syntax, line->words + 1, line->count - 1, error)) {
        command_error("console", "%s", error);
        return COMMAND_USAGE;
    }
    return run(c, row, line->words, line->count);
}

static int call_own(struct console *c, const struct line *line, unsigned own)
{
    char help[] = "--help", *words[] = {NULL, help}, error[SYNTAX_ERROR_CHARS];
    if (line->count > (own == OWN_HELP ? 2 : 1)) {
        command_error("console", "%s: unexpected argument: %s", owns[own].name, line->words[line->count - 1]);
        return COMMAND_USAGE;
    }
    if (own == OWN_HISTORY)
        history_print(&c->history, stdout);
    c->is_over |= own == OWN_EXIT || own == OWN_QUIT;
    if (own != OWN_HELP)
        return COMMAND_OK;
    if (line->count == 1)
        return list_help();
    words[0] = line->words[1];
    if (!console_expand_command(&words[0], error)) {
        command_error("console", "%s", error);
        return COMMAND_USAGE;
    }
    for (unsigned i = 0; i < OWNS; i++)
        if (strcmp(words[0], owns[i].name) == 0)
            return printf("  %s  %s\n", owns[i].name, owns[i].what) > 0 ? COMMAND_OK : COMMAND_FAILED;
    const struct command_row *row = row_of(words[0]);
    return row && row->is_for_node ? run(c, row, words, 2) : refuse_unknown(words[0]);
}

static int call_words(struct console *c, struct line *line)
{
    char error[SYNTAX_ERROR_CHARS];
    if (!console_expand_command(&line->words[0], error)) {
        command_error("console", "%s", error);
        return COMMAND_USAGE;
    }
    for (unsigned i = 0; i < OWNS; i++)
        if (strcmp(line->words[0], owns[i].name) == 0)
            return call_own(c, line, i);
    const struct command_row *row = row_of(line->words[0]);
    return row && row->is_for_node ? call(c, row, line) : refuse_unknown(line->words[0]);
}

/* --- filters: a program that reads what a command prints --- */

#define FILTER_OPTIONS "ivcwEF"

/* False, with a message: the words behind | are not `grep [-ivcwEF] PATTERN` or `less`. */
static bool is_filter(char *const *words, unsigned count)
{
    unsigned options = 0;
    if (count == 1 && strcmp(words[0], "less") == 0)
        return true;
    while (options + 1 < count && words[options + 1][0] == '-' && words[options + 1][1] &&
           strspn(words[options + 1] + 1, FILTER_OPTIONS) == strlen(words[options + 1] + 1))
        options++;
    bool is_right = count == options + 2 && strcmp(words[0], "grep") == 0;
    if (!is_right)
        command_error("console",
                      "behind | stands `grep PATTERN`, with -i, -v, -c, -w, -E or -F before it, or "
                      "`less`");
    return is_right;
}

/* Never returns. */
static void become_filter(char *const *words, unsigned count, int from)
{
    char *argv[LINE_WORDS + 3], pattern[] = "-e", less_options[] = "-dFS";
    memcpy(argv, words, count * sizeof(words[0]));
    argv[count] = argv[count + 1] = NULL;
    if (count == 1) {
        argv[1] = less_options; /* any terminal; what fits is only printed; long lines do not wrap */
    } else {
        argv[count] = argv[count - 1];
        argv[count - 1] = pattern;
    }
    dup2(from, STDIN_FILENO);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    setenv("LESSSECURE", "1", 1); /* less starts no other program */
    execvp(argv[0], argv);
    command_error("console", "%s: %m; install it", argv[0]);
    _exit(COMMAND_MISSING);
}

static int call_with_stdout(struct console *c, struct line *line, int to)
{
    int was = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    dup2(to, STDOUT_FILENO);
    close(to);
    int status = call_words(c, line);
    fflush(stdout);
    clearerr(stdout);
    dup2(was, STDOUT_FILENO);
    close(was);
    return status == STATUS_SIGNAL + SIGPIPE ? COMMAND_OK : status; /* the filter has ended before */
}

/* The status of the command, or that of the filter if the command's is COMMAND_OK. */
static int call_filtered(struct console *c, struct line *line)
{
    int ends[2];
    char *const *filter = line->words + line->filter;
    unsigned count = line->count - line->filter;
    char *words[LINE_WORDS];
    memcpy(words, filter, count * sizeof(words[0]));
    if (!is_filter(words, count))
        return COMMAND_USAGE;
    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        command_error("console", "no pipe: %m; try again");
        return COMMAND_FAILED;
    }
    pid_t child = fork_child();
    if (child == 0)
        become_filter(words, count, ends[0]);
    close(ends[0]);
    line->count = line->filter;
    line->words[line->count] = NULL;
    void (*was)(int) = signal(SIGPIPE, SIG_IGN);
    int status = call_with_stdout(c, line, ends[1]);
    signal(SIGPIPE, was);
    int of_filter = child > 0 ? status_of(wait_for(child)) : COMMAND_FAILED;
    return status == COMMAND_OK ? of_filter : status;
}

int console_carry_out(struct console *c, const char *text, size_t octets)
{
    static struct line line;
    const char *behind = utf8_behind_mark(text);
    const char *wrong = line_split(&line, behind, octets - (size_t)(behind - text));
    if (!wrong && line.open)
        wrong = line.open == '\\' ? "nothing stands behind its last \\; delete it"
                                  : "it has a quote without an end; add the second one";
    if (wrong) {
        command_error("console", "the line is not carried out: %s", wrong);
        return COMMAND_USAGE;
    }
    if (line.filter > 0)
        return call_filtered(c, &line);
    return line.count > 0 ? call_words(c, &line) : COMMAND_OK;
}

/* --- a script --- */

struct script_line {
    char text[SCRIPT_OCTETS + 1];
    size_t octets;
};

/* Without its end. False: there is none, or standard input cannot be read. */
static bool read_line(struct script_line *line)
{
    int octet = 0;
    line->octets = 0;
    while (line->octets < SCRIPT_OCTETS && (octet = getc(stdin)) != EOF && octet != '\n')
        line->text[line->octets++] = (char)octet;
    bool is_line = line->octets > 0 || (!feof(stdin) && !ferror(stdin));
    line->octets -= line->octets > 0 && line->text[line->octets - 1] == '\r';
    line->text[line->octets] = '\0';
    return is_line && !ferror(stdin);
}

/* The end of a longer line is not looked for: the input may be no script. */
static int carry_out_line(struct console *c, const struct script_line *line)
{
    if (line->octets < SCRIPT_OCTETS)
        return console_carry_out(c, line->text, line->octets);
    command_error("console", "the line has no end within %d octets; split it", SCRIPT_OCTETS);
    c->is_over = true;
    return COMMAND_USAGE;
}

int console_play(struct console *c)
{
    static struct script_line line;
    int status = COMMAND_OK;
    for (unsigned number = 1; !c->is_over && read_line(&line); number++) {
        int now = carry_out_line(c, &line);
        if (now == COMMAND_OK)
            continue;
        command_error("console", "line %u: status %d%s", number, now,
                      c->keeps_going ? "" : "; the lines behind it are not carried out (--keep-going does)");
        status = status == COMMAND_OK ? now : status;
        c->is_over |= !c->keeps_going;
    }
    if (ferror(stdin)) {
        command_error("console", "standard input: %m");
        status = status == COMMAND_OK ? COMMAND_FAILED : status;
    }
    return status;
}
