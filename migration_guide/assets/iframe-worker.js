// The site's search is a worker, and a browser starts none for a page that is opened from a disk. There, the worker's
// script runs in a hidden frame instead, which has the two functions that such a script calls.
"use strict";

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html>";
      this.scope = new Promise((resolve, reject) => {
        this.frame.addEventListener("load", () => {
          const scope = this.frame.contentWindow;
          scope.postMessage = (data) => this.dispatchEvent(message(data));
          const script = scope.document.createElement("script");
          script.addEventListener("load", () => resolve(scope));
          script.addEventListener("error", () => reject(new Error(`${url} can't be read`)));
          script.src = url;
          scope.document.body.append(script);
        }, { once: true });
      });
      document.body.append(this.frame);
    }

    // The first messages come before the script is there.
    postMessage(data) {
      this.scope.then((scope) => scope.dispatchEvent(message(data)));
    }

    terminate() {
      this.frame.remove();
    }
  };
}

function message(data) {
  return new MessageEvent("message", { data: structuredClone(data) });
}
