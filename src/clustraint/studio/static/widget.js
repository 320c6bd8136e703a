// The studio in a notebook: the same page, carried by the widget's messages instead of HTTP.
import { openStudio } from "./studio.js";
import { makeTransport, overModel } from "./transport.js";

function show({ model, el }) {
  const element = document.createElement("div");
  element.classList.add("studio-widget");
  element.tabIndex = -1;
  el.append(element);
  const memory = { get: () => model.get("person") || null, set: () => {} };
  const studio = openStudio(makeTransport(overModel(model)), element, { memory });
  element.studio = studio;
  return () => studio.close();
}

export const widget = { render: show };
