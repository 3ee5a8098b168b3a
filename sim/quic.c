/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/quic.h"

#include "dataplane/base/moment.h"
#include "sim/quic_lib.h"
#include "sim/quic_tls.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/*
 * The server writes its streams in order of their requests, each to its end before the next, as RFC 9218 has
 * it for responses that are of no use in part.
 */

enum {
    SERVER_ID_OCTETS = 8, /* a client has none: its port is enough */
    PATTERN_OCTETS = 251, /* a prime: no offset of packets is a multiple of it */
    PIECE_OCTETS = QUIC_MAX_DATAGRAM_OCTETS,
    STREAM_STEP = 4, /* between numbers of a client's bidirectional streams */
    LEAST_WAIT_NS = 1000,
    CLOSING_PTOS = 3,
    ALPN_NO_ERROR = 0x100, /* of HTTP/3 */
};

struct stream {
    int64_t id;
    uint64_t end;     /* of what the application has written */
    uint64_t handed;  /* to ngtcp2 */
    uint64_t top;     /* of what has been in a packet */
    uint64_t arrived; /* in order */
    bool is_open, is_ended, is_end_handed, is_blocked;
    struct stream *next; /* by number */
};

struct quic {
    struct quic_tls tls; /* first: the user data of ngtcp2's callbacks */
    struct quic_config config;
    ngtcp2_conn *conn;
    struct sockaddr_in local, remote;
    struct host_timer timer;
    struct stream *streams;
    struct quic_stats stats;
    int64_t latest_rtt_ns, next_stream, now;
    bool is_reading; /* within a callback of ngtcp2 */
    bool is_closing, is_close_wanted;
    enum quic_end end;
    uint32_t late_packets; /* received while closing */
    size_t last_octets;
    uint8_t last[QUIC_MAX_DATAGRAM_OCTETS]; /* the CONNECTION_CLOSE */
};

static uint8_t pattern[PATTERN_OCTETS + PIECE_OCTETS];

bool quic_is_built(void)
{
    return true;
}

const struct quic_stats *quic_stats(const struct quic *q)
{
    return &q->stats;
}

static ngtcp2_path path_of(struct quic *q)
{
    return (ngtcp2_path){
        .local = {(ngtcp2_sockaddr *)&q->local, sizeof(q->local)},
        .remote = {(ngtcp2_sockaddr *)&q->remote, sizeof(q->remote)},
    };
}

/* --- streams --- */

static struct stream *stream_get(struct quic *q, int64_t id)
{
    struct stream *s = q->streams;
    while (s && s->id != id)
        s = s->next;
    return s;
}

/* The stream of a number, a new one if there is none; NULL: no memory. */
static struct stream *stream_take(struct quic *q, int64_t id)
{
    struct stream **at = &q->streams;
    while (*at && (*at)->id < id)
        at = &(*at)->next;
    if (*at && (*at)->id == id)
        return *at;
    struct stream *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    s->id = id;
    s->next = *at;
    return *at = s;
}

static void stream_drop(struct quic *q, int64_t id)
{
    struct stream **at = &q->streams;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    if (!*at)
        return;
    struct stream *s = *at;
    *at = s->next;
    free(s);
}

static bool has_to_send(const struct stream *s)
{
    return s->is_open && !s->is_blocked && (s->handed < s->end || (s->is_ended && !s->is_end_handed));
}

static struct stream *next_to_send(struct quic *q)
{
    struct stream *s = q->streams;
    while (s && !has_to_send(s))
        s = s->next;
    return s;
}

static void open_streams(struct quic *q)
{
    int64_t id;
    if (!ngtcp2_conn_get_handshake_completed(q->conn))
        return;
    for (struct stream *s = q->streams; s; s = s->next)
        if (!s->is_open && ngtcp2_conn_open_bidi_stream(q->conn, &id, NULL) == 0)
            s->is_open = true;
}

/* --- what ngtcp2 asks for --- */

static uint64_t corrupt_octets(const uint8_t *data, size_t octets, uint64_t offset)
{
    uint64_t count = 0;
    for (size_t i = 0; i < octets; i += PATTERN_OCTETS) {
        size_t piece = octets - i < PATTERN_OCTETS ? octets - i : PATTERN_OCTETS;
        const uint8_t *right = pattern + (offset + i) % PATTERN_OCTETS;
        if (memcmp(data + i, right, piece) != 0)
            for (size_t k = 0; k < piece; k++)
                count += data[i + k] != right[k];
    }
    return count;
}

