(function () {
  "use strict";
  document.documentElement.classList.add("js");
  var board = document.querySelector(".board");
  var status = document.querySelector(".status");
  var pointer = board.querySelector(".pointer");
  var tip = board.querySelector(".tip");
  var tips = JSON.parse(document.getElementById("tips").textContent);
  var boxes = Array.from(document.querySelectorAll(".controls input"));

  function hidden(key) {
    return new Set(boxes.filter(function (box) { return box.dataset[key] && !box.checked; })
      .map(function (box) { return box.dataset[key]; }));
  }

  function refresh() {
    var clusters = hidden("cluster"), kinds = hidden("kind"), states = hidden("state");
    board.querySelectorAll(".cloud").forEach(function (cloud) {
      cloud.classList.toggle("off", clusters.has(cloud.dataset.cluster));
    });
    board.querySelectorAll(".links").forEach(function (group) {
      group.classList.toggle("off", kinds.has(group.dataset.kind));
    });
    board.querySelectorAll(".link").forEach(function (link) {
      var off = link.dataset.clusters.split(" ").some(function (each) { return clusters.has(each); });
      link.classList.toggle("off", off || (link.classList.contains("violated") && states.has("violated")));
    });
    board.classList.toggle("quiet", states.has("satisfied"));
    leave();
  }

  // Which links lead to a sample.
  var links = {};
  board.querySelectorAll(".link").forEach(function (link) {
    link.dataset.samples.split(" ").forEach(function (sample) {
      (links[sample] = links[sample] || []).push(link);
    });
  });

  function add(parent, tag, text) {
    var child = document.createElement(tag);
    child.textContent = text;
    parent.appendChild(child);
    return child;
  }

  function leave() {
    pointer.classList.add("off");
    tip.classList.add("off");
    board.querySelectorAll(".near").forEach(function (link) { link.classList.remove("near"); });
  }

  function describe(point) {
    var cloud = point.closest(".cloud"), sample = point.dataset.sample;
    tip.textContent = "";
    add(tip, "b", point.querySelector("title").textContent);
    add(tip, "span", cloud.dataset.name);
    var columns = tips.columns[cloud.dataset.cluster] || [], values = tips.values[sample];
    if (tips.texts[sample]) { add(tip, "div", tips.texts[sample]); }
    if (values) {
      var list = add(tip, "dl", "");
      columns.forEach(function (name, place) {
        add(list, "dt", name);
        add(list, "dd", values[place]);
      });
    }
  }

  // Beside the sample, on the side where there is room.
  function place(point) {
    var frame = board.getBoundingClientRect(), box = point.getBoundingClientRect();
    tip.classList.remove("off");
    var x = box.right - frame.left + 8, y = box.top - frame.top - tip.offsetHeight / 2;
    if (x + tip.offsetWidth > frame.width) { x = box.left - frame.left - tip.offsetWidth - 8; }
    tip.style.left = Math.max(0, Math.min(x, frame.width - tip.offsetWidth)) + "px";
    tip.style.top = Math.max(0, Math.min(y, frame.height - tip.offsetHeight)) + "px";
  }

  function tell(target) {
    var title = target && target.querySelector(":scope > title");
    if (!title) { return; }
    var cloud = target.closest(".cloud");
    status.textContent = title.textContent + (cloud ? ", " + cloud.dataset.name : "");
  }

  function show(point) {
    leave();
    (links[point.dataset.sample] || []).forEach(function (link) { link.classList.add("near"); });
    describe(point);
    place(point);
    pointer.classList.remove("off");
    pointer.setAttribute("transform", "translate(" + point.getAttribute("x") + " " + point.getAttribute("y") + ")");
    tell(point);
  }

  // From left to right, as the arrow keys go.
  var points = Array.from(board.querySelectorAll(".cloud use")).sort(function (a, b) {
    return a.getAttribute("x") - b.getAttribute("x");
  });
  var current = -1;

  function step(by) {
    for (var tries = 0; tries < points.length; tries += 1) {
      current = (current + by + points.length) % points.length;
      if (!points[current].closest(".off")) { show(points[current]); return; }
    }
  }

  var steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  board.setAttribute("tabindex", "0");
  board.setAttribute("role", "group");
  board.setAttribute("aria-label", "Samples; the arrow keys go from one to the next");
  board.addEventListener("keydown", function (event) {
    if (!(event.key in steps)) { return; }
    if (current < 0 && steps[event.key] < 0) { current = 0; }
    step(steps[event.key]);
    event.preventDefault();
  });
  board.addEventListener("mouseover", function (event) {
    var point = event.target.closest(".cloud use");
    if (point) { show(point); } else { tell(event.target.closest(".link, .astray circle")); }
  });
  board.addEventListener("mouseleave", leave);
  board.addEventListener("blur", leave);
  boxes.forEach(function (box) { box.addEventListener("change", refresh); });
  // A reload may bring back what was ticked off.
  refresh();
}());
