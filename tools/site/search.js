// The search box: looks for words in an index of sections that check.py makes.
(function () {
  "use strict";
  var root = document.currentScript.src.replace(/search\.js.*$/, "");
  var sections = window.searchIndex || [];

  function words(text) { return text.toLowerCase().match(/[\p{L}\p{N}_λρβα]+/gu) || []; }

  // A section counts if every word of the query begins one of its words; titles count ten times.
  function score(section, query) {
    var total = 0;
    for (var i = 0; i < query.length; i++) {
      var pattern = new RegExp("(^|[^\\p{L}\\p{N}])" + query[i], "gu");
      var found = (section.text.toLowerCase().match(pattern) || []).length +
        10 * (section.title.toLowerCase().match(pattern) || []).length;
      if (found === 0) return 0;
      total += Math.log(1 + found);
    }
    return total;
  }

  function excerpt(section, word) {
    var at = Math.max(0, section.text.toLowerCase().indexOf(word) - 40);
    return (at > 0 ? "… " : "") + section.text.slice(at, at + 140) + " …";
  }

  function show(list, text) {
    var query = words(text);
    list.textContent = "";
    if (query.length === 0) return;
    var found = sections.map(function (s) { return { section: s, score: score(s, query) }; })
      .filter(function (f) { return f.score > 0; })
      .sort(function (a, b) { return b.score - a.score; }).slice(0, 12);
    if (found.length === 0) list.textContent = "Nothing found.";
    found.forEach(function (f) {
      var item = document.createElement("li"), link = document.createElement("a"), p = document.createElement("div");
      link.href = root + f.section.url;
      link.textContent = f.section.title;
      p.textContent = excerpt(f.section, query[0]);
      item.appendChild(link);
      item.appendChild(p);
      list.appendChild(item);
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    var place = document.querySelector(".wy-side-nav-search") || document.body;
    var box = document.createElement("input"), list = document.createElement("ul");
    box.type = "search";
    box.placeholder = "Search";
    box.setAttribute("aria-label", "Search these pages");
    list.className = "search-results";
    list.setAttribute("aria-live", "polite");
    box.addEventListener("input", function () { show(list, box.value); });
    place.appendChild(box);
    var main = document.querySelector(".rst-content") || document.body;
    main.insertBefore(list, main.firstChild);
    var phone = document.querySelector(".wy-nav-top");
    if (phone) {
      var copy = box.cloneNode();
      copy.addEventListener("input", function () { show(list, copy.value); });
      phone.appendChild(copy);
    }
  });
})();
