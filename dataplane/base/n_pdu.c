/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/n_pdu.h"

#include <string.h>

static const char *const names[QCLASS_COUNT] = {
    [QCLASS_SIGNALLING] = "signalling",
    [QCLASS_SMS] = "sms",
    [QCLASS_CONVERSATIONAL] = "conversational",
    [QCLASS_STREAMING] = "streaming",
    [QCLASS_THP1] = "thp1",
    [QCLASS_THP2] = "thp2",
    [QCLASS_THP3] = "thp3",
    [QCLASS_BACKGROUND] = "background",
};

const char *qclass_name(enum qclass qclass)
{
    return (unsigned)qclass < QCLASS_COUNT ? names[qclass] : "?";
}

int qclass_from_name(const char *name)
{
    for (int i = 0; i < QCLASS_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}
