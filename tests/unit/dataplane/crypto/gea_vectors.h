/* SPDX-License-Identifier: BSD-3-Clause */
/* Published keystreams: TS 55.217 and 55.218 (GEA3), TS 55.226 (GEA4); the last from a real trace. */
#ifndef TESTS_UNIT_DATAPLANE_CRYPTO_GEA_VECTORS_H
#define TESTS_UNIT_DATAPLANE_CRYPTO_GEA_VECTORS_H

#include <stdint.h>

static const struct gea_vector {
    unsigned algorithm;
    const char *kc; /* hex */
    uint32_t input;
    uint8_t direction;
    const char *stream; /* hex */
} gea_vectors[] = {
    {3, "2bd6459f82c5bc00", 0x8e9421a3, 0,
     "5f359709de950d0105b17b6c90194280f880b48dccdc2afeed415dbef4354eebb21d073ccbbfb2d706bd7affd371fc96e3970d1"
     "43dcb2624054826"},
    {3, "952c49104881ff48", 0x5064db71, 0,
     "fdc03d738c8e14ff0320e59aaf75760799e9da78dd8f888471c4aeaac1849633a26cd84f459d265b83d7d9b9a0b1e54f4d75e33"
     "1640df19e0db0e0"},
    {3, "efa8b2229e720c2a", 0x4bdbd5e5, 1,
     "4718a2adfc90590949ddadab406ec3b925f1af1214673909daab96bb4c18b1374bb1e99445a81cc856e47c6e49e9dbb9873d083"
     "1b2175ca1e109ba"},
    {3, "3451f23a43bd2c87", 0x893fe14f, 0,
     "b46b1e284e3f8b63b86d9df0915cfceddf2f061895bf9f82bf2593ae4847e94a4626c393cf8941ce15ea7812690d8415b88c573"
     "0fe1f5d410e16a2"},
    {3, "caa2639be82435cf", 0x8fe17885, 1,
     "9fefaf155a26cf35603e727cdaa87ba067fd84ff98a50b7ff0ec8e95a0fb70e79cb93dee2b7e9ab59d050e1262401571f349c68"
     "229ddf0decc4e85"},
    {3, "1aca8b448b767b39", 0x4f7bc3b5, 0,
     "514f6c3a3b5a55ca190092f7bb6e80ef3edb738fcdce2ff90bb387dde75bbc32a04a67b898a3dfb8198fffc37d437cf69e7f9c1"
     "3b51a868720e750"},
    {4, "d3c5d592327fb11c4035c6680af8c6d1", 0x0a3a59b4, 0,
     "6e217ce41ebefb5ec8094c15974290065e42babc9ae35654a53085ce68dfa4426a2ff0ad4af3341006a3f84b7613acb4fbdc3"
     "4"},
    {4, "3d43c388c9581e337ff1f97eb5c1f85e", 0x48571ab9, 0,
     "fc7314ef00a63ed0116f236c5d25c54eec56a5b71f9f18b4d7941f84e422acbde5eea9a204679002d14f312f3dee2a1ac917c3f"
     "bdc3696143c0f5d"},
    {4, "a4496a64df4f399f3b4506814a3e07a1", 0xeb04ade2, 1,
     "2aeb5970fb06b718027d048488aaf24fb3b74ea4a6b1242ff85b108ff816a303c72757d9aad862b835d1d287dbc141d0a28d79d"
     "87bb137cd1198cd"},
    {3, "0c09c6ed723a8400", 0x98000019, 1, "91d2a1a85f6bb00429d76dcd1ca27f50"},
};

#endif
