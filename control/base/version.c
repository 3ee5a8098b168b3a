/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/version.h"

#include "control/base/commit.h"

#ifndef GBFLOW_VERSION
#error "control/base/meson.build defines GBFLOW_VERSION"
#endif

const char *version_text(void)
{
    return GBFLOW_VERSION;
}

const char *version_commit(void)
{
    return GBFLOW_COMMIT;
}
