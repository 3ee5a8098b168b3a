/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/truth.h"

#include "app/run/cells.h"

#include "control/base/json_stream.h"
#include "control/base/whole_file.h"
#include "dataplane/base/moment.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA "gbflow-truth/1"

static int64_t least_ns(const struct scenario_config *scenario)
{
    int64_t radio_ns = 0;
    for (uint32_t i = 0; i < scenario->cell_count; i++)
        radio_ns =
            moment_max(radio_ns, scenario->cells[i].processing_ns + run_cells_block_ns(&scenario->cells[i]));
    return scenario->network.gn_delay_ns + scenario->network.gb_delay_ns + radio_ns;
}

bool run_truth_new(struct scenario_run *r)
{
    struct truth_config config = {
        .mobiles = r->scenario.mobile_count,
        .every_ns = r->scenario.series_every_ns,
        .least_ns = least_ns(&r->scenario),
    };
    if (!r->options->pcap.gi || truth_new(&r->truth, &config))
        return true;
    fprintf(stderr, "gbflow: out of memory for the ground-truth log (gi.truth.json)\n");
    return false;
}

void run_truth_see(const struct run_mobile *mobile, enum truth_place place, const uint8_t *packet,
                   size_t octets, int64_t now)
{
    struct scenario_run *r = mobile->run;
    struct truth_sighting seen = {
        .place = place, .mobile = (uint32_t)(mobile - r->mobiles), .packet = packet, .octets = octets};
    truth_see(&r->truth, &seen, now);
}

/* --- the file --- */

static double seconds(int64_t ns)
{
    return (double)ns / MOMENT_SECOND;
}

static double per_second(uint64_t octets, int64_t ns)
{
    return (double)octets * MOMENT_SECOND / (double)ns; /* no number, thus null, for 0 by 0 */
}

static void put_address(struct json_stream *s, const char *key, uint32_t address)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr in = {.s_addr = htonl(address)};
    json_stream_text(s, key, inet_ntop(AF_INET, &in, text, sizeof(text)));
}

/* The time between two moments at the monitor. */
static void put_gap(struct json_stream *s, const char *key, int64_t from_ns, int64_t to_ns)
{
    if (from_ns == TRUTH_NEVER || to_ns == TRUTH_NEVER)
        json_stream_null(s, key);
    else
        json_stream_number(s, key, seconds(to_ns - from_ns));
}

static void put_setup(struct json_stream *s, const struct truth_conn *c)
{
    static const char *const branches[] = {
        [TRUTH_OPTIMAL] = "optimal", [TRUTH_SLIGHT] = "slight", [TRUTH_NO_RESPONSE] = "no_response",
        [TRUTH_REFUSED] = "refused", [TRUTH_RESET] = "reset",   [TRUTH_SILENT] = "silent",
    };
    const struct truth_setup *setup = &c->setup;
    bool is_clean = setup->syns == 1 && setup->syn_acks == 1;
    json_stream_text(s, "branch", branches[truth_branch_of(c)]);
    json_stream_count(s, "syns", setup->syns);
    json_stream_count(s, "syn_acks", setup->syn_acks);
    if (setup->quiet_ns < 0)
        json_stream_null(s, "quiet_s");
    else
        json_stream_number(s, "quiet_s", seconds(setup->quiet_ns));
    put_gap(s, "setup_s", setup->syn_ns, setup->ack_ns);
    put_gap(s, "internet_rtt_s", setup->syn_ns, is_clean ? setup->syn_ack_ns : TRUTH_NEVER);
    put_gap(s, "access_rtt_s", setup->syn_ack_ns, is_clean ? setup->ack_ns : TRUTH_NEVER);
}

static void put_data(struct json_stream *s, const struct truth_data *d)
{
    json_stream_count(s, "sent", d->sent);
    json_stream_count(s, "retransmitted", d->retransmitted);
    json_stream_count(s, "internet_lost", d->internet_lost);
    json_stream_count(s, "passed", d->passed);
    json_stream_count(s, "passed_octets", d->passed_octets);
    json_stream_count(s, "arrived", d->arrived);
    json_stream_count(s, "access_lost", truth_access_lost(d));
    json_stream_count(s, "unsettled", truth_unsettled(d));
    json_stream_number(s, "user_octets_per_s",
                       per_second(d->user_to_octets - d->user_from_octets, d->last_ns - d->first_ns));
}

