/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV files: connections, periods, exchanges. */
#include "app/analyze/analyze.h"

#include <inttypes.h>

void analyze_csv_head(FILE *file)
{
    fputs("start_s,mobile,mobile_port,server,server_port,opened_by,branch,background,syns,syn_acks,setup_s,"
          "internet_rtt_s,access_rtt_s,packets,data_packets,payload_octets,retransmitted,access_lost,"
          "internet_lost,spurious,late,missed,rtt_samples,rtt_mean_s,alone,single,mss,window_octets,sack,"
          "timestamp,other_octets,throughput_bps,goodput_bps,user_bps,uplink_octets,uplink_retransmitted,"
          "window_probes\n",
          file);
}

static double seconds(int64_t ns)
{
    return (double)ns * 1e-9;
}

static void put_head(FILE *file, const struct gi_conn *c, const struct gi_verdict *v)
{
    static const char *const openers[] = {"unseen", "mobile", "server"};
    char mobile[GI_PACKET_ADDRESS_CHARS], server[GI_PACKET_ADDRESS_CHARS];
    fprintf(file, "%.9f,%s,%u,%s,%u,%s,%s,%d,%u,%u,%.9g,%.9g,%.9g,", seconds(c->first_ns),
            gi_packet_address_text(c->mobile, mobile), c->mobile_port,
            gi_packet_address_text(c->server, server), c->server_port, openers[c->opener],
            gi_result_branch_name(v->branch), v->has_background, c->setup.syns, c->setup.syn_acks,
            seconds(v->setup_ns), seconds(v->internet_rtt_ns), seconds(v->access_rtt_ns));
}

static void put_data(FILE *file, const struct gi_conn *c)
{
    const struct gi_conn_down *d = &c->down;
    double mean_s = c->rtt.count ? (double)c->rtt.sum_us / c->rtt.count * 1e-6 : 0;
    fprintf(file, "%" PRIu64 ",%u,%" PRIu64 ",%u,%u,%u,%u,%u,%u,%u,%.6f,", c->packets, d->packets,
            d->payload_octets, d->retransmitted, c->flight.lost, d->repaired, c->flight.spurious, d->late,
            d->missed, c->rtt.count, mean_s);
}

void analyze_csv_row(void *to, const struct gi_conn *c, const struct gi_verdict *v)
{
    FILE *file = to;
    put_head(file, c, v);
    put_data(file, c);
    fprintf(file, "%d,%d,%s,%u,%d,%d,%" PRIu64 ",%.1f,%.1f,%.1f,%" PRIu64 ",%u,%u\n", c->is_alone,
            v->is_single, gi_result_level_name(v->mss), c->window_octets, c->has_sack, c->has_timestamp,
            v->other_octets, v->throughput_bps, v->goodput_bps, v->user_bps, c->up_octets,
            c->up_retransmitted, c->down.window_probes);
}

void analyze_csv_period_head(FILE *file)
{
    fputs("mobile,mobile_port,server,server_port,start_s,end_s,rate_bps\n", file);
}

void analyze_csv_period(void *to, const struct gi_conn *c, double rate_bps)
{
    char mobile[GI_PACKET_ADDRESS_CHARS], server[GI_PACKET_ADDRESS_CHARS];
    fprintf(to, "%s,%u,%s,%u,%.9f,%.9f,%.1f\n", gi_packet_address_text(c->mobile, mobile), c->mobile_port,
            gi_packet_address_text(c->server, server), c->server_port, seconds(c->period.start_ns),
            seconds(c->period.end_ns), rate_bps);
}

void analyze_csv_exchange_head(FILE *file)
{
    fputs("mobile,mobile_port,server,server_port,start_s,exchange,begin_s,request_s,first_s,last_s,done_s,"
          "request_octets,response_octets\n",
          file);
}

/* A time that there is not is an empty field. */
static void put_time(FILE *file, int64_t at_ns)
{
    if (at_ns)
        fprintf(file, "%.9f", seconds(at_ns));
    fputc(',', file);
}

void analyze_csv_exchange(void *to, const struct gi_conn *c, const struct gi_exchange *x)
{
    char mobile[GI_PACKET_ADDRESS_CHARS], server[GI_PACKET_ADDRESS_CHARS];
    fprintf(to, "%s,%u,%s,%u,%.9f,%u,%.9f,", gi_packet_address_text(c->mobile, mobile), c->mobile_port,
            gi_packet_address_text(c->server, server), c->server_port, seconds(c->first_ns), x->number,
            seconds(x->begin_ns));
    put_time(to, x->request_ns);
    put_time(to, x->first_ns);
    put_time(to, x->last_ns);
    put_time(to, x->done_ns);
    fprintf(to, "%" PRIu64 ",%" PRIu64 "\n", x->request_octets, x->response_octets);
}
