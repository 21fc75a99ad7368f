package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"readiness/ai/rules/prose"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
	"readiness/domain/readiness/rules/synonyms"
)

// maxSynonyms is how many synonyms an object has at most after a proposal.
const maxSynonyms = 10

// synonym is a word that the model itself has for an object.
type synonym struct {
	text   string
	source string // where the model has it, for the reason
}

// nameable is a table or a field that synonyms are proposed for.
type nameable struct {
	proposal.Object
	words []synonym
}

// name adds words that the model and its reports have for tables and fields: the names in other cultures,
// what an abbreviation in a name means if the model spells it out, and the captions of reports. A word that
// is the name or a synonym of another object is left out, and so is one that only repeats the name.
// Nothing is asked of a person and nothing comes from a dictionary.
func (f *facts) name(captions []proposal.Caption, a *answers) {
	all := f.nameables()
	spelled := f.spellings()
	for i := range all {
		all[i].words = slices.Concat(spelled.of(all[i].own()), f.translated(all[i].Object), captioned(all[i].Object, captions))
	}
	wordOwners := f.wordOwners()
	claims := map[string]int{} // how many of the objects would get a word
	for i := range all {
		all[i].words = wordOwners.free(all[i])
		for _, w := range all[i].words {
			claims[spelling.FoldSpace(w.text)]++
		}
	}
	for _, o := range all {
		o.words = slices.DeleteFunc(o.words, func(w synonym) bool { return claims[spelling.FoldSpace(w.text)] > 1 })
		f.proposeSynonyms(o, a)
	}
}

// own returns the name that the object itself has.
func (n nameable) own() string { return cmp.Or(n.Name, n.Table) }

// nameables returns the tables and fields that people ask about, without keys.
func (f *facts) nameables() []nameable {
	var all []nameable
	for _, t := range f.tables {
		if t.role == fieldParameter {
			continue // people choose by it in a report, and ask for what it lists
		}
		table := len(all)
		for _, x := range t.fields() {
			if f.worthNaming(x) && !x.key {
				all = append(all, nameable{Object: x.object()})
			}
		}
		if len(all) > table {
			all = slices.Insert(all, table, nameable{Object: t.object()})
		}
	}
	return all
}

// translated returns the names of an object in cultures other than the model's own, by culture.
func (f *facts) translated(o proposal.Object) []synonym {
	var all []synonym
	for i := range f.src.Cultures {
		c := &f.src.Cultures[i]
		if strings.EqualFold(c.Name, f.src.Culture) {
			continue
		}
		for _, caption := range c.Captions {
			if strings.EqualFold(caption.Table, o.Table) && strings.EqualFold(caption.Name, o.Name) {
				all = append(all, synonym{strings.TrimSpace(caption.Text), "its name in " + c.Name})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b synonym) int { return strings.Compare(a.source, b.source) })
	return all
}

// The longest caption of a report that is taken for a word, in words and characters; longer ones are sentences.
const (
	maxCaptionWords = 4
	maxCaption      = 40
)

// captioned returns what reports call a field, in their order. A caption with a digit or a sign names a period, a
// choice or a part rather than the field.
func captioned(o proposal.Object, captions []proposal.Caption) []synonym {
	var all []synonym
	for _, c := range captions {
		text := strings.TrimSpace(c.Text)
		word := utf8.RuneCountInString(text) <= maxCaption && len(strings.Fields(text)) <= maxCaptionWords &&
			!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune(" -'&", r) })
		if word && o.Name != "" && spelling.FoldSpace(c.Table) == spelling.FoldSpace(o.Table) &&
			spelling.FoldSpace(c.Name) == spelling.FoldSpace(o.Name) && synonyms.SaysMore(text, o.Name) {
			all = append(all, synonym{text, fmt.Sprintf("what report %q calls it", c.Report)})
		}
	}
	return all
}

// wordOwners holds, by norm, the objects that have a word as name or synonym, and the objects from which a
// person deleted it.
type wordOwners struct{ owners, deleted map[string][]proposal.Object }

