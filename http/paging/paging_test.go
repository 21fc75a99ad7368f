package paging_test

import (
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"readiness/domain"
	"readiness/http/paging"
)

// next returns the token and the address of the page after the element with the key last.
func next(t *testing.T, lists paging.Lists, accountID, path string, filters url.Values, last string) (token, uri string) {
	t.Helper()
	one := 1
	p, err := paging.Open[string](lists, accountID, path, filters, &one, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, tokens, uris, err := paging.Of(p, []string{last, last}, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	return *tokens, *uris
}

// A list that ends on its page has no next page, and no page is longer than was asked.
func TestLastPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, fetched, want int }{{1, 0, 0}, {1, 1, 1}, {1, 2, 1}, {3, 3, 3}, {3, 4, 3}} {
		p, err := paging.Open[int](paging.Lists{}, "acme", "/v1/operations", url.Values{}, &c.asked, nil)
		if err != nil {
			t.Fatal(err)
		}
		value, token, uri, err := paging.Of(p, make([]int, c.fetched), func(i int) int { return i })
		if more := c.fetched > c.asked; err != nil || len(value) != c.want || (token != nil) != more || (uri != nil) != more {
			t.Errorf("%+v: got %d elements, %v, %v, %v", c, len(value), token, uri, err)
		}
	}
}

// listPath matches the paths of lists.
var listPath = regexp.MustCompile(`^(/[0-9A-Za-z-]+)+$`)

// A continuation token is valid in its own list only, and cannot be forged.
//
// proves: decisions/1/foreign-token
func FuzzContinuationToken(f *testing.F) {
	f.Add("acme", "/v1/operations", "status=Running", "2026-11-21T06:00:00Z", "AAAAAAAAAAAAAAAAAAAAAA", uint(0))
	f.Add("a\" \"b", "/v1/aiReadiness/abTests", "q=%00&sort=name", "\u2028é", "eyJhIjoxfQ", uint(40))
	f.Add("", "", "", "", "", uint(7))
	f.Fuzz(func(t *testing.T, accountID, path, query, last, forged string, at uint) {
		filters, err := url.ParseQuery(query)
		if err != nil || !utf8.ValidString(last) {
			return
		}
		filters.Del("continuationToken")
		lists := paging.Lists{Secret: []byte(strings.Repeat("k", 32)), Base: "https://service.example.com"}
		token, uri := next(t, lists, accountID, path, filters, last)
		p, err := paging.Open[string](lists, accountID, path, filters, nil, &token)
		if err != nil || p.After == nil || *p.After != last {
			t.Fatalf("after %q: got %v, %v", last, p.After, err)
		}
		if u, err := url.Parse(uri); listPath.MatchString(path) && (err != nil || u.Query().Get("continuationToken") != token) {
			t.Fatalf("the address %q is wrong: %v", uri, err)
		}
		refused := func(what, accountID, path string, filters url.Values, token string) {
			_, err := paging.Open[string](lists, accountID, path, filters, nil, &token)
			if !domain.IsRefused(err, domain.InvalidRequest) || strings.Contains(err.Error(), token) && len(token) > 20 {
				t.Fatalf("%s: got %v", what, err)
			}
		}
		if forged != token {
			refused("a forged token", accountID, path, filters, forged)
		}
		changed := []byte(token)
		changed[int(at%uint(len(changed)))] ^= 1 << (at % 7)
		refused("a changed token", accountID, path, filters, string(changed))
		refused("a token cut short", accountID, path, filters, token[:int(at%uint(len(token)))])
		refused("another account", accountID+"x", path, filters, token)
		refused("another list", accountID, path+"x", filters, token)
		other := maps.Clone(filters)
		other["another"] = []string{"filter"}
		refused("another filter", accountID, path, other, token)
		refused("another key", accountID, path, filters, func() string {
			theirs, _ := next(t, paging.Lists{Secret: []byte(strings.Repeat("j", 32))}, accountID, path, filters, last)
			return theirs
		}())
	})
}
