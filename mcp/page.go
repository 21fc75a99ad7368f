package mcp

import (
	"encoding/json"
	"strconv"
)

// Bounds of one page: rows, and bytes of their JSON.
const (
	maxRows  = 50
	maxBytes = 12 << 10
)

// Page is a part of a list.
type Page[T any] struct {
	Rows  []T    `json:"rows"`
	Total int    `json:"total"`                // how many rows all pages have
	Next  string `json:"nextCursor,omitempty"` // cursor of the next page; absent on the last
}

// pageOf returns the page of all that begins at a cursor.
func pageOf[T any](all []T, cursor string) (Page[T], error) {
	return pageAs(all, cursor, func(one T) T { return one })
}

// pageAs returns the page of all that begins at a cursor, as rows. It makes only the rows of the page.
func pageAs[T, R any](all []T, cursor string, row func(T) R) (Page[R], error) {
	from, err := offset(cursor, len(all))
	if err != nil {
		return Page[R]{}, err
	}
	rows := fitting(all[from:], row)
	p := Page[R]{Rows: rows, Total: len(all)}
	if to := from + len(rows); to < len(all) {
		p.Next = strconv.Itoa(to)
	}
	return p, nil
}

// offset returns the position that a cursor stands for.
func offset(cursor string, n int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	from, err := strconv.Atoi(cursor)
	if err != nil || from < 0 || from > n {
		return 0, &Problem{Text: "The cursor is not one that this list returned. Leave it out to begin with the first page."}
	}
	return from, nil
}

// fitting returns the first rows that fit on a page: at least one, if there is one.
func fitting[T, R any](all []T, row func(T) R) []R {
	rows, size := []R{}, 0
	for _, one := range all[:min(len(all), maxRows)] {
		r := row(one)
		text, err := json.Marshal(r)
		if err != nil {
			panic(err) // plain values
		}
		if size += len(text) + 1; len(rows) > 0 && size > maxBytes {
			break
		}
		rows = append(rows, r)
	}
	return rows
}
