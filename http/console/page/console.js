// What pages can do better with script. Everything works without it.

// A form marked data-once is sent once, however often its button is pressed.
for (const form of document.querySelectorAll("form[data-once]")) {
	form.addEventListener("submit", (event) => {
		if (form.dataset.sent) event.preventDefault();
		form.dataset.sent = "yes";
	});
}
// A page that the browser takes from its history can send its forms again.
addEventListener("pageshow", () => {
	for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// A page of something that runs loads itself again, also after the machine slept. Without script the browser does it. It waits for the network,
// and while a text is being typed.
const running = document.querySelector("main[data-refresh]");
if (running) {
	const reload = () => {
		if (!navigator.onLine) addEventListener("online", reload, {once: true});
		else if (document.activeElement.matches("textarea, input, select")) setTimeout(reload, 1000);
		else location.reload();
	};
	setTimeout(reload, 1000 * running.dataset.refresh);
}

// A box marked data-all checks the boxes with that name, of the rows that are shown.
for (const all of document.querySelectorAll("input[data-all]")) {
	all.hidden = false;
	all.addEventListener("change", () => {
		for (const box of document.getElementsByName(all.dataset.all)) if (!box.closest("[hidden]")) box.checked = all.checked;
	});
}

// A field marked data-filter hides the rows of the table after it that do not contain its text, and says how many are shown.
for (const place of document.querySelectorAll("[data-filter]")) {
	const rows = place.nextElementSibling.querySelectorAll("tbody tr"), field = place.querySelector("input"), count = place.querySelector("output");
	const narrow = () => {
		const text = field.value.trim().toLowerCase();
		let shown = 0;
		for (const row of rows) if (!(row.hidden = !row.textContent.toLowerCase().includes(text))) shown++;
		count.value = text && `${shown} of ${rows.length} shown`;
	};
	place.hidden = false;
	field.addEventListener("input", narrow);
	narrow(); // a browser keeps the text of a field when a page is loaded again
}

// A field can be in a part that is folded away.
const unfold = (field) => {
	const part = field.closest("details");
	if (part) part.open = true;
};

// Texts typed into a form marked data-drafts outlive a reload. A draft ends when the service has another text than the one that it was
// typed over.
for (const field of document.querySelectorAll("form[data-drafts] textarea")) {
	const key = location.pathname + " " + field.name;
	const draft = JSON.parse(sessionStorage.getItem(key));
	if (draft?.over === field.defaultValue) {
		field.value = draft.text;
		unfold(field);
	} else sessionStorage.removeItem(key);
	field.addEventListener("input", () => sessionStorage.setItem(key, JSON.stringify({over: field.defaultValue, text: field.value})));
}

// The key / leads to the search, from every page of someone who is signed in.
addEventListener("keydown", (event) => {
	const place = document.querySelector('nav a[href="/search"]');
	if (event.key !== "/" || !place || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
	event.preventDefault();
	if (location.pathname === "/search") document.getElementById("q").focus();
	else place.click();
});

// Keys press the buttons of the change that has the focus.
const changes = [...document.querySelectorAll(".change")];
for (const hint of document.querySelectorAll(".keys")) hint.hidden = false;
// The browser may not have come to the address's fragment yet, so :target would be too early.
changes.find((change) => "#" + change.id === location.hash)?.focus();
addEventListener("keydown", (event) => {
	const change = event.target.closest?.(".change");
	if (!change || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea")) return;
	const step = {j: 1, k: -1}[event.key];
	const field = event.key === "e" && change.querySelector("textarea");
	if (step) changes[changes.indexOf(change) + step]?.focus();
	else if (field) {
		unfold(field);
		field.focus();
	} else {
		const button = /^[a-z]$/.test(event.key) && change.querySelector(`[data-key=${event.key}]`);
		if (!button) return;
		button.click();
	}
	event.preventDefault();
});
