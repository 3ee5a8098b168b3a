# SPDX-License-Identifier: BSD-3-Clause
"""Random frames, what our decoders say of them and what programs of others say, held side by side."""
