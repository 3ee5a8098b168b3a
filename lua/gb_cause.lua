-- SPDX-License-Identifier: BSD-3-Clause
-- Cause values by name: NS (48.016 §10.3.2) and BSSGP (48.018 §11.3.8).

return {
  ns = {
    TRANSIT_NETWORK_FAILURE = 0x00,
    NS_VC_BLOCKED = 0x03,
    NS_VC_UNKNOWN = 0x04,
    PROTOCOL_ERROR = 0x0b,
  },
  bssgp = {
    BVCI_UNKNOWN = 0x05,
    BVCI_BLOCKED = 0x09,
    INVALID_MANDATORY_INFORMATION = 0x21,
    PROTOCOL_ERROR = 0x27,
    NOT_IN_FEATURE_SET = 0x28,
  },
}