static int receive_stream(ngtcp2_conn *unused_conn, uint32_t flags, int64_t id, uint64_t unused_offset,
                          const uint8_t *data, size_t octets, void *user_data, void *unused_stream)
{
    struct quic *q = user_data;
    struct stream *s = stream_take(q, id);
    if (!s)
        return NGTCP2_ERR_CALLBACK_FAILURE;
    s->is_open = true;
    q->stats.corrupt_octets += corrupt_octets(data, octets, s->arrived);
    s->arrived += octets;
    ngtcp2_conn_extend_max_stream_offset(q->conn, id, octets);
    ngtcp2_conn_extend_max_offset(q->conn, octets);
    q->config.events.on_receive(q->config.events.arg, id, octets, flags & NGTCP2_STREAM_DATA_FLAG_FIN,
                                q->now);
    return 0;
}

static int stream_acked(ngtcp2_conn *unused_conn, int64_t unused_id, uint64_t offset, uint64_t octets,
                        void *user_data, void *unused_stream)
{
    struct quic *q = user_data;
    const struct app_record_watch *watch = &q->config.watch;
    if (watch->observer && watch->observer->on_acked)
        watch->observer->on_acked(watch->observer->arg, watch->connection, q->now, offset + octets);
    return 0;
}

static int stream_closed(ngtcp2_conn *conn, uint32_t unused_flags, int64_t id, uint64_t unused_error,
                         void *user_data, void *unused_stream)
{
    struct quic *q = user_data;
    stream_drop(q, id);
    if (q->tls.is_server)
        ngtcp2_conn_extend_max_streams_bidi(conn, 1);
    return 0;
}

static int stream_may_go_on(ngtcp2_conn *conn, int64_t id, uint64_t max, void *user_data, void *stream_data)
{
    struct stream *s = stream_get(user_data, id);
    if (s)
        s->is_blocked = false;
    return 0;
}

/* --- what is in packets --- */

static void sees_sent(void *arg, const struct quic_tls_stream_frame *frame)
{
    struct quic *q = arg;
    struct stream *s = stream_get(q, (int64_t)frame->stream);
    uint64_t end = frame->offset + frame->octets;
    const struct app_record_watch *watch = &q->config.watch;
    uint64_t fresh = s && end > s->top ? end - (s->top > frame->offset ? s->top : frame->offset) : 0;
    q->stats.sent_octets += frame->octets;
    q->stats.retransmitted_octets += frame->octets - fresh;
    if (fresh > 0)
        s->top = end;
    if (frame->octets > 0 && watch->observer && watch->observer->on_sent)
        watch->observer->on_sent(watch->observer->arg, watch->connection, q->now, end, fresh == 0);
}

static void sees_arrived(void *arg, const struct quic_tls_stream_frame *frame)
{
    struct quic *q = arg;
    const struct stream *s = stream_get(q, (int64_t)frame->stream);
    uint64_t known = s ? s->arrived : 0;
    if (known > frame->offset)
        q->stats.repeated_octets +=
            known - frame->offset < frame->octets ? known - frame->offset : frame->octets;
}

static void note_rtt(struct quic *q)
{
    const struct app_record_watch *watch = &q->config.watch;
    struct quic_stats *stats = &q->stats;
    int64_t rtt_ns = (int64_t)quic_lib_rtt_ns(q->conn);
    if (rtt_ns == q->latest_rtt_ns)
        return;
    q->latest_rtt_ns = rtt_ns;
    stats->rtt_min_ns = stats->rtt_count ? moment_min(stats->rtt_min_ns, rtt_ns) : rtt_ns;
    stats->rtt_max_ns = moment_max(stats->rtt_max_ns, rtt_ns);
    stats->rtt_sum_ns += rtt_ns;
    stats->rtt_count++;
    if (watch->observer && watch->observer->on_rtt)
        watch->observer->on_rtt(watch->observer->arg, watch->connection, q->now, rtt_ns);
}

/* --- sending --- */

static void emit(struct quic *q, const uint8_t *bytes, size_t octets, uint32_t ecn)
{
    struct ip_packet packet = {
        .ip = {.dst = q->config.remote,
               .proto = IPV4_PROTO_UDP,
               .dont_fragment = true,
               .tos = q->config.params->has_ecn ? (uint8_t)ecn : 0},
        .udp = {.src_port = q->config.local_port, .dst_port = q->config.remote_port},
        .payload = bytes,
        .payload_octets = (uint16_t)octets,
    };
    host_send(q->config.host, &packet, q->now);
}

