/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated BSS of `gbflow emulate`: its end of Gb, NS and BSSGP over UDP. */
#include "app/emulate/emulate.h"
#include "app/run/cells.h"
#include "app/run/run.h"

#include "bss/bss_ms.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEND_TRIES 4

static struct sockaddr_in endpoint(uint32_t address, uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
}

/* The kernel gives a datagram to the socket whose pair of endpoints matches, so that several sockets may be
 * bound to a shared endpoint. */
static bool set_ends(int fd, const struct emulate_config_nsvc *nsvc)
{
    const int on = 1;
    struct sockaddr_in own = endpoint(nsvc->address, nsvc->udp_port);
    struct sockaddr_in other = endpoint(nsvc->sgsn_address, nsvc->sgsn_udp_port);
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
           bind(fd, (struct sockaddr *)&own, sizeof(own)) == 0 &&
           connect(fd, (struct sockaddr *)&other, sizeof(other)) == 0;
}

int emulate_bss_open(const struct emulate_config_nsvc *nsvc)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && set_ends(fd, nsvc))
        return fd;
    fprintf(stderr, "gbflow: NS-VC %u: cannot open its UDP socket: %s\n", nsvc->nsvci, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* --- callbacks of the BSS --- */

/* send() fails with the ICMP message about an earlier datagram, and takes nothing. Another message may arrive
 * before it is called again. */
static bool is_sent(int fd, const uint8_t *ns_pdu, size_t octets)
{
    for (int i = 0; i < SEND_TRIES; i++)
        if (send(fd, ns_pdu, octets, 0) >= 0)
            return true;
        else if (errno != ECONNREFUSED)
            return false;
    return false;
}

static void sends(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct emulate *e = arg;
    if (!is_sent(e->sockets[nsvc], ns_pdu, octets))
        e->send_failures++;
}

static void sends_up(void *arg, const uint8_t *llc_pdu, size_t octets)
{
    struct emulate_mobile *mobile = arg;
    struct emulate *e = mobile->emulate;
    if (!bss_ul_put(e->bss, mobile->bvci, mobile->config->tlli, llc_pdu, octets, e->now))
        e->uplink_lost++;
}

/* The BSS must not be called from its own callback: the mobile's answer is sent after the delivery. */
static bool answers(struct emulate_mobile *mobile, const uint8_t *llc_pdu, size_t octets)
{
    if (!emulate_llc_take(&mobile->user.stack, llc_pdu, octets, mobile->answer, &mobile->answer_octets,
                          mobile->emulate->now))
        return emulate_llc_refuse(&mobile->user.stack, llc_pdu, octets, mobile->answer,
                                  &mobile->answer_octets);
    mobile->xids++;
    return true;
}

void emulate_bss_answer(struct emulate *e)
{
    for (uint32_t i = 0; e->has_answers && i < e->config.mobile_count; i++) {
        struct emulate_mobile *mobile = &e->mobiles[i];
        if (mobile->answer_octets)
            sends_up(mobile, mobile->answer, mobile->answer_octets);
        mobile->answer_octets = 0;
    }
    e->has_answers = false;
}

int64_t emulate_bss_links(struct emulate *e)
{
    int64_t next_ns = MOMENT_NEVER;
    for (uint32_t i = 0; i < e->config.mobile_count; i++) {
        struct emulate_mobile *mobile = &e->mobiles[i];
        int64_t due_ns = ms_stack_due_ns(&mobile->user.stack);
        if (due_ns == MOMENT_NEVER || !bss_is_up(e->bss, mobile->bvci))
            continue;
        const struct radio *radio = bss_radio_get(e->bss, mobile->bvci);
        if (due_ns <= e->now && radio_queue_get(radio, RADIO_UP, mobile->config->tlli).queued.frames > 0)
            ms_stack_pause(&mobile->user.stack, e->now);
        if (due_ns <= e->now)
            ms_stack_step(&mobile->user.stack, sends_up, mobile, e->now);
        next_ns = moment_min(next_ns, moment_max(due_ns, e->now));
    }
    return next_ns;
}

static void count_unknown(struct emulate *e, const uint8_t *llc_pdu, size_t octets)
{
    e->unknown_mobile++;
    if (octets > 0 && llc_is_sapi_data(llc_pdu[0] & 0xf))
        e->unknown_data++;
}

static void delivers(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                     int64_t now)
{
    struct emulate *e = arg;
    uint32_t i = u64_map_get(&e->by_tlli, tlli);

    if (i == U64_MAP_NONE) {
        if (!e->phones || !emulate_phones_take(e->phones, tlli, llc_pdu, octets, e->now))
            count_unknown(e, llc_pdu, octets);
        return;
    }
    struct emulate_mobile *mobile = &e->mobiles[i];
    if (answers(mobile, llc_pdu, octets)) {
        e->has_answers = true;
        return;
    }
    emulate_user_receive(&mobile->user, mobile->tun, llc_pdu, octets, now);
}

static void pages(void *arg, const struct bss_page *page)
{
    struct emulate *e = arg;
    emulate_phones_page(e->phones, page, e->now);
}

static void acknowledges_suspension(void *arg, uint32_t tlli, uint8_t reference)
{
    struct emulate *e = arg;
    emulate_phones_suspended(e->phones, tlli, reference, e->now);
}

static void ends_suspension(void *arg, uint32_t tlli, bool has_resumed)
{
    struct emulate *e = arg;
    emulate_phones_resumed(e->phones, tlli, has_resumed, e->now);
}

/* --- packets from hosts --- */

static struct emulate_mobile *sender(struct emulate *e, uint32_t number, const uint8_t *packet, size_t octets)
{
    const struct emulate_config_device *device = &e->config.devices[number];
    struct ipv4 ip;
    if (ipv4_decode(&ip, packet, octets) < 0)
        return NULL;
    uint32_t i = ip.src - e->config.mobiles[device->first_mobile].address;
    return i < device->mobile_count ? &e->mobiles[device->first_mobile + i] : NULL;
}

static bool has_cell_up(void *arg, uint16_t bvci)
{
    const struct emulate *e = arg;
    return bss_is_up(e->bss, bvci);
}

static void renames(void *arg, uint32_t tlli, uint32_t tlli_old)
{
    const struct emulate *e = arg;
    if (e->phones)
        emulate_phones_rename(e->phones, tlli, tlli_old);
}

static void sends_of_phone(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets)
{
    struct emulate *e = arg;
    if (!bss_ul_put(e->bss, bvci, tlli, llc_pdu, octets, e->now))
        e->uplink_lost++;
}

static void moves_phone(void *arg, uint32_t tlli, uint16_t from, uint16_t to)
{
    struct emulate *e = arg;
    bss_ms_move(e->bss, tlli, from, to, e->now);
}

static void suspends_phone(void *arg, uint32_t tlli, uint16_t bvci)
{
    struct emulate *e = arg;
    bss_ms_suspend(e->bss, tlli, bvci);
}

static void resumes_phone(void *arg, uint32_t tlli, uint16_t bvci, const uint8_t *reference)
{
    struct emulate *e = arg;
    if (reference)
        bss_ms_resume(e->bss, tlli, bvci, *reference, e->now);
    else
        bss_ms_return(e->bss, tlli, bvci, e->now);
}

struct emulate_phones_air emulate_bss_air(struct emulate *e)
{
    return (struct emulate_phones_air){.arg = e,
                                       .is_up = has_cell_up,
                                       .move = moves_phone,
                                       .suspend = suspends_phone,
                                       .resume = resumes_phone,
                                       .send = sends_of_phone};
}

static void take_of_phone(struct emulate *e, const uint8_t *packet, size_t octets)
{
    const struct emulate_phones_air air = emulate_bss_air(e);
    if (!emulate_phones_packet(e->phones, packet, octets, &air, e->now))
        e->strays++;
}

void emulate_bss_packet(struct emulate *e, uint32_t device, const uint8_t *packet, size_t octets)
{
    if (e->config.devices[device].is_of_phones) {
        take_of_phone(e, packet, octets);
        return;
    }
    struct emulate_mobile *mobile = sender(e, device, packet, octets);
    if (!mobile) {
        e->strays++;
        return;
    }
    if (bss_is_up(e->bss, mobile->bvci))
        emulate_user_send(&mobile->user, packet, octets, sends_up, mobile, e->now);
    else
        mobile->user.unsent++;
}

/* --- set-up and end --- */

/* Appends the FLOW-CONTROL-MS of a cell's mobiles. */
static uint32_t collect_ms(const struct emulate_config *config, uint16_t cell, struct bss_ms_announcement *ms)
{
    const struct emulate_config_cell *own = &config->cells[cell];
    uint32_t count = 0;
    for (uint32_t i = 0; own->has_ms && i < config->mobile_count; i++)
        if (config->mobiles[i].cell == cell)
            ms[count++] = (struct bss_ms_announcement){config->mobiles[i].tlli, own->ms, own->ms_at_ns,
                                                       own->ms_by_coding};
    return count;
}

static void fill_cells(const struct emulate *e, struct bss_cell_config *cells, struct bss_ms_announcement *ms)
{
    const struct emulate_config *config = &e->config;
    for (uint16_t i = 0; i < config->cell_count; i++) {
        const struct emulate_config_cell *cell = &config->cells[i];
        cells[i] = (struct bss_cell_config){
            .bvci = config->air.cells[i].bvci,
            .cell_id = cell->cell_id,
            .bvc = cell->bvc,
            .ms_default = cell->ms_default,
            .pfc = cell->pfc,
            .announce_every_ns = cell->announce_every_ns,
            .has_measurement = cell->has_measurement,
            .has_level = cell->has_level,
            .ms = ms,
            .ms_count = collect_ms(config, i, ms),
            .radio = &e->radios[i],
            .policy = e->policies[i],
            .calls = e->calls[i].calls.channels ? &e->calls[i] : NULL,
        };
        ms += cells[i].ms_count;
    }
}

static bool make_bss(struct emulate *e)
{
    const struct emulate_config *config = &e->config;
    struct bss_cell_config *cells = calloc(config->cell_count, sizeof(*cells));
    struct bss_ms_announcement *ms = calloc(config->mobile_count, sizeof(*ms));
    uint16_t *nsvcis = calloc(config->nsvc_count, sizeof(*nsvcis));
    static const struct bss_ms_ops ms_ops = {pages, acknowledges_suspension, ends_suspension, renames};
    const struct bss_ops ops = {
        .arg = e, .send = sends, .deliver = delivers, .ms = e->phones ? &ms_ops : NULL};

    if (cells && ms && nsvcis) {
        fill_cells(e, cells, ms);
        for (uint32_t i = 0; i < config->nsvc_count; i++)
            nsvcis[i] = config->nsvcs[i].nsvci;
        const struct bss_config bss = {.nsei = config->nsei,
                                       .nsvcis = nsvcis,
                                       .nsvc_count = config->nsvc_count,
                                       .cells = cells,
                                       .cell_count = config->cell_count};
        e->bss = bss_new(&bss, &ops);
    }
    free(cells);
    free(ms);
    free(nsvcis);
    return e->bss != NULL;
}

static bool make_mobile(struct emulate *e, uint32_t i)
{
    struct emulate_mobile *mobile = &e->mobiles[i];
    const struct emulate_config_mobile *config = &e->config.mobiles[i];
    const struct scenario_config_cell *cell = &e->config.air.cells[config->cell];
    *mobile = (struct emulate_mobile){.emulate = e, .config = config, .bvci = cell->bvci, .tun = -1};
    mobile->user.stack = (struct ms_stack){
        .tlli = config->tlli, .sapi = config->sapi, .nsapi = config->nsapi, .n201_u = config->n201_u};
    llc_cipher_key(&mobile->user.stack.key, &config->ciphering);
    if (mobile->user.stack.key.algorithm != 0)
        mobile->user.stack.gea = gea_init(NULL, NULL);
    ms_stack_begin(&mobile->user.stack, &config->stack, 0);
    if (cell->has_levels)
        bss_level(e->bss, cell->bvci, config->tlli, config->qclass);
    return u64_map_add(&e->by_tlli, config->tlli, i) == 0;
}

bool emulate_bss_new(struct emulate *e)
{
    e->radios = run_cells_radios(&e->config.air);
    e->calls = run_cells_calls(&e->config.air);
    e->policies = run_cells_policies(&e->config.air);
    e->mobiles = calloc(e->config.mobile_count, sizeof(*e->mobiles));
    e->are_up = calloc(e->config.cell_count, sizeof(*e->are_up));
    bool is_made = e->radios && e->calls && e->policies && e->mobiles && e->are_up &&
                   u64_map_new(&e->by_tlli, e->config.mobile_count) && make_bss(e);
    for (uint32_t i = 0; is_made && i < e->config.mobile_count; i++)
        is_made = make_mobile(e, i);
    if (!is_made)
        fprintf(stderr, "gbflow: out of memory for the emulated BSS\n");
    return is_made;
}

void emulate_bss_free(struct emulate *e)
{
    bss_free(e->bss);
    for (uint32_t i = 0; e->mobiles && i < e->config.mobile_count; i++)
        ms_stack_fini(&e->mobiles[i].user.stack);
    u64_map_free(&e->by_tlli);
    run_cells_radios_free(e->radios, e->config.cell_count);
    free(e->calls);
    free(e->policies);
    free(e->mobiles);
    free(e->are_up);
}
