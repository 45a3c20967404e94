// Returns a sentence for each fault of the page as the browser shows it.
async leastContrast => {
  // After two frames, nothing moves any more.
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  const faults = [];
  const width = document.documentElement.clientWidth;
  const overflow = document.scrollingElement.scrollWidth - width;
  if (overflow > 0) faults.push(`the page is ${overflow} pixels wider than the window`);

  const shown = element => {
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    return style.visibility === "visible" && style.opacity !== "0" && box.width > 1 && box.height > 1;
  };
  const name = element => `${element.tagName.toLowerCase()} "${element.textContent.trim().slice(0, 40)}"`;

  // A canvas reads colours in every notation: it paints one pixel, whose colour is read back.
  const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1});
  const context = canvas.getContext("2d", {willReadFrequently: true});
  const cache = new Map();
  const rgba = colour => {
    if (!cache.has(colour)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      cache.set(colour, [r, g, b, a / 255]);
    }
    return cache.get(colour);
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  // By element, as the colour behind one is mostly that behind its parent.
  const backgrounds = new Map([[null, [255, 255, 255, 1]]]);
  const background = element => {
    if (!backgrounds.has(element)) {
      const colour = rgba(getComputedStyle(element).backgroundColor);
      backgrounds.set(element, colour[3] === 1 ? colour : over(colour, background(element.parentElement)));
    }
    return backgrounds.get(element);
  };
  const light = colour => {
    const linear = c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.slice(0, 3).map(c => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  };

  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (seen.has(element) || !walker.currentNode.textContent.trim()) continue;
    seen.add(element);
    if (element.closest("script, style, noscript, svg, .headerlink, [hidden]") || !shown(element)) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    if (size < 12) faults.push(`${size.toFixed(1)} pixels: ${name(element)}`);
    const behind = background(element);
    const ratio = contrast(over(rgba(style.color), behind), behind);
    if (element.closest("article, .md-nav") && ratio < leastContrast) {
      faults.push(`contrast ${ratio.toFixed(2)}: ${name(element)}`);
    }
  }

  for (const table of document.querySelectorAll("article table, article pre, article img")) {
    // The table's own box or any box around it may scroll; one of these boxes has to fit.
    const boxes = [];
    for (let at = table; at.tagName !== "ARTICLE"; at = at.parentElement) {
      if (at === table || ["auto", "scroll"].includes(getComputedStyle(at).overflowX)) boxes.push(at);
    }
    const right = Math.min(...boxes.map(box => box.getBoundingClientRect().right));
    if (right > width + 1) faults.push(`sticks out of the window: ${name(table)}`);
    const cut = boxes.some(box => box.scrollWidth > box.clientWidth + 1);
    if (table.tagName === "TABLE" && cut && (width > 1000 || table.matches("[data-stacked]"))) {
      faults.push(`is cut: ${name(table)}`);
    }
  }
  return faults.slice(0, 20);
}
