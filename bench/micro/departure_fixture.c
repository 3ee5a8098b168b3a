/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/departure_fixture.h"

#include "bench/micro/fixture_orders.h"
#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/port.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"
#include "dataplane/worker/worker.h"

#include <errno.h>
#include <rte_eal.h>
#include <rte_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CHARS    24
#define SPARE_BUFFERS 4095 /* for the rings and the receive burst */
#define MEMORY_MB     128
#define BUFFERS_IN_MB 256
#define TLLI          0xc0000000
#define LLC_AROUND    10 /* UI frame's header 3, FCS 3, SNDCP's header 4 */
#define N_PDU_OCTETS  (DEPARTURE_FIXTURE_LLC_OCTETS - LLC_AROUND)
#define FRAME_OCTETS  (FIXTURE_FRAME_TUNNEL_OCTETS + N_PDU_OCTETS)

struct departure_fixture {
    struct departure_load load;
    struct rte_mempool *rx_pool, *tx_pool;
    struct vport gn, gb;
    struct worker *worker;
    uint8_t frame[FRAME_OCTETS];
};

bool departure_fixture_start(unsigned core, const struct departure_load *largest)
{
    char lcores[24], megabytes[24];
    char *argv[] = {"departure_bench",
                    "--lcores",
                    lcores,
                    "--no-huge",
                    "-m",
                    megabytes,
                    "--no-pci",
                    "--no-shconf",
                    "--no-telemetry",
                    "--iova-mode=va",
                    "--log-level=lib.*:error",
                    NULL};
    snprintf(lcores, sizeof(lcores), "0@%u", core);
    snprintf(megabytes, sizeof(megabytes), "%u", MEMORY_MB + largest->buffers / BUFFERS_IN_MB);
    llc_fcs_init();
    rte_log_set_global_level(RTE_LOG_ERR);
    return rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) >= 0;
}

/* --- the worker and its tables --- */

/* A closed port's name stays in use; rows differ in their rate, which is part of the name. */
static const char *name_of(char out[NAME_CHARS], const char *what, const struct departure_fixture *fixture)
{
    snprintf(out, NAME_CHARS, "%s%lu", what, fixture->load.rate_bps);
    return out;
}

static void open_ports(struct departure_fixture *fixture)
{
    char gn[NAME_CHARS], gb[NAME_CHARS];
    fixture->rx_pool = pool_new("rx", fixture->load.buffers + SPARE_BUFFERS);
    fixture->tx_pool = pool_new("tx", SPARE_BUFFERS);
    if (!fixture->rx_pool || !fixture->tx_pool ||
        vport_new(&fixture->gn, name_of(gn, "net_ring_n", fixture), fixture->rx_pool) < 0 ||
        vport_new(&fixture->gb, name_of(gb, "net_ring_b", fixture), fixture->rx_pool) < 0)
        fixture_orders_die("no memory for ports");
}

static void open_worker(struct departure_fixture *fixture)
{
    const char *error;
    struct worker_config config = {
        .name = "w",
        .limits = {.nses = 1,
                   .nsvcs = 1,
                   .bvcs = fixture->load.cells,
                   .mobiles = fixture->load.mobiles,
                   .pdps = fixture->load.mobiles,
                   .foreign_teids = 1},
        .reassemblies = 1,
        .fragments = 1,
        .fragment_timeout_ns = MOMENT_SECOND,
        .gn_port = fixture->gn.id,
        .gb_port = fixture->gb.id,
        .rx_pool = fixture->rx_pool,
        .tx_pool = fixture->tx_pool,
    };
    context_policy_default(&config.policy);
    fixture->worker = worker_new(&config, &error);
    if (!fixture->worker)
        fixture_orders_die(error);
}

static void order_gb(struct departure_fixture *fixture)
{
    const struct gb_flow flow = {.bucket_octets = BUCKET_MAX_OCTETS,
                                 .rate_bps = BUCKET_MAX_RATE_BPS,
                                 .ms_bucket_octets = DEPARTURE_FIXTURE_BUCKET_OCTETS,
                                 .ms_rate_bps = fixture->load.rate_bps,
                                 .ratio_percent = -1};
    fixture_orders_gb(fixture->worker, fixture->load.cells, &flow, 0);
}

static void order_mobile(struct departure_fixture *fixture, uint32_t i)
{
    struct msg ms = fixture_orders_ms(i, (uint16_t)(i % fixture->load.cells)),
               pdp = fixture_orders_pdp(i, teid_make(0, 1, i, TEID_SLOT_BITS));
    fixture_orders_send(fixture->worker, &ms, 0);
    fixture_orders_send(fixture->worker, &pdp, 0);
}

struct departure_fixture *departure_fixture_new(const struct departure_load *load)
{
    struct departure_fixture *fixture = calloc(1, sizeof(*fixture));
    if (!fixture)
        fixture_orders_die("no memory");
    fixture->load = *load;
    open_ports(fixture);
    open_worker(fixture);
    order_gb(fixture);
    for (uint32_t i = 0; i < load->mobiles; i++)
        order_mobile(fixture, i);
    fixture_frame_make(fixture->frame, N_PDU_OCTETS);
    return fixture;
}

void departure_fixture_free(struct departure_fixture *fixture)
{
    worker_free(fixture->worker);
    vport_free(&fixture->gn);
    vport_free(&fixture->gb);
    rte_mempool_free(fixture->rx_pool);
    rte_mempool_free(fixture->tx_pool);
    free(fixture);
}

/* --- traffic --- */

bool departure_fixture_feed(struct departure_fixture *fixture, uint32_t mobile)
{
    fixture_frame_set_teid(fixture->frame, teid_make(0, 1, mobile, TEID_SLOT_BITS));
    int error = vport_push(&fixture->gn, fixture->frame, sizeof(fixture->frame));
    if (error == -ENOBUFS)
        fixture_orders_die("buffers are lost");
    return error == 0;
}

int64_t departure_fixture_step(struct departure_fixture *fixture, int64_t now)
{
    return worker_step(fixture->worker, now);
}

static void read_frame(const uint8_t *bytes, size_t octets, struct departure *out)
{
    struct bssgp bssgp = {0};
    size_t before = GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS;
    if (octets <= before || bssgp_decode(&bssgp, bytes + before, octets - before) < 0 ||
        bssgp.head.type != BSSGP_DL_UNITDATA)
        fixture_orders_die("a frame is not a DL-UNITDATA");
    *out = (struct departure){bssgp.tlli - TLLI, (uint32_t)bssgp.llc_pdu.octets};
}

bool departure_fixture_take(struct departure_fixture *fixture, struct departure *out)
{
    struct rte_mbuf *mbuf = vport_pull(&fixture->gb);
    if (!mbuf)
        return false;
    uint8_t bytes[POOL_DATA_OCTETS];
    uint32_t octets = rte_pktmbuf_pkt_len(mbuf);
    const uint8_t *at = octets <= sizeof(bytes) ? rte_pktmbuf_read(mbuf, 0, octets, bytes) : NULL;
    if (!at)
        fixture_orders_die("a frame is longer than a buffer");
    read_frame(at, octets, out);
    rte_pktmbuf_free(mbuf);
    if (out->mobile >= fixture->load.mobiles)
        fixture_orders_die("a frame has an unknown TLLI");
    return true;
}
