/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP (RFC 4303 clause 2): octets around what it protects, but for IV, padding and ICV. */
#ifndef DATAPLANE_WIRE_ESP_H
#define DATAPLANE_WIRE_ESP_H

enum {
    ESP_PROTO = 50,
    ESP_NO_NEXT = 59, /* next header of a packet without content, a dummy */
    ESP_HEAD_OCTETS = 8,
    ESP_TAIL_OCTETS = 2
}; /* SPI and number; pad length, next header */

#endif
