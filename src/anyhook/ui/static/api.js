// Questions to the server. Every answer is JSON; an error has a text for the user.

export class ApiError extends Error {}
export const NO_SERVER = "The server does not answer. Is anyhook ui still running?";

export async function ask(path, parameters = {}, signal = undefined) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  const address = query.size ? `${path}?${query}` : path;
  let response;
  try {
    const early = window.anyhookEarly.get(address);
    window.anyhookEarly.delete(address); // an answer is used once
    response = await (early ?? fetch(address, { signal, credentials: "same-origin" }));
    signal?.throwIfAborted();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(NO_SERVER);
  }
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(data.error || `The server answered with status ${response.status}.`);
  return data;
}

const POLL_MS = 400;

// Asks until a computation has ended; `onProgress` is told how far it is.
export async function askJob(path, onProgress, signal) {
  for (;;) {
    const job = await ask(path, {}, signal);
    if (job.state === "done") return job.result;
    if (job.state === "failed") throw new ApiError(job.error);
    onProgress(job.done, job.total);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (signal.aborted) throw new DOMException("left", "AbortError");
  }
}
