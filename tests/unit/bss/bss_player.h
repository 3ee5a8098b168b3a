/* SPDX-License-Identifier: BSD-3-Clause */
/* Plays a table of rows (at, in, expect) against a BSS. PDUs are written by name, with what matters of them:

       reset_ack   bvc_reset/1800   flow_control_bvc_ack@1800#3   flow_control_ms@1800~c1#1   status/1800!9

   /n BVCI element, @n BVCI of the NS-UNITDATA (0 when left out), #n Tag, !n cause, ~x TLLI in hexadecimal,
   &n Feature Bitmap, %n Bucket_Full Ratio, +n BVC Measurement.
   $n PFI, $n:x:y an entry of FLOW-CONTROL-PFC with x octets and y bit/s.
   BSSGP's STATUS is "status", NS-STATUS is "ns_status", with # another NSEI in reset_ack. A PDU on another
   NS-VC than 0 has "1:" in front. What the BSS is told from its own side: "hold 1800", "release 1800"
   (bss_block(), bss_unblock()), "uplink 1800"; "put 1800~c1*29" is an LLC-PDU of 29 octets for bss_ul_put().
   A DL-UNITDATA carries 3 octets or *n, with a lifetime of 10 ms or ^n centiseconds (^65535: infinite).

   Where a cell has a radio, "in~c1:29" is an LLC-PDU from Gb, "lost~c1:29!1" one that died, with its enum
   radio_discard; llc_discarded/1800~c1=2:58 tells of 2 frames, 58 octets. */
#ifndef TESTS_UNIT_BSS_BSS_PLAYER_H
#define TESTS_UNIT_BSS_BSS_PLAYER_H

#include <stdint.h>

#include "bss/bss.h"

struct bss_play_row {
    int64_t at_ms;
    const char *in; /* NULL: only time passes */
    const char
        *expect; /* all that is sent at that instant, blanks between; nothing else may be sent before it */
};

/* The start that most tables begin with, of cell 1800; no timer but Tns-test and the ALIVE machine is left
 * after it.
 */
#define BSS_PLAYER_BRING_UP                                                                                  \
    {0, NULL, "reset"}, {0, "reset_ack", "unblock alive"}, {0, "alive_ack", ""},                             \
        {0, "unblock_ack", "bvc_reset/0"}, {0, "bvc_reset_ack/0", "bvc_reset/1800"},                         \
        {0, "bvc_reset_ack/1800", "bvc_unblock/1800"},                                                       \
        {0, "bvc_unblock_ack/1800", "flow_control_bvc@1800#1"},                                              \
    {                                                                                                        \
        0, "flow_control_bvc_ack@1800#1", ""                                                                 \
    }

/* Fails the test at the first row that does not hold. */
void bss_player_run(const struct bss_config *config, const struct bss_play_row *rows, unsigned count);

/* Answers a BSS with the NS-VC 101 and the cell 1800 so that it is up, all at the time 0. */
void bss_player_come_up(struct bss *bss);

#endif
