/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port without hardware: an ethdev port made of two rings, whose other ends the program fills and empties.
 * Virtual time and tests use it; to the worker it is an ordinary port.
 */
#ifndef DATAPLANE_PORTS_VPORT_H
#define DATAPLANE_PORTS_VPORT_H

#include <stddef.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_mempool;
struct rte_ring;

struct vport {
    uint16_t id;                 /* ethdev port */
    struct rte_ring *to_worker;  /* frames that the worker will receive */
    struct rte_ring *to_outside; /* frames that the worker sent */
    struct rte_mempool *pool;
};

/* Creates the port; frames pushed into it are copied to buffers of pool. 0, or a negative errno. */
int vport_new(struct vport *vport, const char *name, struct rte_mempool *pool);

/* Frees the rings and the frames in them. The ethdev port must be closed before. */
void vport_free(struct vport *vport);

/*
 * Puts a frame on the ring to the worker. 0, -EAGAIN: ring full, -ENOBUFS: no buffer, -EMSGSIZE: too long
 * for one.
 */
int vport_push(struct vport *vport, const uint8_t *frame, size_t octets);

/* Takes a frame that the worker sent, NULL when there is none. The caller frees it. */
struct rte_mbuf *vport_pull(struct vport *vport);

#endif