// wordOwners returns the objects that have each word. Hidden objects and the levels of hierarchies count too.
func (f *facts) wordOwners() wordOwners {
	all := wordOwners{map[string][]proposal.Object{}, map[string][]proposal.Object{}}
	note := func(in map[string][]proposal.Object, word, table, name string) {
		o := proposal.Object{Table: spelling.FoldSpace(table), Name: spelling.FoldSpace(name)}
		if key := spelling.FoldSpace(word); !slices.Contains(in[key], o) {
			in[key] = append(in[key], o)
		}
	}
	owner := func(word, table, name string) { note(all.owners, word, table, name) }
	for i := range f.src.Tables {
		t := &f.src.Tables[i]
		owner(t.Name, t.Name, "")
		for _, c := range t.Columns {
			owner(c.Name, t.Name, c.Name)
		}
		for _, m := range t.Measures {
			owner(m.Name, t.Name, m.Name)
		}
		for _, h := range t.Hierarchies {
			owner(h.Name, t.Name, h.Name)
			for _, l := range h.Levels {
				owner(l.Name, t.Name, l.Column)
			}
		}
	}
	if s := f.src.Copilot.Schema; s != nil {
		for _, t := range s.Tables {
			for _, w := range t.Synonyms {
				owner(w, t.Name, "")
			}
			for _, x := range slices.Concat(t.Columns, t.Measures, t.Hierarchies) {
				for _, w := range x.Synonyms {
					owner(w, t.Name, x.Name)
				}
			}
		}
	}
	for _, c := range f.src.Cultures {
		for _, e := range c.Entities {
			for _, t := range e.Terms {
				if t.State == "Deleted" {
					note(all.deleted, t.Text, e.Table, e.Property)
				} else {
					owner(t.Text, e.Table, e.Property)
				}
			}
		}
	}
	return all
}

// free returns the words for an object, each once, that no other object has, that it does not have
// already, that no person deleted from it and that do not only repeat its name.
func (b wordOwners) free(n nameable) []synonym {
	own := proposal.Object{Table: spelling.FoldSpace(n.Table), Name: spelling.FoldSpace(n.Name)}
	var all []synonym
	for _, w := range n.words {
		key := spelling.FoldSpace(w.text)
		switch {
		case !prose.Mentionable(w.text), !strings.ContainsFunc(w.text, unicode.IsLetter), squashed(w.text) == squashed(n.own()):
		case len(b.owners[key]) > 0, slices.Contains(b.deleted[key], own):
		case slices.ContainsFunc(all, func(other synonym) bool { return spelling.FoldSpace(other.text) == key }):
		default:
			all = append(all, w)
		}
	}
	return all
}

// squashed returns the letters and digits of a text, in lower case.
func squashed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, spelling.FoldSpace(text))
}

func (f *facts) proposeSynonyms(n nameable, a *answers) {
	current := f.synonymsOf(n.Object)
	added := n.words[:min(len(n.words), max(0, maxSynonyms-len(current)))]
	unlisted := slices.ContainsFunc(current, func(w string) bool { return strings.TrimSpace(w) == "" || strings.ContainsAny(w, "\r\n") })
	if len(added) == 0 || unlisted {
		return
	}
	texts, reasons := slices.Clone(current), []string{}
	for _, w := range added {
		texts = append(texts, w.text)
		reasons = append(reasons, fmt.Sprintf("%q is %s", w.text, w.source))
	}
	a.Proposals = append(a.Proposals, proposal.Proposal{Object: n.Object, Value: strings.Join(texts, "\n"), Recommended: true,
		Reason: strings.Join(reasons, "; ") + "; no other object has this word."})
}

// synonymsOf returns the synonyms that the AI data schema has for an object. The first entry of a name
// counts.
func (f *facts) synonymsOf(o proposal.Object) []string {
	s := f.src.Copilot.Schema
	if s == nil {
		return nil
	}
	i := slices.IndexFunc(s.Tables, func(t semanticmodel.AITable) bool { return spelling.FoldSpace(t.Name) == spelling.FoldSpace(o.Table) })
	if i < 0 {
		return nil
	}
	t := &s.Tables[i]
	of := t.Columns
	if o.Type == proposal.Table {
		return t.Synonyms
	}
	if o.Type == proposal.Measure {
		of = t.Measures
	}
	wanted := spelling.FoldSpace(o.Name)
	if j := slices.IndexFunc(of, func(x semanticmodel.AIField) bool { return spelling.FoldSpace(x.Name) == wanted }); j >= 0 {
		return of[j].Synonyms
	}
	return nil
}
