package review

import (
	"net/url"

	"readiness/client"
	"readiness/http/console/choices"
)

// Folds returns how many changes each decision of the first page is about.
func Folds(p client.Preview) (sizes []int) {
	r := &review{Preview: p}
	r.arrange()
	for _, f := range r.Folds() {
		sizes = append(sizes, 1+len(f.Rest))
	}
	return sizes
}

// Order returns the keys of a preview's changes in the order of the pages.
func Order(p client.Preview) (keys []string) {
	r := &review{Preview: p}
	r.arrange()
	for _, c := range r.all {
		keys = append(keys, c.Key)
	}
	return keys
}

// Decisions returns what a form decides about a preview.
func Decisions(p client.Preview, stored map[string]choices.Choice, written map[string]string, form url.Values, do string, number int) []choices.Decision {
	r := &review{Preview: p, stored: stored, written: written}
	r.arrange()
	return r.decisions(form, do, number)
}

// Was returns the digest of a text in a form.
func Was(text string) string { return digest(text) }
