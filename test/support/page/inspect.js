// Runs in a page of `githubPage`: tells what a report has no business to hold.
(() => {
  const known =
    "P STRONG CODE PRE TABLE THEAD TBODY TR TH TD DETAILS SUMMARY SUB BR HR UL LI A H3 DIV SVG PATH SPAN".split(
      " ",
    );
  const inAlerts = ["DIV", "SVG", "PATH"];
  const dress = ["CODE", "STRONG", "BR", "A", "SPAN"];
  const strange = [];
  const live = [];
  const skeleton = [];
  const article = document.querySelector("article");
  const walk = (node, depth) => {
    const tag = node.tagName.toUpperCase();
    const isStrange =
      !known.includes(tag) ||
      (inAlerts.includes(tag) && node.closest(".markdown-alert") === null) ||
      (tag === "SPAN" && node.closest("pre") === null);
    if (isStrange) strange.push(tag);
    for (const { name, value } of node.attributes) {
      const isAddress = name === "href" && value.startsWith("https://github.com/acme/");
      if (!isAddress && !/^(?:class|align|viewBox|width|height|d)$/.test(name))
        strange.push(`${tag} ${name}=${value}`);
    }
    if (!dress.includes(tag)) skeleton.push(`${depth} ${tag}`);
    for (const child of node.children) walk(child, dress.includes(tag) ? depth : depth + 1);
  };
  for (const child of article?.children ?? []) walk(child, 0);
  // As GitHub's filters do: text nodes, but not those in code and links.
  const references = [
    /(?<=^|[^\w`/])@[a-z\d][a-z\d-]*/gi,
    /(?<=^|[^\w&])(?:[\w-]+\/[\w.-]+)?#\d+/g,
    /(?<=^|\W)GH(?:SA)?-[\da-z]+/gi,
    /(?<=^|[^\w/@])(?=\d*[a-f])[\da-f]{7,40}(?=\W|$)/gi,
    /https?:\/\/\S+|www\.\S+/gi,
  ];
  let markers = 0;
  const nodes = document.createTreeWalker(document, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    const text = node.textContent ?? "";
    if (node.nodeType === Node.COMMENT_NODE) {
      markers += text.includes("regrade:") ? 1 : 0;
    } else if (node.parentElement?.closest("pre, code, a, style, head") === null) {
      for (const reference of references) live.push(...(text.match(reference) ?? []));
    }
  }
  return { skeleton, strange, live, ran: "__pwned" in window, markers };
})();
