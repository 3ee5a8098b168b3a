/* SPDX-License-Identifier: BSD-3-Clause */
/* Crypto devices that have no room, or stand still: each frame is counted, none is lost without a reason. */
#include "tests/unit/unit.h"

#include "tests/unit/dataplane/esp/esp_rig.h"

#include <rte_cryptodev.h>
#include <rte_mbuf.h>
#include <string.h>

enum { COUNT = 32 };

/* A device in front of a real one, whose queue takes and gives back as much as it is told. */
static struct {
    struct rte_crypto_fp_ops real;
    unsigned takes, gives;
} fake;

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static uint16_t take(void *queue, struct rte_crypto_op **ops, uint16_t count)
{
    uint16_t taken = fake.real.enqueue_burst(queue, ops, (uint16_t)least(count, fake.takes));
    fake.takes -= taken;
    return taken;
}

static uint16_t give(void *queue, struct rte_crypto_op **ops, uint16_t count)
{
    uint16_t given = fake.real.dequeue_burst(queue, ops, (uint16_t)least(count, fake.gives));
    fake.gives -= given;
    return given;
}

struct scene {
    struct esp_rig rig;
    struct sa_device device;
};

/* Both ends use queues of the first device of DPDK that is here. */
static void scene_new(struct scene *scene)
{
    const struct esp_rig_case usual = {.suite = SA_AES_GCM_128, .is_tunnel = true, .has_esn = true};
    const struct sa_device *real = esp_rig_devices;
    while (!real->name || real->is_direct)
        assert_true(++real < esp_rig_devices + ESP_RIG_DEVICES);
    scene->device = *real;
    scene->device.is_at_once = false;
    esp_rig_new(&scene->rig, &usual, real);
    scene->rig.out->device = scene->rig.in->device = &scene->device;
    fake.real = rte_crypto_fp_ops[real->id];
    fake.takes = fake.gives = UINT32_MAX;
    rte_crypto_fp_ops[real->id].enqueue_burst = take;
    rte_crypto_fp_ops[real->id].dequeue_burst = give;
}

static void scene_free(struct scene *scene)
{
    rte_crypto_fp_ops[scene->device.id] = fake.real;
    esp_rig_free(&scene->rig);
}

static void fill(struct rte_mbuf **frames, struct rte_mbuf **plain)
{
    for (unsigned i = 0; i < COUNT; i++) {
        frames[i] = esp_rig_packet(false, 100 + i, 0);
        plain[i] = esp_rig_copy(frames[i]);
    }
}

/* Sends a burst; `sent` of its frames leave and arrive, the first ones. */
static void there_and_back(struct scene *scene, unsigned takes, unsigned gives, unsigned sent)
{
    struct rte_mbuf *frames[COUNT], *plain[COUNT];
    uint64_t refused = scene->rig.unsent[DROP_ESP_DEVICE];
    fill(frames, plain);
    fake.takes = takes;
    fake.gives = gives;
    assert_int_equal(esp_send(&scene->rig.sender, frames, COUNT, scene->rig.unsent), sent);
    assert_int_equal(scene->rig.unsent[DROP_ESP_DEVICE] - refused, COUNT - sent);
    fake.takes = fake.gives = UINT32_MAX;
    assert_int_equal(esp_receive(&scene->rig.receiver, frames, sent, scene->rig.drops), sent);
    for (unsigned i = 0; i < sent; i++)
        assert_true(esp_rig_is_same(frames[i], plain[i]));
    rte_pktmbuf_free_bulk(frames, sent);
    rte_pktmbuf_free_bulk(plain, COUNT);
}

/* Operations that a burst has given up come back in a later one. */
static void queues_that_stand_still(void **state)
{
    static const struct {
        unsigned takes, gives, sent;
    } rows[] = {{0, UINT32_MAX, 0},   {1, UINT32_MAX, 1}, {COUNT / 2, UINT32_MAX, COUNT / 2},
                {COUNT, 0, 0},        {COUNT, 5, 5},      {20, 10, 10},
                {COUNT, COUNT, COUNT}};
    struct scene scene;
    scene_new(&scene);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        there_and_back(&scene, rows[i].takes, rows[i].gives, rows[i].sent);
        there_and_back(&scene, UINT32_MAX, UINT32_MAX, COUNT);
    }
    for (unsigned i = 0; i < DROP_COUNT; i++)
        assert_int_equal(scene.rig.drops[i], 0);
    scene_free(&scene);
}

static void receiver_without_a_queue(void **state)
{
    struct rte_mbuf *frames[COUNT], *plain[COUNT];
    struct scene scene;
    scene_new(&scene);
    fill(frames, plain);
    assert_int_equal(esp_send(&scene.rig.sender, frames, COUNT, scene.rig.unsent), COUNT);
    fake.takes = 3;
    assert_int_equal(esp_receive(&scene.rig.receiver, frames, COUNT, scene.rig.drops), 3);
    for (unsigned i = 0; i < DROP_COUNT; i++)
        assert_int_equal(scene.rig.drops[i], i == DROP_ESP_DEVICE ? COUNT - 3 : 0);
    rte_pktmbuf_free_bulk(frames, 3);
    rte_pktmbuf_free_bulk(plain, COUNT);
    scene_free(&scene);
}

static void no_operations(void **state)
{
    struct rte_mbuf *frames[COUNT], *plain[COUNT], *more[COUNT];
    struct rte_crypto_op *ops[ESP_RIG_OPS];
    struct scene scene;
    scene_new(&scene);
    fill(frames, plain);
    assert_int_equal(esp_send(&scene.rig.sender, frames, COUNT, scene.rig.unsent), COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        more[i] = esp_rig_copy(plain[i]);
    assert_int_equal(rte_mempool_get_bulk(esp_rig_ops, (void **)ops, ESP_RIG_OPS), 0);
    assert_int_equal(esp_receive(&scene.rig.receiver, frames, COUNT, scene.rig.drops), 0);
    assert_int_equal(esp_send(&scene.rig.sender, more, COUNT, scene.rig.unsent), 0);
    rte_mempool_put_bulk(esp_rig_ops, (void **)ops, ESP_RIG_OPS);
    assert_int_equal(scene.rig.drops[DROP_ESP_DEVICE], COUNT);
    assert_int_equal(scene.rig.unsent[DROP_ESP_DEVICE], COUNT);
    assert_int_equal(scene.rig.drops[DROP_ESP_REPLAY] + scene.rig.unsent[DROP_ESP_SEQUENCE], 0);
    rte_pktmbuf_free_bulk(plain, COUNT);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_that_stand_still),
        cmocka_unit_test(receiver_without_a_queue),
        cmocka_unit_test(no_operations),
    };
    return cmocka_run_group_tests(tests, esp_rig_start, NULL);
}
