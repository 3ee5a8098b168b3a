/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of all decoders and encoders: negative numbers, one enum for all wire formats. */
#ifndef DATAPLANE_BASE_ERR_H
#define DATAPLANE_BASE_ERR_H

enum err {
    ERR_TRUNCATED = -1,   /* fewer octets than the format or its own length field needs */
    ERR_MALFORMED = -2,   /* the octets contradict each other or the clause */
    ERR_UNSUPPORTED = -3, /* well formed, but of a version or type without support */
    ERR_NO_SPACE = -4,    /* encoder: cap is too small */
    ERR_RANGE = -5,       /* encoder: a field does not fit its place on the wire */
    ERR_CHECKSUM = -6,    /* FCS or checksum is wrong */
};

#endif
