package screens_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/ledongthuc/pdf"
	"golang.org/x/text/unicode/norm"

	"readiness/test/consoletest/chromium"
	"readiness/test/testworld"
)

// unprinted lists faults of a printed page: tables that are collapsed, texts too light to read on paper, and buttons.
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

// shownWords lists the words that a page shows, except those of elements that are not printed.
const shownWords = `(() => {
	const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), words = new Set();
	for (let n; (n = walk.nextNode());) {
		const e = n.parentElement;
		if (e.closest("select, textarea, title, .unseen") || !e.checkVisibility()) continue;
		const text = getComputedStyle(e).textTransform === "uppercase" ? n.data.toUpperCase() : n.data;
		for (const word of text.split(/\s+/)) if (word) words.add(word);
	}
	return [...words];
})()`

// prints fails the test if the page that is open does not print what it shows, in the dark theme too.
func prints(b *chromium.Tab, what string) {
	b.T.Helper()
	var faults, words []string
	var paper []byte
	b.Run("print "+what, emulation.SetEmulatedMedia().WithMedia("print").WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}),
		chromedp.Evaluate(unprinted, &faults), chromedp.Evaluate(shownWords, &words), emulation.SetEmulatedMedia(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
			paper, _, err = page.PrintToPDF().WithPrintBackground(true).Do(ctx)
			return err
		}))
	for _, f := range faults {
		b.T.Errorf("%s on paper: %s", what, f)
	}
	text := onPaper(b.T, paper)
	var missing []string
	for _, word := range words {
		if !strings.Contains(text, joined(word)) {
			missing = append(missing, word)
		}
	}
	if len(words) < 4 || len(missing) > 0 {
		b.T.Errorf("%s has %d words, and on paper these are missing: %q", what, len(words), missing)
	}
}

// onPaper returns the text of a PDF, joined.
func onPaper(t *testing.T, content []byte) string {
	t.Helper()
	r, err := pdf.NewReader(bytes.NewReader(content), int64(len(content)))
	testworld.Check(t, err)
	plain, err := r.GetPlainText()
	testworld.Check(t, err)
	text, err := io.ReadAll(plain)
	testworld.Check(t, err)
	return joined(string(text))
}

// joined returns the letters, digits and symbols in ASCII of a text, with ligatures as letters: a PDF stores a text in the pieces in which
// it was drawn, and the library reads other signs of a font that is drawn as pictures wrongly.
func joined(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r > ' ' && r < unicode.MaxASCII {
			return r
		}
		return -1
	}, norm.NFKC.String(text))
}
