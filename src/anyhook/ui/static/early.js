// Asks for what the first page needs while its style and its modules are still loading; api.js takes the answers.
(() => {
  const addresses = ["/api/about", "/api/clients"];
  const [, page, rest] = /^#?\/?([^/?]*)(.*)$/.exec(location.hash);
  if (page === "" || page === "overview") addresses.push("/api/overview");
  if (page === "sessions" && !rest.includes("?")) addresses.push(rest.length > 1 || !matchMedia("(min-width: 62rem)").matches ? "/api/sessions" : "/api/sessions?open=1");
  window.anyhookEarly = new Map(addresses.map((address) => [address, fetch(address, { credentials: "same-origin" })]));
  for (const asked of window.anyhookEarly.values()) asked.catch(() => {}); // api.js says what went wrong
})();
