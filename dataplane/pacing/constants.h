/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constants: all numbers of pacing that shape what users get, beside its keys. None is fitted to an air or a
 * path. scripts/pacing_constants.py prints what half and twice of each changes (docs/tcp-windows.md). For the
 * files of this folder alone.
 */
#ifndef DATAPLANE_PACING_CONSTANTS_H
#define DATAPLANE_PACING_CONSTANTS_H

/* Of a mobile's octets in its windows, the least: what a delayed ACK waits for (RFC 9293 clause 3.8.6.3). */
#define PACING_LEAST_SEGMENTS 2
/* Quarters of the mean time to the servers and back in a window: a mean leaves half of the servers farther.
 */
#define PACING_CORE_QUARTERS 7
/* Windows are so many times as large in a cell that was not full, while no mobile of the class waits for a
 * turn: it could carry more than the shares. When others come the edges move back. */
#define PACING_WIDE 8
/* Shares are counted in windows of 2^33 ns = 8.6 s: a mobile of four flows with a share of 2 kbit/s gets a
 * segment of each in it. In shorter ones mobiles and flows with little would be counted too few. */
#define PACING_WINDOW_LOG2_NS 33
/* R beyond what arrives, up to this part of R, may be none: the BSS announces R without block errors. */
#define PACING_AIR_PART 4
/* Of a sample in a mean: that of a round trip (RFC 6298). */
#define PACING_MEAN_PART 8
/* Of a sample, or one server, or one mobile, would set the mean of all. */
#define PACING_CORE_MOST_MS 4000
/* Since the last progress of a flow a repetition may be needed after two doublings of the timer of a server
 * that has the mean. */
#define PACING_REPEAT_MEANS 4

#endif
