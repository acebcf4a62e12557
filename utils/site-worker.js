// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Browsers start no workers for pages that are files, so there the script of a worker runs in a frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      // Messages of a window name the origin that they are for; those of a worker don't.
      this.inner.postMessage = data => {
        const event = new MessageEvent("message", {data});
        this.dispatchEvent(event);
        this.onmessage?.(event);
      };
      this.loaded = new Promise(done => {
        const script = frame.contentDocument.createElement("script");
        script.src = url;
        script.onload = done;
        frame.contentDocument.body.append(script);
      });
    }

    postMessage(data) {
      this.loaded.then(() => this.inner.dispatchEvent(new MessageEvent("message", {data})));
    }

    terminate() {
      this.inner.frameElement.remove();
    }
  };
}