static void over(struct quic *q)
{
    host_timer_cancel(q->config.host, &q->timer);
    q->config.events.on_over(q->config.events.arg, q->end, q->now);
}

/* CONNECTION_CLOSE, then the closing period. */
static void begin_closing(struct quic *q, enum quic_end end, uint64_t error)
{
    quic_lib_close why = {0};
    ngtcp2_path_storage path;
    ngtcp2_pkt_info info = {0};
    ngtcp2_path_storage_zero(&path);
    if (end == QUIC_END_CLOSED)
        quic_lib_close_of_application(&why, error, NULL, 0);
    else
        quic_lib_close_of_error(&why, (int)error, NULL, 0);
    ngtcp2_duration pto_ns = ngtcp2_conn_get_pto(q->conn);
    ngtcp2_ssize octets = ngtcp2_conn_write_connection_close(q->conn, &path.path, &info, q->last,
                                                             sizeof(q->last), &why, (ngtcp2_tstamp)q->now);
    q->is_closing = true;
    q->end = end;
    q->last_octets = octets > 0 ? (size_t)octets : 0;
    if (octets > 0)
        emit(q, q->last, q->last_octets, 0);
    host_timer_set(q->config.host, &q->timer, q->now + CLOSING_PTOS * (int64_t)pto_ns);
}

static void set_timer(struct quic *q)
{
    ngtcp2_tstamp at = ngtcp2_conn_get_expiry(q->conn);
    if (at == UINT64_MAX)
        host_timer_cancel(q->config.host, &q->timer);
    else
        host_timer_set(q->config.host, &q->timer, moment_max((int64_t)at, q->now + LEAST_WAIT_NS));
}

/* After a call that offered a stream's octets; taken: -1: none of them is in the packet. */
static void note_handed(struct stream *s, ngtcp2_ssize taken, bool is_last)
{
    if (!s || taken < 0)
        return;
    s->handed += (uint64_t)taken;
    s->is_end_handed = is_last && s->handed == s->end;
}

/* Makes one packet. Its octets; 0: nothing to send, or not now; below 0: an error of the connection. */
static ngtcp2_ssize make_packet(struct quic *q, uint8_t *bytes, ngtcp2_pkt_info *info)
{
    ngtcp2_path_storage path;
    ngtcp2_path_storage_zero(&path);
    for (;;) {
        struct stream *s = next_to_send(q);
        uint64_t left = s ? s->end - s->handed : 0;
        uint64_t piece = left < PIECE_OCTETS ? left : PIECE_OCTETS;
        bool is_last = s && s->is_ended && piece == left;
        ngtcp2_vec data = {s ? pattern + s->handed % PATTERN_OCTETS : NULL, (size_t)piece};
        uint32_t flags =
            (s ? NGTCP2_WRITE_STREAM_FLAG_MORE : 0) | (is_last ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0);
        ngtcp2_ssize taken;
        ngtcp2_ssize octets =
            ngtcp2_conn_writev_stream(q->conn, &path.path, info, bytes, q->config.params->datagram_octets,
                                      &taken, flags, s ? s->id : -1, &data, s ? 1 : 0, (ngtcp2_tstamp)q->now);
        note_handed(s, taken, is_last);
        if (octets == NGTCP2_ERR_STREAM_DATA_BLOCKED)
            s->is_blocked = true;
        else if (octets == NGTCP2_ERR_STREAM_SHUT_WR || octets == NGTCP2_ERR_STREAM_NOT_FOUND)
            s->is_open = false;
        else if (octets != NGTCP2_ERR_WRITE_MORE)
            return octets;
    }
}

/* Streams that the connection's window has stopped may try again. */
static void unblock(struct quic *q)
{
    bool has_room = ngtcp2_conn_get_max_data_left(q->conn) > 0;
    for (struct stream *s = q->streams; s && has_room; s = s->next)
        s->is_blocked = s->is_blocked && ngtcp2_conn_get_max_stream_data_left(q->conn, s->id) == 0;
}

static void flush(struct quic *q)
{
    uint8_t bytes[QUIC_MAX_DATAGRAM_OCTETS];
    ngtcp2_pkt_info info = {0};
    size_t room = ngtcp2_conn_get_send_quantum(q->conn);
    unblock(q);
    for (size_t sent = 0; sent == 0 || sent + q->config.params->datagram_octets <= room;) {
        open_streams(q);
        ngtcp2_ssize octets = make_packet(q, bytes, &info);
        if (octets < 0) {
            begin_closing(q, QUIC_END_ERROR, (uint64_t)octets);
            return;
        }
        if (octets == 0)
            break;
        emit(q, bytes, (size_t)octets, info.ecn);
        sent += (size_t)octets;
    }
    ngtcp2_conn_update_pkt_tx_time(q->conn, (ngtcp2_tstamp)q->now);
    set_timer(q);
}

