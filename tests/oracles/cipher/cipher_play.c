/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays ciphered frames through a worker for a judge in another language:
 *
 *     cipher_play down FOLDER SWITCH...   N-PDUs from Gn; writes gb.pcapng, keys.json, n_pdus.txt
 *     cipher_play up FOLDER SWITCH...     frames of FOLDER/uplink.pcapng; writes n_pdus.txt
 *
 * A SWITCH is FRAME:ALGORITHM:KC:IOV_UI, Kc and IOV-UI in hex: ordered when so many frames of the first
 * mobile's SAPI 3 went by. n_pdus.txt has a line "TLLI NSAPI OCTETS" for each N-PDU of Gn, in their order;
 * keys.json says from which frame each key was in force according to the worker's answers.
 */
#include "capture/reader.h"
#include "capture/writer.h"
#include "dataplane/base/bytes.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <stdio.h>
#include <string.h>

#define FRAMES_DOWN  3200 /* of the first mobile's SAPI 3 */
#define N201_U       300
#define MOBILES      3
#define STEP_NS      MOMENT_SECOND / 1000
#define SWITCHES_MAX 16
#define LINE_OCTETS  128

enum { FIRST = 0, OTHER_KEY = 1, CLEAR = 2 };

/* PDP context i is on these; TEIDs count up. */
static const struct {
    uint8_t ms, nsapi, sapi;
} contexts[] = {{FIRST, 5, 3}, {FIRST, 6, 5}, {OTHER_KEY, 5, 9}, {CLEAR, 5, 3}};

struct play {
    int argc;
    char **argv;
    struct kit kit;
    struct capture_writer gb;
    FILE *n_pdus, *keys;
    unsigned frames[MOBILES][12]; /* downlink, by mobile and SAPI */
    unsigned next_switch;         /* in argv */
    const char *separator;        /* between rows of keys.json */
};

static FILE *create(const struct play *p, const char *name, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", p->argv[2], name);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    return file;
}

static void open_play(struct play *p)
{
    char path[4096];
    kit_open(&p->kit,
             &(struct kit_options){.n201_u = N201_U, .gn_mtu_octets = 1600, .no_uplink_filter = true});
    for (uint32_t i = 1; i < MOBILES; i++) {
        struct msg msg = kit_ms(&p->kit, i, KIT_TLLI + i);
        kit_do(&p->kit, &msg);
    }
    for (uint32_t i = 1; i < COUNT(contexts); i++) {
        struct msg msg = kit_pdp(i, contexts[i].ms, contexts[i].nsapi, KIT_TEID + i);
        msg.pdp.sapi = contexts[i].sapi;
        msg.pdp.ggsn_teid = KIT_GGSN_TEID + i;
        kit_do(&p->kit, &msg);
    }
    kit_flow(&p->kit, 1000000000, 1000000000);
    snprintf(path, sizeof(path), "%s/gb.pcapng", p->argv[2]);
    assert_int_equal(capture_writer_open(&p->gb, path, "gb"), 0);
    p->n_pdus = create(p, "n_pdus.txt", "w");
    p->next_switch = 3;
}

static void close_play(struct play *p)
{
    assert_int_equal(capture_writer_close(&p->gb), 0);
    assert_int_equal(fclose(p->n_pdus), 0);
    kit_close(&p->kit);
}

static void write_n_pdu(struct play *p, unsigned context, const uint8_t *n_pdu, size_t octets)
{
    fprintf(p->n_pdus, "%08x %u ", KIT_TLLI + contexts[context].ms, contexts[context].nsapi);
    for (size_t i = 0; i < octets; i++)
        fprintf(p->n_pdus, "%02x", n_pdu[i]);
    fputc('\n', p->n_pdus);
}

/* --- switches --- */

static struct llc_cipher_params params_of(const char *text)
{
    unsigned frame, algorithm, iov_ui;
    char kc[2 * LLC_CIPHER_KC_OCTETS + 1] = "";
    struct llc_cipher_params params = {0};

    assert_int_equal(sscanf(text, "%u:%u:%32[^:]:%x", &frame, &algorithm, kc, &iov_ui), 4);
    params.algorithm = (uint8_t)algorithm;
    params.iov_ui = iov_ui;
    for (unsigned octet; sscanf(kc + 2 * params.kc_octets, "%2x", &octet) == 1; params.kc_octets++)
        params.kc[params.kc_octets] = (uint8_t)octet;
    return params;
}

static struct msg switch_mobile(struct play *p, uint32_t ms, const struct llc_cipher_params *params)
{
    struct msg msg = {.type = MSG_MS_CIPHER, .slot = ms}, answer;
    msg.cipher = *params;
    assert_true(msg_put(p->kit.worker->rings.to_worker, &msg));
    kit_settle(&p->kit);
    assert_true(kit_take_msg(&p->kit, &answer));
    assert_int_equal(answer.answer.status, 0);
    return answer;
}

/* A row of keys.json for each SAPI that carries users' packets. */
static void write_keys(struct play *p, uint32_t ms, const struct llc_cipher_params *params,
                       const struct msg *answer)
{
    for (unsigned sapi = 3; sapi <= 11; sapi += 2) {
        assert_int_equal(p->frames[ms][sapi] % 512,
                         answer->answer.numbers.down[ms_sapi_index((uint8_t)sapi)]);
        fprintf(p->keys, "%s\n {\"sapi\": %u, \"direction\": \"down\", \"from_nu\": %u, \"algorithm\": %u",
                p->separator, sapi, p->frames[ms][sapi], params->algorithm);
        p->separator = ",";
        if (params->algorithm) {
            fprintf(p->keys, ", \"iov_ui\": \"%x\", \"kc\": \"", params->iov_ui);
            for (unsigned i = 0; i < params->kc_octets; i++)
                fprintf(p->keys, "%02x", params->kc[i]);
            fputc('"', p->keys);
        }
        fputc('}', p->keys);
    }
}