static void put_connection(struct json_stream *s, const struct scenario_run *r, const struct truth_conn *c)
{
    const struct run_mobile *mobile = &r->mobiles[c->mobile];
    json_stream_object(s, NULL);
    json_stream_text(s, "mobile", mobile->config->name);
    put_address(s, "address", mobile->config->address);
    json_stream_count(s, "mobile_port", c->mobile_port);
    json_stream_count(s, "server_port", c->server_port);
    json_stream_number(s, "start_s", seconds(c->setup.syn_ns));
    json_stream_bool(s, "sack", c->sacks == 3);
    json_stream_bool(s, "timestamps", c->timestamps == 3);
    json_stream_count(s, "largest_octets", c->largest_octets);
    put_setup(s, c);
    put_data(s, &c->data);
    json_stream_end(s);
}

static void put_way(struct json_stream *s, const char *key, const struct truth_way *way)
{
    if (way->packets)
        json_stream_number(s, key, seconds(way->sum_ns) / (double)way->packets);
    else
        json_stream_null(s, key);
}

static void put_row(struct json_stream *s, const struct truth_row *row)
{
    json_stream_array(s, NULL);
    json_stream_number(s, NULL, seconds(row->from_ns));
    json_stream_count(s, NULL, row->octets);
    json_stream_count(s, NULL, row->busy_octets);
    json_stream_number(s, NULL, seconds(row->busy_ns));
    json_stream_end(s);
}

static void put_mobile(struct json_stream *s, const struct scenario_run *r, uint32_t i)
{
    const struct truth_mobile *m = &r->truth.mobiles[i];
    char key[INET_ADDRSTRLEN];
    struct in_addr in = {.s_addr = htonl(r->mobiles[i].config->address)};
    json_stream_object(s, inet_ntop(AF_INET, &in, key, sizeof(key)));
    json_stream_text(s, "name", r->mobiles[i].config->name);
    json_stream_count(s, "octets", m->octets);
    json_stream_number(s, "channel_octets_per_s", per_second(m->busy_octets, m->busy_ns));
    put_way(s, "access_down_s", &m->access_down);
    put_way(s, "access_up_s", &m->access_up);
    json_stream_array(s, "rates");
    for (uint32_t row = 0; row < m->row_count; row++)
        put_row(s, &m->rows[row]);
    json_stream_end(s);
    json_stream_end(s);
}

static void put_all(struct json_stream *s, const struct scenario_run *r)
{
    const char *slash = strrchr(r->options->scenario, '/');
    json_stream_begin(s, SCHEMA);
    json_stream_text(s, "capture", "gi.pcapng");
    json_stream_text(s, "scenario", slash ? slash + 1 : r->options->scenario);
    json_stream_count(s, "seed", r->scenario.seed);
    json_stream_number(s, "begin_s", seconds(r->begin_ns));
    json_stream_number(s, "end_s", seconds(r->end_ns));
    json_stream_number(s, "every_s", seconds(r->truth.every_ns));
    json_stream_object(s, "mobiles");
    for (uint32_t i = 0; i < r->truth.mobile_count; i++)
        put_mobile(s, r, i);
    json_stream_end(s);
    json_stream_array(s, "connections");
    for (uint32_t i = 0; i < r->truth.conn_count; i++)
        put_connection(s, r, &r->truth.conns[i]);
    json_stream_end(s);
    json_stream_end(s);
}

bool run_truth_write(struct scenario_run *r, const char *path)
{
    if (!r->truth.mobiles)
        return true;
    struct json_stream s = {.file = whole_file_open(path)};
    if (!s.file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    put_all(&s, r);
    fputc('\n', s.file);
    bool is_good = whole_file_close(s.file, path) == 0;
    if (!is_good)
        fprintf(stderr, "%s: cannot be written\n", path);
    return is_good;
}
