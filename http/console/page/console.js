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

// A box marked data-all checks the boxes with that name.
for (const all of document.querySelectorAll("input[data-all]")) {
	all.hidden = false;
	all.addEventListener("change", () => {
		for (const box of document.getElementsByName(all.dataset.all)) box.checked = all.checked;
	});
}

// A field marked data-filter hides the rows of a table that do not contain its text.
for (const field of document.querySelectorAll("input[data-filter]")) {
	const rows = document.querySelectorAll(field.dataset.filter);
	field.addEventListener("input", () => {
		const text = field.value.trim().toLowerCase();
		for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(text);
	});
}
