/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow completion`: prints completions of a shell. */
#include "control/base/command.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: gbflow completion bash|zsh|fish\n"
    "\n"
    "Prints a script that completes commands, modes, options and file names of gbflow\n"
    "in a shell:\n"
    "\n"
    "  bash  eval \"$(gbflow completion bash)\" in ~/.bashrc\n"
    "  zsh   eval \"$(gbflow completion zsh)\" in ~/.zshrc, after compinit\n"
    "  fish  gbflow completion fish | source in ~/.config/fish/config.fish\n"
    "\n"
    "A Debian package installs the scripts for all users.\n"
    "Exit status: 0 success, 2 wrong arguments.\n";

/* The scripts read what the commands' --help lists, so that they know each command and option of this
 * version. */
static const char bash[] =
    "_gbflow()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} commands=() word help\n"
    "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
    "        [[ $word =~ ^[a-z]+$ && ${#commands[@]} -lt 2 ]] && commands+=(\"$word\")\n"
    "    done\n"
    "    help=$(\"${COMP_WORDS[0]}\" \"${commands[@]}\" --help 2>/dev/null)\n"
    "    if [[ $cur == -* ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$(grep -oE -- '--[a-z][a-z-]*' <<<\"$help\" | sort -u)\" "
    "-- \"$cur\")\n"
    "    else\n"
    "        mapfile -t COMPREPLY < <(\n"
    "            compgen -W \"$(sed -nE 's/^  ([a-z][a-z_-]*)  .*/\\1/p' <<<\"$help\")\" -- \"$cur\"\n"
    "            [[ ${#commands[@]} -eq 0 ]] || compgen -f -- \"$cur\"\n"
    "        )\n"
    "    fi\n"
    "}\n"
    "complete -o filenames -F _gbflow gbflow\n";

static const char zsh[] =
    "#compdef gbflow\n"
    "_gbflow()\n"
    "{\n"
    "    local word help\n"
    "    local -a commands\n"
    "    for word in ${words[2,CURRENT-1]}; do\n"
    "        [[ $word =~ '^[a-z]+$' && ${#commands} -lt 2 ]] && commands+=($word)\n"
    "    done\n"
    "    help=$($words[1] $commands --help 2>/dev/null)\n"
    "    if [[ $words[CURRENT] == -* ]]; then\n"
    "        compadd -- ${(fu)\"$(grep -oE -- '--[a-z][a-z-]*' <<<$help)\"}\n"
    "    else\n"
    "        compadd -- ${(f)\"$(sed -nE 's/^  ([a-z][a-z_-]*)  .*/\\1/p' <<<$help)\"}\n"
    "        (( ${#commands} )) && _files\n"
    "    fi\n"
    "}\n"
    "if [[ $funcstack[1] == _gbflow ]]; then _gbflow; else compdef _gbflow gbflow; fi\n";

static const char fish[] = "function __gbflow_help\n"
                           "    set -l words (commandline -opc)\n"
                           "    set -l commands (string match -r '^[a-z]+$' -- $words[2..-1])\n"
                           "    $words[1] $commands[1..2] --help 2>/dev/null\n"
                           "end\n"
                           "function __gbflow_words\n"
                           "    __gbflow_help | string replace -rf '^  ([a-z][a-z_-]*)  +(.*)' '$1\\t$2'\n"
                           "    __gbflow_help | string match -ra -- '--[a-z][a-z-]*' | sort -u\n"
                           "end\n"
                           "complete -c gbflow -n '__fish_is_first_token' -f\n"
                           "complete -c gbflow -a '(__gbflow_words)'\n";

int command_completion(int argc, char **argv)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

    if (command_asks_help(argc, argv)) {
        fputs(usage, stdout);
        return COMMAND_OK;
    }
    for (unsigned i = 0; argc == 2 && i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        if (strcmp(argv[1], scripts[i].shell) == 0) {
            fputs(scripts[i].script, stdout);
            return COMMAND_OK;
        }
    }
    fputs("gbflow completion: name one shell: bash, zsh or fish\n", stderr);
    return COMMAND_USAGE;
}
