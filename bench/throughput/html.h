/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a report of `gbflow bench`, which the report program makes of its JSON. */
#ifndef BENCH_THROUGHPUT_HTML_H
#define BENCH_THROUGHPUT_HTML_H

#include "bench/throughput/plan.h"

/* Before the run: a page needs a report; without --json it is a file of its own. False, with a line on
 * stderr. */
bool bench_html_begin(struct bench_plan *plan);

/* After it: makes the page if there is a report, also one of a run that failed; returns the exit status of
 * both. */
int bench_html_end(const struct bench_plan *plan, int status);

/* `gbflow bench report FILE.json... --html FILE`: becomes the report program. Returns an exit status only
 * when that fails. */
int bench_html_run(const struct bench_plan *plan);

#endif
