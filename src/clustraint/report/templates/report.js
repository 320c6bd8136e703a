(function () {
  "use strict";
  document.documentElement.classList.add("js");
  var board = document.querySelector(".board");
  var status = document.querySelector(".status");
  var pointer = board.querySelector(".pointer");
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
      off = off || states.has(link.classList.contains("violated") ? "violated" : "satisfied");
      link.classList.toggle("off", off);
    });
    pointer.classList.add("off");
  }

  function tell(target) {
    var title = target && target.querySelector(":scope > title");
    if (!title) { return; }
    var cloud = target.closest(".cloud");
    status.textContent = title.textContent + (cloud ? ", " + cloud.dataset.name : "");
  }

  function show(point) {
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
    tell(event.target.closest(".link, .cloud use, .astray circle"));
  });
  board.addEventListener("blur", function () { pointer.classList.add("off"); });
  boxes.forEach(function (box) { box.addEventListener("change", refresh); });
  // A reload may bring back what was ticked off.
  refresh();
}());
