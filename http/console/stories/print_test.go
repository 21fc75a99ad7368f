package stories_test

import (
	"bytes"
	"context"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// unprinted lists what a printed page lacks: tables that are folded away, texts too light to read on paper, and buttons.
const unprinted = `(() => {
	const c = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const light = (color) => {
		c.fillStyle = "#fff"; c.fillRect(0, 0, 1, 1); c.fillStyle = color; c.fillRect(0, 0, 1, 1);
		const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
		return .2126 * r + .7152 * g + .0722 * b + .05;
	};
	const behind = (e) => { for (; e; e = e.parentElement) { const b = getComputedStyle(e).backgroundColor; if (b !== "rgba(0, 0, 0, 0)") return b; } return "#fff"; };
	const faults = [];
	for (const e of document.querySelectorAll("main table, main .objects")) {
		if (!e.checkVisibility() && !e.closest("[hidden]")) faults.push("not printed: " + e.outerHTML.slice(0, 120));
	}
	for (const e of document.querySelectorAll("main button, nav a")) if (e.checkVisibility()) faults.push("printed: " + e.outerHTML.slice(0, 120));
	for (const e of document.querySelectorAll("body *")) {
		const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
		if (!text || !e.checkVisibility()) continue;
		const s = getComputedStyle(e), [a, b] = [light(e.namespaceURI.endsWith("svg") ? s.fill : s.color), light(behind(e))];
		if (Math.max(a, b) / Math.min(a, b) < 4.5) faults.push("too light: " + e.outerHTML.slice(0, 120));
	}
	return faults.slice(0, 5);
})()`

// prints fails the test if the page that is open does not print what it shows, in the dark theme too.
func (b *tab) prints(what string) {
	b.t.Helper()
	var faults []string
	var paper []byte
	b.run("print "+what, emulation.SetEmulatedMedia().WithMedia("print").WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}),
		chromedp.Evaluate(unprinted, &faults), emulation.SetEmulatedMedia(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
			paper, _, err = page.PrintToPDF().WithPrintBackground(true).Do(ctx)
			return err
		}))
	for _, f := range faults {
		b.t.Errorf("%s on paper: %s", what, f)
	}
	if !bytes.HasPrefix(paper, []byte("%PDF")) {
		b.t.Errorf("%s is not printed", what)
	}
}
