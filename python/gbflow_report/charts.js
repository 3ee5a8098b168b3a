// SPDX-License-Identifier: BSD-3-Clause
// Draws the charts of a page (charts.py) with dygraphs: values at the pointer, curves on and off, zoom; charts over the time
// of the run are linked, small multiples share their keys. gbflowCharts has a row for each panel: {graph, linked, curves, keys}.
(function () {
  "use strict";
  var charts = [], isBusy = false, DARK = "(prefers-color-scheme: dark)";
  // Colours that are too dark on a dark page.
  var LIGHTER = {"#333333": "#e3e6ea", "#0072B2": "#5b8def", "#009E73": "#1fbf92", "#D55E00": "#f07a24"};

  function make(tag, kind, parent) {
    var element = document.createElement(tag);
    element.className = kind;
    parent.appendChild(element);
    return element;
  }

  // A row for each x, and as many as a curve has points there; null where a curve has none.
  function rowsOf(curves, hasBands) {
    var byX = new Map();
    curves.forEach(function (curve, index) {
      var last = null, nth = 0;
      curve.x.forEach(function (x, at) {
        nth = x === last ? nth + 1 : 0;
        last = x;
        if (!byX.has(x)) { byX.set(x, []); }
        var rows = byX.get(x);
        if (!rows[nth]) { rows[nth] = [x].concat(curves.map(function () { return null; })); }
        var y = curve.y[at];
        rows[nth][index + 1] = hasBands ? (curve.low ? [curve.low[at], y, curve.high[at]] : [y, y, y]) : y;
      });
    });
    var all = [];
    Array.from(byX.keys()).sort(function (a, b) { return a - b; }).forEach(function (x) { all.push.apply(all, byX.get(x)); });
    return all;
  }

  // The index of the point that is nearest to x.
  function nearest(xs, x) {
    var low = 0, high = xs.length - 1;
    while (high - low > 1) {
      var middle = (low + high) >> 1;
      if (xs[middle] < x) { low = middle; } else { high = middle; }
    }
    return Math.abs(xs[low] - x) <= Math.abs(xs[high] - x) ? low : high;
  }

  function number(value) {
    return value === null ? "–" : String(Number(value.toPrecision(5)));
  }

  // The word of the nearest tick, or the number.
  function wordOf(chart, x) {
    if (!chart.ticks) { return number(x); }
    return chart.ticks[nearest(chart.ticks.map(function (tick) { return tick[0]; }), x)][1];
  }

  function group(chart) {
    return chart.linked ? charts.filter(function (other) { return other.linked; }) : [chart];
  }

  // The panels that have the same keys.
  function family(chart) {
    return charts.filter(function (other) { return other.bar === chart.bar; });
  }

  // A path around a place: circle, square, triangle, diamond, triangle on its tip, plus, cross.
  var SHAPES = {s: [-1, -1, 1, -1, 1, 1, -1, 1], "^": [0, -1.2, 1.1, 0.9, -1.1, 0.9], D: [0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0], v: [0, 1.2, 1.1, -0.9, -1.1, -0.9],
    P: [-0.4, -1.2, 0.4, -1.2, 0.4, -0.4, 1.2, -0.4, 1.2, 0.4, 0.4, 0.4, 0.4, 1.2, -0.4, 1.2, -0.4, 0.4, -1.2, 0.4, -1.2, -0.4, -0.4, -0.4],
    X: [-1.2, -0.7, -0.7, -1.2, 0, -0.5, 0.7, -1.2, 1.2, -0.7, 0.5, 0, 1.2, 0.7, 0.7, 1.2, 0, 0.5, -0.7, 1.2, -1.2, 0.7, -0.5, 0]};

  function drawMarker(canvas, marker, x, y, size) {
    var corners = SHAPES[marker];
    canvas.beginPath();
    if (!corners) { canvas.arc(x, y, size, 0, 2 * Math.PI); }
    for (var at = 0; corners && at < corners.length; at += 2) { canvas.lineTo(x + size * corners[at], y + size * corners[at + 1]); }
    canvas.closePath();
    canvas.fill();
  }

  // What a key shows of its curve: dashes and marker, in the curve's colour.
  function addSwatch(key, curve) {
    var space = "http://www.w3.org/2000/svg", swatch = document.createElementNS(space, "svg"), corners = SHAPES[curve.marker];
    function add(tag, attributes) {
      var part = document.createElementNS(space, tag);
      Object.keys(attributes).forEach(function (name) { part.setAttribute(name, attributes[name]); });
      swatch.appendChild(part);
    }
    swatch.setAttribute("viewBox", "0 0 32 11");
    swatch.setAttribute("aria-hidden", "true");
    if (curve.form !== "points") { add("path", {d: "M0 5.5H32", "stroke-dasharray": curve.dash.join(" ")}); }
    if (curve.form === "points" || curve.form === "marked") {
      add("path", {stroke: "none", d: corners ? "M" + corners.map(function (end, at) { return (at % 2 ? 5.5 : 16) + 4 * end; }).join(" ") + "Z" :
        "M12 5.5a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z"});
    }
    key.appendChild(swatch);
  }

  // Points with the ends of their intervals, for curves that no line may join.
  function drawIntervals(curve, event) {
    var canvas = event.drawingContext, graph = event.dygraph;
    canvas.strokeStyle = canvas.fillStyle = event.color;
    canvas.lineWidth = 1.4;
    curve.x.forEach(function (x, at) {
      var left = graph.toDomXCoord(x), top = graph.toDomYCoord(curve.y[at]);
      if (curve.y[at] === null) { return; }
      canvas.beginPath();
      if (curve.low) {
        [curve.low[at], curve.high[at]].forEach(function (end) {
          canvas.moveTo(left - 4, graph.toDomYCoord(end));
          canvas.lineTo(left + 4, graph.toDomYCoord(end));
        });
        canvas.moveTo(left, graph.toDomYCoord(curve.low[at]));
        canvas.lineTo(left, graph.toDomYCoord(curve.high[at]));
        canvas.stroke();
        canvas.beginPath();
      }
      drawMarker(canvas, curve.marker, left, top, 4);
    });
  }

  // An arrow and the number at the edge that an interval leaves.
  function drawCuts(curve, canvas, area, graph) {
    var range = graph.yAxisRange();
    canvas.fillStyle = getComputedStyle(document.body).color;
    canvas.font = "11px sans-serif";
    (curve.low || []).forEach(function (low, at) {
      var left = graph.toDomXCoord(curve.x[at]);
      if (low !== null && low < range[0]) {
        drawMarker(canvas, "v", left, area.y + area.h - 5, 4);
        canvas.fillText(number(low), left + 7, area.y + area.h - 3);
      }
      if (curve.high[at] !== null && curve.high[at] > range[1]) {
        drawMarker(canvas, "^", left, area.y + 5, 4);
        canvas.fillText(number(curve.high[at]), left + 7, area.y + 11);
      }
    });
  }

  function read(chart, x) {
    chart.cursor.style.display = "block";
    chart.cursor.style.left = chart.graph.toDomXCoord(x) + "px";
    family(chart).forEach(function (other) { if (other !== chart) { other.cursor.style.display = "none"; } });
    chart.curves.forEach(function (curve, index) {
      var at = nearest(curve.x, x);
      var band = curve.low ? " (" + number(curve.low[at]) + " to " + number(curve.high[at]) + ")" : "";
      chart.keys[index].querySelector("b").textContent = " " + number(curve.y[at]) + band;
    });
    chart.at.textContent = "at " + wordOf(chart, x);
  }

  function clear(chart) {
    chart.cursor.style.display = "none";
    chart.at.textContent = "";
    chart.keys.forEach(function (key) { key.querySelector("b").textContent = ""; });
  }

  // The others of the group get the range that a chart was zoomed or moved to.
  function follow(chart) {
    if (isBusy) { return; }
    var range = chart.graph.xAxisRange();
    isBusy = true;
    group(chart).forEach(function (other) {
      var has = other.graph.xAxisRange();
      if (other !== chart && (has[0] !== range[0] || has[1] !== range[1])) { other.graph.updateOptions({dateWindow: range}); }
    });
    isBusy = false;
  }

  function whole(chart) {
    isBusy = true;
    (chart.linked ? group(chart) : family(chart)).forEach(function (other) {
      other.graph.updateOptions({dateWindow: other.range.slice(), valueRange: other.rise});
    });
    isBusy = false;
  }

  // Linked charts begin with one range, which holds those of all.
  function link() {
    var linked = charts.filter(function (chart) { return chart.linked; });
    var first = Math.min.apply(null, linked.map(function (chart) { return Math.max(0, chart.range[0]); }));
    var last = Math.max.apply(null, linked.map(function (chart) { return chart.range[1]; }));
    linked.forEach(function (chart) { chart.range = [first, last]; });
    if (linked.length) { whole(linked[0]); }
    isBusy = false;
  }

  function paint(isLight) {
    var isDark = !isLight && window.matchMedia(DARK).matches;
    charts.forEach(function (chart) {
      var colours = chart.curves.map(function (curve) { return isDark && LIGHTER[curve.colour.toUpperCase()] || curve.colour; });
      chart.graph.updateOptions({colors: colours, gridLineColor: isDark ? "#39424c" : "#e6e6e6", axisLineColor: isDark ? "#6b7580" : "#8a8a8a"});
      chart.keys.forEach(function (key, index) { key.querySelector("svg").style.color = colours[index]; });
    });
  }

  // One key for each name; curves of that name in all panels of the bar are shown or hidden.
  function addKey(bar, curve) {
    var key = make("button", curve.low ? "key band" : "key", bar);
    key.type = "button";
    key.title = "show or hide";
    key.setAttribute("aria-pressed", "true");
    addSwatch(key, curve);
    make("span", "", key).textContent = curve.name;
    make("b", "", key);
    key.addEventListener("click", function () {
      var isShown = key.getAttribute("aria-pressed") !== "true";
      key.setAttribute("aria-pressed", String(isShown));
      charts.forEach(function (chart) {
        var index = chart.keys.indexOf(key);
        if (index >= 0) { chart.graph.setVisibility(index, isShown); }
      });
    });
    return key;
  }

  function addBar(holder) {
    var bar = make("div", "keys", holder), button = make("button", "whole", bar);
    button.type = "button";
    button.textContent = "whole range";
    button.addEventListener("click", function () { whole(charts.filter(function (chart) { return chart.bar === bar; })[0]); });
    make("span", "soft at", bar);
    return bar;
  }

  function addKeys(chart, bar) {
    var names = Array.from(bar.querySelectorAll(".key")).map(function (key) { return key.querySelector("span").textContent; });
    chart.bar = bar;
    chart.at = bar.querySelector(".at");
    chart.keys = chart.curves.map(function (curve) {
      var found = names.indexOf(curve.name);
      return found >= 0 ? bar.querySelectorAll(".key")[found] : addKey(bar, curve);
    });
  }

  function optionsOf(chart, panel, label) {
    var series = {};
    panel.curves.forEach(function (curve, index) {
      var arePoints = curve.form === "points", isMarked = curve.form === "marked";
      series["c" + index] = {stepPlot: curve.form === "step", drawPoints: arePoints || isMarked, pointSize: isMarked ? 3 : 1.5,
        strokeWidth: arePoints ? 0 : 1.4, strokePattern: curve.dash.length ? curve.dash : null,
        drawPointCallback: function (graph, name, canvas, x, y, colour, size) {
          canvas.fillStyle = colour;
          drawMarker(canvas, curve.marker, x, y, size);
        }};
      if (arePoints && curve.low) { series["c" + index].plotter = function (event) { drawIntervals(curve, event); }; }
    });
    return {
      labels: ["x"].concat(Object.keys(series)), series: series, customBars: chart.hasBands, fillAlpha: 0.2, legend: "never",
      axes: chart.ticks ? {x: {ticker: function () { return chart.ticks.map(function (tick) { return {v: tick[0], label: tick[1]}; }); }}} : {},
      connectSeparatedPoints: true, includeZero: panel.zero, dateWindow: chart.range.slice(), valueRange: chart.rise, xlabel: label, ylabel: panel.y, axisLabelFontSize: 12,
      labelsKMB: false, rightGap: chart.ticks ? 25 : 5, animatedZooms: false, highlightCircleSize: 3,
      highlightCallback: function (event, x) { group(chart).forEach(function (other) { read(other, x); }); },
      unhighlightCallback: function () { group(chart).forEach(clear); },
      drawCallback: function (graph, isFirst) { if (!isFirst) { follow(chart); } },
      underlayCallback: function (canvas, area, graph) {
        panel.curves.forEach(function (curve, index) { if (graph.visibility()[index]) { drawCuts(curve, canvas, area, graph); } });
        if (!panel.shade) { return; }
        var left = graph.toDomXCoord(panel.shade[0]), right = graph.toDomXCoord(panel.shade[1]);
        canvas.fillStyle = "rgba(128, 128, 128, 0.15)";
        canvas.fillRect(Math.max(left, area.x), area.y, Math.max(0, right - Math.max(left, area.x)), area.h);
      }
    };
  }

  function addPanel(holder, given, panel, bar, label) {
    var chart = {linked: given.linked, curves: panel.curves, range: given.grid ? panel.range : given.range, ticks: given.ticks,
      rise: panel.rise};
    chart.hasBands = panel.curves.some(function (curve) { return curve.low; });
    if (panel.title) { make("p", "soft", holder).textContent = panel.title; }
    addKeys(chart, bar || addBar(holder));
    var room = make("div", "panel", holder);
    chart.graph = new window.Dygraph(room, rowsOf(panel.curves, chart.hasBands), optionsOf(chart, panel, label));
    chart.graph.updateOptions({interactionModel: Object.assign({}, window.Dygraph.defaultInteractionModel,
      {dblclick: function () { whole(chart); }})});
    chart.cursor = make("div", "cursor", room);
    charts.push(chart);
  }

  function addChart(holder) {
    var given = JSON.parse(holder.querySelector("script").textContent);
    var bar = given.grid ? addBar(holder) : null, grid = given.grid ? make("div", "grid", holder) : null;
    given.panels.forEach(function (panel, index) {
      var isLast = index === given.panels.length - 1;
      addPanel(grid ? make("div", "multiple", grid) : holder, given, panel, bar, grid ? panel.x || given.x : isLast ? given.x : null);
    });
  }

  isBusy = true;
  document.querySelectorAll(".chart").forEach(addChart);
  link();
  paint(false);
  window.matchMedia(DARK).addEventListener("change", function () { paint(false); });
  window.addEventListener("beforeprint", function () { paint(true); });
  window.addEventListener("afterprint", function () { paint(false); });
  window.gbflowCharts = charts;
}());
