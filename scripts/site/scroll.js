/* SPDX-License-Identifier: BSD-3-Clause */
/* The keyboard reaches what scrolls: Material wraps each table when the page is shown. */
"use strict";
const reach = () => document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code").forEach(part => { part.tabIndex = 0; });
new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
reach();
