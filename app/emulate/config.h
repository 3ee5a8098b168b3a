/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration of `gbflow emulate`: one BSS, its NS-VCs to an SGSN, its cells, and mobiles behind TUN
 * devices. Checked, in base units, indices instead of names. lua_emulate.c fills it in; emulate_config_free()
 * frees its lists.
 */
#ifndef APP_EMULATE_CONFIG_H
#define APP_EMULATE_CONFIG_H

#include "bss/bss.h"
#include "app/run/scenario_config.h"
#include "dataplane/context/llc.h"
#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stdint.h>

#define EMULATE_CONFIG_DEVICE_CHARS    16
#define EMULATE_CONFIG_NAMESPACE_CHARS 72

/* Addresses in host order. */
struct emulate_config_nsvc {
    uint16_t nsvci;
    uint16_t udp_port, sgsn_udp_port;
    uint32_t address, sgsn_address;
};

/* A cell: its identity and its announcements. Its radio is air.cells[] of the same index. */
struct emulate_config_cell {
    struct area cell_id;
    struct bss_bucket bvc, ms_default, ms, pfc;
    bool has_ms; /* each mobile of the cell gets a FLOW-CONTROL-MS with `ms` */
    bool ms_by_coding;
    int64_t ms_at_ns;
    int64_t announce_every_ns; /* 0: once */
    bool has_measurement, has_level;
};

struct emulate_config_mobile {
    uint32_t tlli, address;
    uint16_t cell; /* index */
    uint16_t n201_u;
    uint8_t nsapi, sapi, qclass;
    struct ms_settings stack;
    struct llc_cipher_params ciphering;
};

/* A TUN device and its mobiles, whose addresses count up. That of phones has none: addresses come and go. */
struct emulate_config_device {
    char name[EMULATE_CONFIG_DEVICE_CHARS];
    char name_space[EMULATE_CONFIG_NAMESPACE_CHARS]; /* "": the program's own */
    uint16_t mtu_octets;
    bool has_default_route;
    uint32_t first_mobile, mobile_count;
    bool is_of_phones;
};

struct emulate_config {
    uint16_t nsei;
    uint32_t nsvc_count, cell_count, mobile_count, device_count;
    struct emulate_config_nsvc *nsvcs;
    struct emulate_config_cell *cells;
    struct emulate_config_mobile *mobiles;
    struct emulate_config_device *devices;
    struct ms_settings phones_stack; /* `has_link` is each context's */
    struct scenario_config air;      /* its cells and seed are those of a scenario, the rest is empty */
};

/* Frees the lists; the struct is the caller's. */
void emulate_config_free(struct emulate_config *config);

#endif
