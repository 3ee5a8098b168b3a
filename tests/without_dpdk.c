/* SPDX-License-Identifier: BSD-3-Clause */
/* The layers that link without DPDK, linked whole (tests/meson.build). */
int main(void)
{
    return 0;
}