/* Does what the application asked for, unless callbacks run. */
static void work(struct quic *q)
{
    if (q->is_reading || q->is_closing)
        return;
    if (q->is_close_wanted)
        begin_closing(q, QUIC_END_CLOSED, ALPN_NO_ERROR);
    else
        flush(q);
}

static void fire(void *arg, int64_t now)
{
    struct quic *q = arg;
    q->now = now;
    if (q->is_closing) {
        over(q);
        return;
    }
    int failed = quic_lib_expire(q->conn, &q->tls.probes, (ngtcp2_tstamp)now);
    q->stats.timeouts = q->tls.probes.count;
    if (failed == 0) {
        work(q);
        return;
    }
    q->end = failed == NGTCP2_ERR_IDLE_CLOSE ? QUIC_END_TIMEOUT : QUIC_END_ERROR;
    over(q);
}

/* --- receiving --- */

/* In the closing period each packet may be answered, ever fewer are (RFC 9000 section 10.2.1). */
static void receive_late(struct quic *q)
{
    q->late_packets++;
    if ((q->late_packets & (q->late_packets - 1)) == 0 && q->last_octets > 0)
        emit(q, q->last, q->last_octets, 0);
}

void quic_receive(struct quic *q, const struct ip_packet *packet, int64_t now)
{
    ngtcp2_path path = path_of(q);
    ngtcp2_pkt_info info = {.ecn = packet->ip.tos & NGTCP2_ECN_MASK};
    q->now = now;
    if (q->is_closing) {
        receive_late(q);
        return;
    }
    q->is_reading = true;
    int failed = ngtcp2_conn_read_pkt(q->conn, &path, &info, packet->payload, packet->payload_octets,
                                      (ngtcp2_tstamp)now);
    q->is_reading = false;
    note_rtt(q);
    if (failed == NGTCP2_ERR_DRAINING || failed == NGTCP2_ERR_DROP_CONN || failed == NGTCP2_ERR_CLOSING) {
        q->end = failed == NGTCP2_ERR_DROP_CONN ? QUIC_END_ERROR : QUIC_END_CLOSED;
        over(q);
    } else if (failed) {
        begin_closing(q, QUIC_END_ERROR, (uint64_t)failed);
    } else {
        work(q);
    }
}

/* --- beginning and end --- */

static const ngtcp2_cc_algo controllers[] = {
    [QUIC_RENO] = NGTCP2_CC_ALGO_RENO,
    [QUIC_CUBIC] = NGTCP2_CC_ALGO_CUBIC,
    [QUIC_BBR] = NGTCP2_CC_ALGO_BBR,
    [QUIC_BBR2] = QUIC_LIB_BBR2,
};

static ngtcp2_settings settings_of(struct quic *q)
{
    const struct quic_params *params = q->config.params;
    ngtcp2_settings settings;
    ngtcp2_settings_default(&settings);
    settings.cc_algo = controllers[params->cc];
    settings.initial_ts = (ngtcp2_tstamp)q->now;
    settings.initial_rtt = (ngtcp2_duration)params->initial_rtt_ns;
    settings.max_tx_udp_payload_size = params->datagram_octets;
    settings.no_tx_udp_payload_size_shaping = 1;
    settings.no_pmtud = 1;
    settings.rand_ctx.native_handle = &q->tls.rng;
    settings.ack_thresh = params->ack_every_packets;
    settings.handshake_timeout = UINT64_MAX; /* the idle timeout ends it */
    quic_lib_watch_probes(&settings);
    return settings;
}

static ngtcp2_transport_params transport_of(const struct quic *q)
{
    const struct quic_params *params = q->config.params;
    ngtcp2_transport_params transport;
    ngtcp2_transport_params_default(&transport);
    transport.initial_max_data = params->receive_window_octets;
    transport.initial_max_stream_data_bidi_local = params->receive_window_octets;
    transport.initial_max_stream_data_bidi_remote = params->receive_window_octets;
    transport.initial_max_streams_bidi = QUIC_MAX_STREAMS;
    transport.max_idle_timeout = (ngtcp2_duration)params->idle_ns;
    transport.max_ack_delay = (ngtcp2_duration)params->ack_delay_ns;
    return transport;
}

