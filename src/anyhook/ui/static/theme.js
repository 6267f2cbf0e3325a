// Runs before the page is drawn, so that it never flashes in the other colours.
(() => {
  const key = "anyhook-theme";
  const order = ["auto", "light", "dark"];
  const known = () => {
    try {
      return order.includes(localStorage.getItem(key)) ? localStorage.getItem(key) : "auto";
    } catch {
      return "auto"; // storage is switched off
    }
  };
  const apply = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
  };
  apply(known());
  window.anyhookTheme = {
    known,
    next() {
      const name = order[(order.indexOf(known()) + 1) % order.length];
      try {
        localStorage.setItem(key, name);
      } catch {
        // the choice lasts as long as the page
      }
      apply(name);
      return name;
    },
  };
})();
