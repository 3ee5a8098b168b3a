/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow esp`: files of the keys of ESP. */
#include "control/base/command.h"

#include <string.h>

static const struct command_mode modes[] = {
    {"wireshark", "write the keys as Wireshark's table esp_sa, to decipher captures"},
};
static int (*const calls[])(int argc, char **argv) = {command_esp_wireshark};

int command_esp(int argc, char **argv)
{
    const struct command_modes m = {.command = "esp",
                                    .noun = "MODE",
                                    .head = "usage: gbflow esp MODE ...\n"
                                            "\n"
                                            "Works on a file with the keys of ESP, which esp.keys of a node "
                                            "names.\n"
                                            "\n",
                                    .tail = "\n`gbflow esp MODE --help` prints the arguments of a mode.\n",
                                    .modes = modes,
                                    .count = sizeof(modes) / sizeof(modes[0])};
    unsigned mode;
    int status;
    if (!command_find_mode(&m, argc, argv, &mode, &status))
        return status;
    return calls[mode](argc - 1, argv + 1);
}
