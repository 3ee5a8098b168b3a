/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of GSUP, a line of hex each, as libosmogsm reads them and writes them again: OsmoHLR and its
 * clients use it. Of a message that it cannot read or write, "-". */
#include <osmocom/core/msgb.h>
#include <osmocom/core/utils.h>
#include <osmocom/gsm/gsup.h>
#include <stdio.h>
#include <string.h>

enum { OCTETS = 2048 };

static void judge(const uint8_t *octets, int count)
{
    struct osmo_gsup_message message;
    struct msgb *again = msgb_alloc(OCTETS, "gsup");
    bool is_written = count > 0 && osmo_gsup_decode(octets, (size_t)count, &message) == 0 &&
                      osmo_gsup_encode(again, &message) == 0;
    for (unsigned i = 0; is_written && i < msgb_length(again); i++)
        printf("%02x", again->data[i]);
    puts(is_written ? "" : "-");
    msgb_free(again);
}

int main(void)
{
    char line[2 * OCTETS + 2];
    uint8_t octets[OCTETS];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        judge(octets, osmo_hexparse(line, octets, sizeof octets));
    }
    return 0;
}
