/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/tcp_script.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "sim/payload.h"
#include "sim/tcp_send.h"

#include <stdlib.h>

enum { OUT_MAX = 512, LOCAL_PORT = 50000, PEER_PORT = 80 };

#define ISS UINT32_C(0xfffffc00)
#define IRS UINT32_C(0xfffffe00)
#define MS  (MOMENT_SECOND / 1000)

struct out {
    int64_t at_ns;
    struct tcp_header tcp;
    uint32_t octets;
    uint8_t ecn;
};

struct stage {
    struct tcp tcp;
    struct out out[OUT_MAX];
    size_t written, read;
    uint64_t received;
    int64_t end_ns;
    enum tcp_end end;
    uint32_t corrupt;
};

static void keep_out(void *arg, const struct ip_packet *packet, int64_t now)
{
    struct stage *stage = arg;
    uint64_t key = payload_key(LOCAL_PORT, PEER_PORT, false);
    stage->corrupt +=
        payload_mismatches(packet->payload, packet->payload_octets, key, (uint32_t)(packet->tcp.seq - ISS));
    assert_true(stage->written < OUT_MAX);
    stage->out[stage->written++] = (struct out){now, packet->tcp, packet->payload_octets, packet->ip.tos};
}

static void on_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    ((struct stage *)arg)->received += octets;
}

static void on_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct stage *stage = arg;
    assert_int_equal(stage->end_ns, -1);
    stage->end_ns = now;
    stage->end = end;
}

struct tcp_params tcp_script_params(void)
{
    struct tcp_params params = tcp_params_default();
    params.mss_octets = 1000;
    params.sack = params.timestamps = false;
    params.initial_cwnd_segments = 10;
    return params;
}

static void run_until(struct stage *stage, int64_t at_ns)
{
    for (;;) {
        int64_t next_ns = tcp_step(&stage->tcp, 0);
        if (next_ns > at_ns)
            return;
        tcp_step(&stage->tcp, next_ns);
    }
}

static void add_options(struct tcp_header *tcp, const struct script_step *step)
{
    if (tcp->flags & TCP_SYN) {
        tcp->has_mss = true;
        tcp->mss = step->mss ? step->mss : 1000;
        tcp->sack_permitted = step->sack_permitted;
        tcp->has_window_scale = step->scale > 0;
        tcp->window_scale = step->scale;
    }
    tcp->has_timestamps = step->ts_value || step->ts_echo;
    tcp->ts_value = step->ts_value;
    tcp->ts_echo = step->ts_echo;
    for (; tcp->sacks < TCP_HEADER_MAX_SACKS && step->sack[tcp->sacks][1]; tcp->sacks++)
        tcp->sack[tcp->sacks] =
            (struct tcp_header_sack){ISS + step->sack[tcp->sacks][0], ISS + step->sack[tcp->sacks][1]};
}