/* Orders what is due after so many frames. */
static void switch_due(struct play *p, unsigned frames)
{
    while (p->next_switch < (unsigned)p->argc) {
        const char *text = p->argv[p->next_switch];
        unsigned frame = 0;
        assert_int_equal(sscanf(text, "%u", &frame), 1);
        if (frame > frames)
            return;
        struct llc_cipher_params params = params_of(text);
        struct msg answer = switch_mobile(p, FIRST, &params);
        if (p->keys)
            write_keys(p, FIRST, &params, &answer);
        p->next_switch++;
    }
}

/* --- downlink --- */

/* A downlink frame of the kit's, without IMSI: UDP ends at 42, NS at 46, then type, TLLI, QoS, lifetime,
 * LLC-PDU.
 */
static void note_frame(struct play *p, const uint8_t *frame, size_t octets)
{
    assert_true(octets > 64);
    uint32_t ms = bytes_get_u32(frame + 47) - KIT_TLLI;
    uint8_t sapi = frame[frame[59] & 0x80 ? 60 : 61] & 15;
    assert_true(ms < MOBILES && sapi < 12 && frame[58] == 0x0e);
    p->frames[ms][sapi]++;
    p->kit.now += STEP_NS;
    capture_writer_put(&p->gb, p->kit.now, frame, octets);
}

static void push_n_pdu(struct play *p, unsigned i)
{
    unsigned context = i % 4 == 3 ? 1 : i % 11 == 5 ? 2 : i % 13 == 7 ? 3 : 0;
    struct gn_frame in = {
        .teid = KIT_TEID + context, .inner_octets = (uint16_t)(20 + i * 131 % 1484), .seed = (uint16_t)i};
    uint8_t frame[KIT_FRAME_OCTETS];
    kit_from_gn(&p->kit, frame, gn_frame_build(frame, &in));
    gn_frame_inner(frame, in.inner_octets, in.seed);
    write_n_pdu(p, context, frame, in.inner_octets);
}

static void play_down(struct play *p)
{
    const struct llc_cipher_params other = {.algorithm = 4, .kc_octets = 16, .kc = {0xab, 0xcd}, .iov_ui = 7};
    uint8_t frame[KIT_FRAME_OCTETS];

    p->keys = create(p, "keys.json", "w");
    p->separator = "";
    fprintf(p->keys, "{\"mobiles\": [{\"tlli\": \"%08x\", \"keys\": [", KIT_TLLI + OTHER_KEY);
    struct msg answer = switch_mobile(p, OTHER_KEY, &other);
    write_keys(p, OTHER_KEY, &other, &answer);
    kit_do(&p->kit,
           &(struct msg){.type = MSG_MS_PM, .slot = OTHER_KEY, .unprotected_sapis = 1u << ms_sapi_index(9)});
    fprintf(p->keys, "]},\n{\"tlli\": \"%08x\", \"keys\": [", KIT_TLLI);
    p->separator = "";
    for (unsigned i = 0; p->frames[FIRST][3] < FRAMES_DOWN; i++) {
        switch_due(p, p->frames[FIRST][3]);
        push_n_pdu(p, i);
        for (size_t octets; (octets = kit_take_gb(&p->kit, frame)) > 0;)
            note_frame(p, frame, octets);
    }
    fputs("]}]}\n", p->keys);
    assert_int_equal(fclose(p->keys), 0);
}

/* --- uplink --- */

static void note_n_pdus(struct play *p)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    for (size_t octets; (octets = kit_take_gn(&p->kit, frame)) > 0;) {
        uint32_t context = bytes_get_u32(frame + GN_FRAME_GTP + 4) - KIT_GGSN_TEID;
        assert_true(context < COUNT(contexts));
        write_n_pdu(p, context, frame + GN_FRAME_INNER, octets - GN_FRAME_INNER);
    }
}

static void play_up(struct play *p)
{
    struct capture_reader reader = {0};
    struct capture_frame frame;
    char path[4096];
    unsigned frames = 0;

    snprintf(path, sizeof(path), "%s/uplink.pcapng", p->argv[2]);
    assert_int_equal(capture_reader_open(&reader, path), 0);
    while (capture_reader_next(&reader, &frame)) {
        switch_due(p, frames++);
        kit_from_gb(&p->kit, frame.bytes, frame.captured);
        note_n_pdus(p);
    }
    capture_reader_close(&reader);
    assert_int_equal(p->kit.worker->stats.ul_llc_frames, frames);
}

static void play(void **state)
{
    struct play *p = *state;
    open_play(p);
    if (strcmp(p->argv[1], "down") == 0)
        play_down(p);
    else
        play_up(p);
    assert_int_equal(p->next_switch, p->argc);
    close_play(p);
}

int main(int argc, char **argv)
{
    struct play p = {.argc = argc, .argv = argv};
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(play, &p)};
    if (argc < 3)
        return 2;
    return cmocka_run_group_tests(tests, kit_start, NULL);
}
