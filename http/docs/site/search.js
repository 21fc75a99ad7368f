// Filters the list of pages by the words of the search field. Without this script the page is the list of all pages.
"use strict";
(() => {
	const pages = JSON.parse(document.getElementById("pages").textContent);
	const items = [...document.querySelectorAll("#list li")]; // in the order of pages
	const field = document.querySelector("input[type=search]");
	const found = document.getElementById("found");
	const maxHeadings = 8; // shown below a page

	// matches returns whether every word is in the title or among the words of the page.
	const matches = (page, words) => {
		const title = page.title.toLowerCase();
		return words.every(word => title.includes(word) || page.words.includes(word));
	};

	// headingsOf returns the headings of the page that contain every word.
	const headingsOf = (page, words) =>
		page.headings.filter(([, text]) => words.every(word => text.toLowerCase().includes(word))).slice(0, maxHeadings);

	const show = () => {
		const words = field.value.toLowerCase().split(/\s+/).filter(word => word);
		let count = 0;
		items.forEach((item, i) => {
			const page = pages[i];
			item.querySelector("ul")?.remove();
			item.hidden = words.length > 0 && !matches(page, words);
			if (item.hidden) return;
			count++;
			const headings = words.length > 0 ? headingsOf(page, words) : [];
			if (headings.length === 0) return;
			const list = document.createElement("ul");
			for (const [id, text] of headings) {
				const link = document.createElement("a");
				link.href = page.path + "#" + encodeURIComponent(id);
				link.textContent = text;
				list.appendChild(document.createElement("li")).appendChild(link);
			}
			item.appendChild(list);
		});
		for (const section of document.querySelectorAll("#list section")) {
			section.hidden = !section.querySelector("li:not([hidden])");
		}
		found.hidden = words.length === 0;
		found.textContent = count === 0 ? "No page has all these words." : count === 1 ? "1 page" : count + " pages";
	};

	field.value = new URLSearchParams(location.search).get("q") ?? "";
	field.addEventListener("input", show);
	show();
})();
