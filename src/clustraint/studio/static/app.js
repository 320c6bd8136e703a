// The studio in a browser tab.
import { openStudio } from "./studio.js";
import { makeTransport, overHttp } from "./transport.js";

const memory = {
  get: (key) => localStorage.getItem(`clustraint-${key}`),
  set: (key, value) => localStorage.setItem(`clustraint-${key}`, value),
};
globalThis.studio = openStudio(makeTransport(overHttp()), document.getElementById("studio"), { memory, keys: document });
