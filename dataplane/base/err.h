/* SPDX-License-Identifier: BSD-3-Clause */
/* What every decoder and encoder answers when it cannot: a negative number, one enum for all wire formats. */
#ifndef DATAPLANE_BASE_ERR_H
#define DATAPLANE_BASE_ERR_H

enum err {
    ERR_TRUNCATED = -1,   /* fewer octets than the format or its own length field needs */
    ERR_MALFORMED = -2,   /* octets are there and contradict each other or the clause */
    ERR_UNSUPPORTED = -3, /* well formed, of a version or type that this codec does not speak */
    ERR_NO_SPACE = -4,    /* encoder: cap is too small */
    ERR_RANGE = -5,       /* encoder: a field does not fit its place on the wire */
    ERR_CHECKSUM = -6,    /* FCS or checksum is wrong */
};

#endif
