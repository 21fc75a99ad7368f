package main

import (
	"regexp"
	"strings"

	"readiness/http/docs/site"
)

// citation is a citation of docs/regime.md, alone or with a heading's number and, for a dimension, its name.
var citation = regexp.MustCompile(`docs/regime\.md(?:( [A-J](?:\.\d+)?\b)( (?:types|instructions))?(?: \(\d+\))?)?`)

// headings returns the anchors of a page by the number of the heading, and by number and the word after it.
func headings(page string) map[string]string {
	anchors := map[string]string{}
	for line := range strings.Lines(page) {
		text := strings.TrimSpace(strings.TrimLeft(line, "#"))
		words := strings.Fields(text)
		if !strings.HasPrefix(line, "#") || len(words) == 0 {
			continue
		}
		for n := 1; n <= min(2, len(words)); n++ {
			if name := strings.TrimSuffix(strings.Join(words[:n], " "), "."); anchors[name] == "" {
				anchors[name] = site.Anchor(text)
			}
		}
	}
	return anchors
}

// linked makes links of the citations in a page of the folder.
func linked(page string, anchors map[string]string) string {
	return citation.ReplaceAllStringFunc(page, func(text string) string {
		m := citation.FindStringSubmatch(text)
		anchor := anchors[strings.TrimSpace(m[1]+m[2])]
		switch {
		case m[1] == "":
			return "[" + text + "](../regime.md)"
		case anchor == "":
			return text
		}
		return "[" + text + "](../regime.md#" + anchor + ")"
	})
}
