/* SPDX-License-Identifier: BSD-3-Clause */
/* The HTML page of a report, which the report program makes of the JSON. */
#ifndef BENCH_THROUGHPUT_HTML_H
#define BENCH_THROUGHPUT_HTML_H

#include "bench/throughput/plan.h"

/* Before the run: with --html and no --json the report is a temporary file. False, with a line on stderr. */
bool bench_html_begin(struct bench_plan *plan);

/* After the run: makes the page, also of a run that failed; returns the exit status of run and page. */
int bench_html_end(const struct bench_plan *plan, int status);

/* `gbflow bench report FILE.json... --html FILE`: becomes the report program. Returns an exit status only
 * when that fails. */
int bench_html_run(const struct bench_plan *plan);

#endif
