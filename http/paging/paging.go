// Package paging divides lists into pages. A continuation token holds the key of the last element of a page and is
// authenticated, so that it works only for the list, the account and the filters that returned it.
package paging

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"readiness/domain"
)

const (
	defaultResults = 100
	tagSize        = 16 // bytes of the authentication tag in a continuation token
)

// Lists opens the pages of all lists of a service.
type Lists struct {
	// Secret authenticates continuation tokens: the same in every instance.
	Secret []byte
	// Base is the address of the service, without a trailing slash.
	Base string
}

// Page is one page of a list. C is the sort key of the list. Pages continue after a key, so elements that are added
// or removed between two requests neither repeat nor hide other elements.
type Page[C any] struct {
	// After is the key of the last element of the previous page; nil on the first page.
	After *C
	// Limit is the maximum number of elements on the page. Fetch one more to find out whether there is a next page.
	Limit int

	lists   Lists
	scope   string
	path    string
	filters url.Values
	asked   *int
}

// Open returns the page that a call asks for. filters are the filters of the list. It refuses a token of another
// account, route or filter.
func Open[C any](l Lists, accountID, path string, filters url.Values, maxResults *int, continuation *string) (Page[C], error) {
	p := Page[C]{
		Limit: defaultResults, lists: l, path: path, filters: filters, asked: maxResults,
		scope: fmt.Sprintf("%q %q %q", accountID, path, filters.Encode()),
	}
	if maxResults != nil {
		p.Limit = *maxResults
	}
	if continuation == nil {
		return p, nil
	}
	refused := domain.Refuse(domain.InvalidRequest, "the continuationToken was not returned by this list for this account and these "+
		"filters; start again without it")
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(*continuation)
	if err != nil || len(sealed) < tagSize || !hmac.Equal(sealed[:tagSize], p.tag(sealed[tagSize:])) {
		return p, refused
	}
	p.After = new(C)
	if err := json.Unmarshal(sealed[tagSize:], p.After); err != nil {
		return p, refused
	}
	return p, nil
}

// next returns the continuation token and the address of the page after the element with key last.
func (p Page[C]) next(last C) (token, uri *string, err error) {
	key, err := json.Marshal(last)
	if err != nil {
		return nil, nil, fmt.Errorf("paging: continuation token: %w", err)
	}
	t := base64.RawURLEncoding.EncodeToString(append(p.tag(key), key...))
	query := url.Values{"continuationToken": {t}}
	for name, values := range p.filters {
		query[name] = values
	}
	if p.asked != nil {
		query.Set("maxResults", strconv.Itoa(*p.asked))
	}
	u := p.lists.Base + p.path + "?" + query.Encode()
	return &t, &u, nil
}

// tag returns the authentication tag of a key in this list.
func (p Page[C]) tag(key []byte) []byte {
	mac := hmac.New(sha256.New, p.lists.Secret)
	fmt.Fprintf(mac, "%d %s", len(p.scope), p.scope)
	mac.Write(key)
	return mac.Sum(nil)[:tagSize]
}

// Of returns at most Limit of the fetched elements, with the token and the address of the next page. Both are nil on
// the last page. The caller must have fetched one element more than Limit.
func Of[T, C any](p Page[C], fetched []T, key func(T) C) (value []T, token, uri *string, err error) {
	if len(fetched) <= p.Limit {
		return fetched, nil, nil, nil
	}
	value = fetched[:p.Limit]
	token, uri, err = p.next(key(value[p.Limit-1]))
	return value, token, uri, err
}
