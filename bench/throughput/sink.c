/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/sink.h"

#include "dataplane/base/bytes.h"
#include "dataplane/context/gb.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"

#include <stdlib.h>

#define KC_OCTETS_GEA3 8
#define KC_OCTETS_GEA4 16
#define IOV_UI         0x13579bdf

bool bench_sink_new(struct bench_sink *sink, uint32_t mobiles, const struct gea_engine *gea, bool is_checked)
{
    *sink = (struct bench_sink){.mobiles = mobiles, .gea = gea};
    if (!is_checked)
        return true;
    sink->counts = calloc(mobiles, sizeof(*sink->counts));
    sink->keys = calloc(mobiles, sizeof(*sink->keys));
    if (sink->counts && sink->keys)
        return true;
    bench_sink_free(sink);
    return false;
}

void bench_sink_free(struct bench_sink *sink)
{
    free(sink->counts);
    free(sink->keys);
    sink->counts = NULL;
    sink->keys = NULL;
}

struct llc_cipher_params bench_sink_cipher(uint8_t algorithm, uint32_t mobile)
{
    struct llc_cipher_params params = {.algorithm = algorithm,
                                       .kc_octets = algorithm == 3 ? KC_OCTETS_GEA3 : KC_OCTETS_GEA4,
                                       .iov_ui = IOV_UI};
    for (unsigned i = 0; i < params.kc_octets; i += 4)
        bytes_put_u32(params.kc + i, (mobile + 1) * (2 * i + UINT32_C(0x9e3779b1)));
    return params;
}

void bench_sink_expect(struct bench_sink *sink, uint32_t mobile, const struct llc_cipher_params *cipher)
{
    if (sink->keys)
        llc_cipher_key(&sink->keys[mobile], cipher);
}

static void decipher(const struct bench_sink *sink, const struct llc *llc, uint32_t mobile, uint8_t *info)
{
    const struct llc_key *key = &sink->keys[mobile];
    struct gea_job job = {
        .key = key->key,
        .data = info,
        .input = llc_cipher_input(key->iov_ui, llc->sapi, sink->counts[mobile]),
        .octets = (uint16_t)(llc->info_octets + LLC_FCS_OCTETS),
        .direction = GEA_DOWNLINK,
    };
    gea_cipher_burst(sink->gea, &job, 1);
}

static void judge_llc(struct bench_sink *sink, uint32_t mobile, uint8_t *bytes, size_t octets)
{
    struct llc llc;
    if (llc_decode(&llc, bytes, octets) < 0 || llc.format != LLC_UI ||
        llc.e != (sink->keys[mobile].algorithm != 0)) {
        sink->malformed++;
        return;
    }
    sink->out_of_order += llc.nu != sink->counts[mobile] % LLC_NU_MODULUS;
    if (llc.e)
        decipher(sink, &llc, mobile, bytes + llc.header_octets);
    sink->wrong_fcs += !llc_fcs_is_right(bytes, llc.header_octets, llc.info_octets, llc.pm);
    sink->counts[mobile]++;
}

static void open_frame(struct bench_sink *sink, uint8_t *frame, size_t octets)
{
    struct bssgp bssgp = {0};
    size_t before = GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS;
    if (octets <= before || bssgp_decode(&bssgp, frame + before, octets - before) < 0 ||
        bssgp.head.type != BSSGP_DL_UNITDATA || bssgp.tlli - BENCH_SINK_TLLI >= sink->mobiles)
        sink->malformed++;
    else
        judge_llc(sink, bssgp.tlli - BENCH_SINK_TLLI, (uint8_t *)(uintptr_t)bssgp.llc_pdu.at,
                  bssgp.llc_pdu.octets);
}

void bench_sink_take(struct bench_sink *sink, uint8_t *frame, size_t octets)
{
    sink->frames++;
    sink->octets += octets;
    if (sink->counts)
        open_frame(sink, frame, octets);
}