static void peer_sends(struct stage *stage, const struct script_step *step, int64_t now)
{
    uint8_t payload[4096];
    struct ip_packet packet = {
        .ip = {.src = 2, .dst = 1, .proto = IPV4_PROTO_TCP, .tos = step->ecn},
        .tcp = {.src_port = PEER_PORT, .dst_port = LOCAL_PORT, .flags = step->flags},
        .payload = payload,
        .payload_octets = (uint16_t)step->octets,
    };
    packet.tcp.seq = IRS + step->seq;
    packet.tcp.ack = step->flags & TCP_ACK ? ISS + step->ack : 0;
    packet.tcp.window = (uint16_t)(step->is_shut ? 0 : step->window ? step->window : 65535);
    add_options(&packet.tcp, step);
    assert_true(step->octets <= sizeof(payload));
    payload_fill(payload, step->octets, payload_key(PEER_PORT, LOCAL_PORT, false), step->seq);
    if (stage->tcp.state == TCP_CLOSED && (step->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN)
        tcp_accept(&stage->tcp, &packet, now);
    else
        tcp_rx(&stage->tcp, &packet, now);
}

/* One packet of an OUT step; shift: octets of those before it in the same step. */
static bool is_expected(const struct out *out, const struct script_step *step, uint32_t shift)
{
    const struct tcp_header *tcp = &out->tcp;
    bool has_sacks = true;
    for (uint32_t i = 0; i < TCP_HEADER_MAX_SACKS; i++) {
        bool wanted = step->sack[i][1] > 0;
        has_sacks &= wanted == (i < tcp->sacks);
        if (wanted && i < tcp->sacks)
            has_sacks &=
                tcp->sack[i].start == IRS + step->sack[i][0] && tcp->sack[i].end == IRS + step->sack[i][1];
    }
    return out->at_ns == step->at_ms * MS && tcp->flags == step->flags &&
           tcp->seq == ISS + step->seq + shift && (!(step->flags & TCP_ACK) || tcp->ack == IRS + step->ack) &&
           out->octets == step->octets && out->ecn == step->ecn && has_sacks &&
           (!step->window || tcp->window == step->window) && (!step->is_shut || tcp->window == 0) &&
           (!step->ts_value || tcp->ts_value == step->ts_value) &&
           (!step->ts_echo || tcp->ts_echo == step->ts_echo);
}

static void expect_out(struct stage *stage, const struct script *script, const struct script_step *step)
{
    uint32_t times = step->times ? step->times : 1;
    size_t number = (size_t)(step - script->steps);
    for (uint32_t i = 0; i < times; i++) {
        if (stage->read == stage->written)
            fail_msg("%s, step %zu (%lld ms): nothing came out", script->name, number,
                     (long long)step->at_ms);
        const struct out *out = &stage->out[stage->read++];
        if (!is_expected(out, step, i * step->octets))
            fail_msg("%s, step %zu (%lld ms), packet %u: at %.3f ms flags %02x seq %u ack %u octets %u ecn "
                     "%u window %u "
                     "sacks %u ts %u %u",
                     script->name, number, (long long)step->at_ms, i, (double)out->at_ns / 1e6,
                     out->tcp.flags, out->tcp.seq - ISS, out->tcp.ack - IRS, out->octets, out->ecn,
                     out->tcp.window, out->tcp.sacks, out->tcp.ts_value, out->tcp.ts_echo);
    }
}

/* What must hold; the value that does. */
static uint64_t look(const struct stage *stage, const struct script_step *step)
{
    switch (step->kind) {
    case SCRIPT_CWND:
        return stage->tcp.cwnd_octets;
    case SCRIPT_STATE:
        return stage->tcp.state;
    case SCRIPT_END:
        return stage->end_ns == step->at_ms * MS ? (uint64_t)stage->end : UINT64_MAX;
    case SCRIPT_AGAIN:
        return stage->tcp.stats.octets_repeated;
    default:
        return stage->received;
    }
}

static void act(struct stage *stage, const struct script *script, const struct script_step *step)
{
    int64_t now = step->at_ms * MS;
    struct tcp *t = &stage->tcp;
    switch (step->kind) {
    case SCRIPT_IN:
        peer_sends(stage, step, now);
        break;
    case SCRIPT_OUT:
        expect_out(stage, script, step);
        break;
    case SCRIPT_CONNECT:
        tcp_connect(t, now);
        break;
    case SCRIPT_WRITE:
        tcp_write(t, step->octets, now);
        break;
    case SCRIPT_CLOSE:
        tcp_close(t, now);
        break;
    case SCRIPT_CUT:
        tcp_cut(t, now);
        break;
    case SCRIPT_ABORT:
        tcp_abort(t, now);
        break;
    case SCRIPT_HOLD:
    case SCRIPT_RELEASE:
        tcp_hold(t, step->kind == SCRIPT_HOLD, now);
        break;
    default:
        if (look(stage, step) != step->octets)
            fail_msg("%s, step %zu (%lld ms): %llu instead of %u", script->name,
                     (size_t)(step - script->steps), (long long)step->at_ms,
                     (unsigned long long)look(stage, step), step->octets);
    }
}

void tcp_script_run(const struct script *script)
{
    struct stage *stage = calloc(1, sizeof(*stage));
    assert_non_null(stage);
    stage->end_ns = -1;
    struct tcp_config config = {
        .params = &script->params,
        .address = {.local = 1, .remote = 2, .local_port = LOCAL_PORT, .remote_port = PEER_PORT},
        .events = {.arg = stage, .on_receive = on_receive, .on_closed = on_closed},
        .output = {.arg = stage, .emit = keep_out},
        .iss = ISS,
    };
    tcp_init(&stage->tcp, &config);
    for (size_t i = 0; i < script->count; i++) {
        const struct script_step *step = &script->steps[i];
        run_until(stage, step->at_ms * MS);
        if (step->kind != SCRIPT_OUT && stage->read < stage->written &&
            stage->out[stage->read].at_ns < step->at_ms * MS)
            fail_msg(
                "%s, before step %zu (%lld ms): a packet that nobody expects, flags %02x seq %u octets %u",
                script->name, i, (long long)step->at_ms, stage->out[stage->read].tcp.flags,
                stage->out[stage->read].tcp.seq - ISS, stage->out[stage->read].octets);
        act(stage, script, step);
    }
    assert_int_equal(stage->read, stage->written);
    assert_int_equal(stage->corrupt, 0);
    tcp_fini(&stage->tcp);
    free(stage);
}
