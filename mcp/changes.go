package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Change is a text of an object that a preview would write, or that was written.
type Change struct {
	Key  string // selects the change in apply: table|object, or table| for the table itself
	Then string // in full
	Common
}

// Common is what several changes can have in common. An output says it once.
type Common struct {
	Type        string `json:"type"`
	ObjectType  string `json:"objectType"`
	Now         string `json:"now,omitempty"`  // the present text, shortened; absent if there is none
	Part        string `json:"part,omitempty"` // which part of a long text this is, such as 1 of 2
	Reason      string `json:"reason,omitempty"`
	Review      string `json:"reviewRequired,omitempty"` // why a person must read it with care
	Recommended bool   `json:"recommended,omitempty"`
}

// Changes is a page of changes.
type Changes struct {
	Groups []ChangeGroup `json:"groups"`
	Total  int           `json:"total"`                // how many changes all pages have
	Next   string        `json:"nextCursor,omitempty"` // cursor of the next page; absent on the last
}

// ChangeGroup has changes with everything but their texts in common, and the text if there are keys.
type ChangeGroup struct {
	Common
	Then  *string           `json:"then,omitempty"` // the text that is written for each of the keys
	Keys  []string          `json:"keys,omitempty"`
	Texts map[string]string `json:"texts,omitempty"` // the text that is written, by key
}

// maxPart bounds a part of a text, in characters. A longer text is on several pages, so that it can be read in full.
const maxPart = 3000

// changesOf returns the page of all changes that begins at a cursor.
func changesOf(all []Change, cursor string) (Changes, error) {
	parts := parted(all)
	from, err := offset(cursor, len(parts))
	if err != nil {
		return Changes{}, err
	}
	p := Changes{Groups: []ChangeGroup{}, Total: len(all)}
	at := map[Common]int{}
	size, to := 0, from
	for _, c := range parts[from:] {
		size += encoded(c.Key) + encoded(c.Then) + 2
		n, known := at[c.Common]
		if !known {
			size += encoded(c.Common) + len(`"then":"","keys":[],`)
		}
		if to > from && size > maxBytes {
			p.Next = strconv.Itoa(to)
			break
		}
		to++
		if !known {
			n = len(p.Groups)
			at[c.Common] = n
			p.Groups = append(p.Groups, ChangeGroup{Common: c.Common, Then: &c.Then, Texts: map[string]string{}})
		}
		g := &p.Groups[n]
		if g.Keys, g.Texts[c.Key] = append(g.Keys, c.Key), c.Then; g.Then != nil && *g.Then != c.Then {
			g.Then = nil
		}
	}
	for n := range p.Groups {
		if g := &p.Groups[n]; g.Then != nil {
			g.Texts = nil
		} else {
			g.Keys = nil
		}
	}
	return p, nil
}

// encoded returns how many bytes a plain value has as JSON.
func encoded(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return len(text)
}

// parted returns the changes with those of long texts in parts.
func parted(all []Change) []Change {
	var parts []Change
	for _, c := range all {
		text := []rune(c.Then)
		count := max(1, (len(text)+maxPart-1)/maxPart)
		for n := range count {
			part := c
			if count > 1 {
				part.Part = fmt.Sprintf("%d of %d", n+1, count)
				part.Then = string(text[n*maxPart : min(len(text), (n+1)*maxPart)])
			}
			parts = append(parts, part)
		}
	}
	return parts
}

// Rows returns the changes of the page one by one, those of a group in the order of their keys.
func (c Changes) Rows() (rows []Change) {
	for _, g := range c.Groups {
		for _, key := range g.Keys {
			rows = append(rows, Change{key, *g.Then, g.Common})
		}
		for _, key := range slices.Sorted(maps.Keys(g.Texts)) {
			rows = append(rows, Change{key, g.Texts[key], g.Common})
		}
	}
	return rows
}
