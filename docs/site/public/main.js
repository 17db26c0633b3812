// A diagram that would become too small to read scrolls in its box instead.
const smallestScale = 0.6;

export default {
  start() {
    new MutationObserver(() => {
      for (const drawing of document.querySelectorAll('.mermaid svg')) {
        drawing.style.minWidth = `${smallestScale * drawing.viewBox.baseVal.width}px`;
      }
    }).observe(document.body, { childList: true, subtree: true });
  },
};
