package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"readiness/definition/jsonpart"
)

const synonymsMember = "synonyms"

// The most synonyms of an object, and the most characters of one.
const (
	maxSynonyms = 1024
	maxSynonym  = 1024
)

// errLinguistic is the error of synonyms for a model that is prepared for AI in a
// linguistic schema.
var errLinguistic = errors.New("its AI instructions or its AI data schema are in a linguistic schema, and synonyms are written to " +
	schemaPart + ", which would take their place; save them in Power BI first, which makes a folder Copilot")

// noSynonyms returns why the definition has no place for synonyms; nil if it has one.
func (r *reading) noSynonyms() error {
	if !r.synonymsKnown {
		r.synonymsKnown = true
		switch unread := r.unread(Synonyms); {
		case unread != nil:
			r.synonymsError = unread
		case r.noFolder != nil:
			r.synonymsError = r.noFolder
		case r.instructionsCulture() != "" || r.visibilityCulture() != "":
			r.synonymsError = errLinguistic
		}
	}
	return r.synonymsError
}

// synonyms returns the target's synonyms. They are not found where the definition has no
// place for them, and if lines cannot represent one of them.
func (r *reading) synonyms(t Target) Value {
	if r.noSynonyms() != nil {
		return Value{}
	}
	words := r.entryOf(t).synonyms
	if len(words) == 0 {
		return Value{Found: true}
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.TrimSpace(w) == "" || strings.ContainsAny(w, "\r\n") }) {
		return Value{}
	}
	return Value{Found: true, Text: new(strings.Join(words, "\n"))}
}

// writeSynonyms sets the synonyms of an object in the AI data schema, with the structure
// that it needs, and changes no visibility. Synonyms that stay at the start of the list
// keep their bytes. It returns the previous list, and the structure that it created.
func (e *edit) writeSynonyms(c Change) (was *string, made map[string]string, err error) {
	entry, made, err := e.schemaEntry(c.Target)
	if err != nil {
		return nil, nil, err
	}
	words := strings.Split(asRead(c), "\n")
	v := entry.Member(synonymsMember)
	if v == nil {
		list := jsonpart.Array{}
		for _, w := range words {
			list = append(list, w)
		}
		entry.Add(synonymsMember, list, "id", "name", "visibility", "index", columns, measures, "hierarchies")
		return nil, made, nil
	}
	was = new(string(v.Raw()))
	kept := textsOf(v)
	if v.Kind() != '[' || len(kept) > len(words) || !slices.Equal(kept, words[:len(kept)]) {
		kept = nil
		v.Set([]byte("[]"))
	}
	for _, w := range words[len(kept):] {
		v.Append(w)
	}
	return was, made, nil
}

// synonymsOf returns a list of synonyms as Values reads it; ok is false if there are
// none.
func synonymsOf(v *jsonpart.Value) (text string, ok bool) {
	words := textsOf(v)
	return strings.Join(words, "\n"), len(words) > 0
}

// textsOf returns the strings of an array; nil for any other value.
func textsOf(v *jsonpart.Value) []string {
	if v == nil || v.Kind() != '[' {
		return nil
	}
	var texts []string
	for _, item := range v.Items() {
		if text, ok := item.Text(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// checkSynonyms returns what is wrong with synonyms, one a line; "" if they are valid.
func checkSynonyms(text string) string {
	words := strings.Split(text, "\n")
	if len(words) > maxSynonyms {
		return fmt.Sprintf("there are %d synonyms; at most %d are allowed", len(words), maxSynonyms)
	}
	for _, w := range words {
		switch {
		case strings.TrimSpace(w) == "":
			return "a synonym may not be blank"
		case strings.ContainsAny(w, "\t"+lineBreaks):
			return "a synonym must be one line without a tab"
		}
		if problem := tooLong(w, maxSynonym); problem != "" {
			return "a synonym is too long: " + problem
		}
	}
	return ""
}
