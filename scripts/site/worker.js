/* SPDX-License-Identifier: BSD-3-Clause */
/* A browser starts no worker from file://. There the search runs in a frame instead, which takes messages as a worker does.
   Material asks for the name IFrameWorker to know. */
"use strict";
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = data => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        if (typeof this.onmessage === "function") this.onmessage(message);
      };
      this.ready = new Promise(resolve => {
        const script = inside.document.createElement("script");
        script.src = new URL(url, location.href).href;
        script.onload = resolve;
        inside.document.body.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
