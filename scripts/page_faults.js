((width) => {
  const faults = [];
  const named = (element) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") || ""} “${element.textContent.trim().slice(0, 24)}”`;
  if (document.documentElement.scrollWidth > width) faults.push(`scrolls sideways: ${document.documentElement.scrollWidth}`);
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest(".scroll, .vh, .icons, .skip, script")) continue;
    const box = element.getBoundingClientRect();
    if (!box.width) continue;
    if (box.right > width + 1 && !element.closest("svg, .strip")) faults.push(`beyond the edge: ${named(element)}`);
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (hasText && parseFloat(getComputedStyle(element).fontSize) < 13.9 && !element.closest("svg")) faults.push(`type under 14 px: ${named(element)}`);
    if (hasText && element.scrollWidth > element.clientWidth + 2 && getComputedStyle(element).display !== "inline" && !element.closest("svg, a.wordmark, select")) faults.push(`words run over: ${named(element)}`);
  }
  for (const element of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")) {
    if (element.closest(".vh, .skip") || element.matches(".skip, .rule-ref, .uses .n, input[type=radio], input[type=checkbox]")) continue;
    const box = element.getBoundingClientRect();
    if (!box.width || getComputedStyle(element).display === "inline") continue;
    if (box.height < 43.5) faults.push(`control under 44 px: ${named(element)} ${Math.round(box.height)}`);
  }
  for (const drawing of document.querySelectorAll("svg.board[role=img]")) {
    const frame = drawing.getBoundingClientRect();
    const words = [...drawing.querySelectorAll("text")].map((text) => {
      const box = text.getBoundingClientRect();
      const inner = text.closest("svg") === drawing ? box : text.closest("svg").getBoundingClientRect();
      const slack = box.height * 0.24;
      return { said: text.textContent, left: box.left, right: Math.min(box.right, inner.right), top: box.top + slack, bottom: box.bottom - slack };
    });
    words.forEach((one, index) => {
      if (one.right > frame.right + 0.5) faults.push(`drawn beyond the edge: ${one.said}`);
      for (const other of words.slice(index + 1)) {
        if (one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom && other.top < one.bottom) faults.push(`drawn words touch: ${one.said} / ${other.said}`);
      }
    });
  }
  return faults.slice(0, 20);
})