static ngtcp2_callbacks callbacks_of(void)
{
    ngtcp2_callbacks callbacks = {
        .recv_stream_data = receive_stream,
        .acked_stream_data_offset = stream_acked,
        .stream_close = stream_closed,
        .extend_max_stream_data = stream_may_go_on,
    };
    quic_tls_callbacks(&callbacks);
    return callbacks;
}

/* Its connection is the caller's to make. */
static struct quic *new_end(const struct quic_config *config, bool is_server, int64_t now)
{
    struct quic *q = calloc(1, sizeof(*q));
    if (!q)
        return NULL;
    for (size_t i = 0; i < sizeof(pattern); i++)
        pattern[i] = (uint8_t)(i % PATTERN_OCTETS);
    q->config = *config;
    q->now = now;
    q->timer = (struct host_timer){.fire = fire, .arg = q};
    q->tls = (struct quic_tls){.is_server = is_server,
                               .certificate_octets = config->params->certificate_octets,
                               .arg = q,
                               .on_sent = sees_sent,
                               .on_arrived = sees_arrived};
    q->local =
        (struct sockaddr_in){AF_INET, htons(config->local_port), {htonl(host_address(config->host))}, {0}};
    q->remote = (struct sockaddr_in){AF_INET, htons(config->remote_port), {htonl(config->remote)}, {0}};
    rng_init(&q->tls.rng, config->seed, config->stream);
    if (host_timer_set(config->host, &q->timer, MOMENT_NEVER))
        return q;
    free(q);
    return NULL;
}

/* header: of the client's first packet; NULL: this is the client. */
static struct quic *quic_begin(const struct quic_config *config, const ngtcp2_pkt_hd *header, int64_t now)
{
    struct quic *q = new_end(config, header != NULL, now);
    if (!q)
        return NULL;
    ngtcp2_cid own, peer;
    ngtcp2_path path = path_of(q);
    ngtcp2_settings settings = settings_of(q);
    ngtcp2_transport_params transport = transport_of(q);
    ngtcp2_callbacks callbacks = callbacks_of();
    quic_tls_id(&q->tls, &own, header ? SERVER_ID_OCTETS : 0);
    quic_tls_id(&q->tls, &peer, SERVER_ID_OCTETS);
    int failed;
    if (header) {
        quic_lib_set_first_id(&transport, &header->dcid);
        failed = ngtcp2_conn_server_new(&q->conn, &header->scid, &own, &path, header->version, &callbacks,
                                        &settings, &transport, NULL, q);
    } else {
        failed = ngtcp2_conn_client_new(&q->conn, &peer, &own, &path, NGTCP2_PROTO_VER_V1, &callbacks,
                                        &settings, &transport, NULL, q);
    }
    if (!failed)
        return q;
    quic_free(q);
    return NULL;
}

struct quic *quic_connect(const struct quic_config *config, int64_t now)
{
    struct quic *q = quic_begin(config, NULL, now);
    if (q)
        work(q);
    return q;
}

struct quic *quic_accept(const struct quic_config *config, const struct ip_packet *packet, int64_t now)
{
    ngtcp2_pkt_hd header;
    bool is_first = ngtcp2_accept(&header, packet->payload, packet->payload_octets) == 0;
    return is_first ? quic_begin(config, &header, now) : NULL;
}

void quic_free(struct quic *q)
{
    if (!q)
        return;
    ngtcp2_conn_del(q->conn);
    while (q->streams) {
        struct stream *s = q->streams;
        q->streams = s->next;
        free(s);
    }
    free(q);
}

/* --- for the application --- */

int64_t quic_open(struct quic *q)
{
    int64_t id = q->next_stream;
    q->next_stream += STREAM_STEP;
    stream_take(q, id);
    return id;
}

void quic_write(struct quic *q, int64_t stream, uint64_t octets, bool is_end, int64_t now)
{
    struct stream *s = stream_get(q, stream);
    if (!s || s->is_ended)
        return;
    q->now = now;
    s->end += octets;
    s->is_ended = is_end;
    work(q);
}

void quic_cut(struct quic *q, int64_t now)
{
    q->now = now;
    for (struct stream *s = q->streams; s; s = s->next) {
        if (s->is_end_handed)
            continue;
        s->end = s->handed;
        s->is_ended = true;
    }
    work(q);
}

void quic_close(struct quic *q, int64_t now)
{
    q->now = now;
    q->is_close_wanted = true;
    work(q);
}
