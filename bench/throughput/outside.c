/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/outside.h"

#include "control/base/command.h"

#include <stdio.h>

#define CELLS_MAX 4096

static int parse_mac(uint8_t mac[6], bool *has_mac, const char *text)
{
    char end;
    *has_mac = sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%c", &mac[0], &mac[1], &mac[2], &mac[3],
                      &mac[4], &mac[5], &end) == 6;
    return *has_mac ? COMMAND_OK : command_wrong("bench", "this is no MAC address: ", text);
}

static int parse_device(char device[LIVE_CONFIG_DEVICE_CHARS], const char *text)
{
    if (snprintf(device, LIVE_CONFIG_DEVICE_CHARS, "%s", text) < LIVE_CONFIG_DEVICE_CHARS)
        return COMMAND_OK;
    return command_wrong("bench", "too long a device: ", text);
}

int bench_outside_gn(void *to, char *text)
{
    return parse_device(((struct bench_plan *)to)->eal.gn.device, text);
}

int bench_outside_gb(void *to, char *text)
{
    return parse_device(((struct bench_plan *)to)->eal.gb.device, text);
}

int bench_outside_gn_mac(void *to, char *text)
{
    struct bench_plan *plan = to;
    return parse_mac(plan->gn_mac, &plan->has_gn_mac, text);
}

int bench_outside_gb_mac(void *to, char *text)
{
    struct bench_plan *plan = to;
    return parse_mac(plan->gb_mac, &plan->has_gb_mac, text);
}

int bench_outside_check(const struct bench_plan *plan)
{
    if (plan->octets.count != 1 || plan->mobiles.count != 1 || plan->ciphers.count != 1)
        return command_wrong("bench", "generate takes one of each: --octets, --mobiles, --cipher", "");
    if (bench_plan_most_workers(plan) > 1)
        return command_wrong("bench", "generate takes no --workers: the node has its own", "");
    if (plan->cells > CELLS_MAX)
        return command_wrong("bench", "a node has 4096 cells at most", "");
    return COMMAND_OK;
}
