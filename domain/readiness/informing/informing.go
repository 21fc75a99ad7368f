// Package informing says whether a text of a model tells an AI something about its object that names and structure do not.
// Texts that restate names, praise, speak of processes, are about nothing in the model, or are nearly those of other
// objects do not. Rules of several dimensions ask for it.
package informing

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// Fault says why a text informs of nothing. Such a description counts as none.
type Fault int

// The faults, and Informs for a text that has none.
const (
	Informs Fault = iota
	Absent
	Short     // fewer than LeastDescription characters
	Names     // only names, in whatever order
	Filler    // praise, process, or what holds of any data
	Unrelated // about nothing that a model of this kind is about
	Repeated  // nearly the text of other objects
)

// LeastDescription is how many characters a description needs.
const LeastDescription = 8

// longestRead is how many characters of a text are judged.
const longestRead = 2000

// Half of the points that a text needs to inform, which is what a word gives that only may inform.
const (
	half   = 1
	enough = 2
)

// dotted spells abbreviations out that are no words by themselves.
var dotted = strings.NewReplacer("e.g.", "example", "E.g.", "example", "e. g.", "example", "z.B.", "Beispiel", "z. B.", "Beispiel", "p.ex.", "exemplo",
	"p. ex.", "exemplo")

// judgeText judges a text about an object. known are the words of names that it does not have to tell: those of the
// object and of all tables. others are the words of all names.
func judgeText(text string, names func(word string) bool, others wording.Set, kinds map[string]kind) Fault {
	if wording.Length(text) < LeastDescription {
		return Short
	}
	var by [asking + 1]int
	spoken := map[string]int{} // function words by language
	own, named := 0, 0
	for _, w := range wording.Words(dotted.Replace(wording.FirstRunes(text, longestRead))) {
		k := known(kinds, w)
		for _, language := range languages[w] {
			spoken[language]++
		}
		switch {
		case names(w):
			own++
		case k == unknown && others[w]:
			named++
		default:
			by[k]++
		}
	}
	own = min(own, 1)                                                       // a long name makes no text that is about it
	content := by[unknown] + by[domain] + by[defining] + by[filler] + named // beyond own names
	if content+by[asking] == 0 {
		return Names
	}
	strange := foreign(spoken, text)
	points := 2*half*by[defining] + half*by[asking] + half*named
	if 2*by[filler] <= content {
		points += 2 * half * by[domain]
	}
	if strange || 2*by[unknown] <= content+own {
		points += half * by[unknown]
	}
	switch {
	case 2*by[filler] > content+by[asking]:
		return Filler
	case !strange && 3*by[unknown] > 2*(content+own) || !strange && 2*by[unknown] > content+own && by[defining] == 0 && by[domain] == 0:
		return Unrelated
	case !strange && own+named+by[defining]+by[asking] == 0 && (by[domain] == 0 || 3*by[unknown] > content):
		return Unrelated // nothing links it to the object or the model
	case points < enough && by[filler] > 0:
		return Filler
	case points < enough && by[unknown] > 0:
		return Unrelated
	case points < enough:
		return Names
	}
	return Informs
}

// known returns the kind of a word, and keeps it.
func known(kinds map[string]kind, w string) kind {
	k, is := kinds[w]
	if !is {
		k = kindOf(w)
		kinds[w] = k
	}
	return k
}

// foreign reports whether a text is in a language of which the lists have no nouns and verbs. Its words are taken as they are.
func foreign(spoken map[string]int, text string) bool {
	most, best := 0, 0 // of all languages, and of the readable ones
	for language, n := range spoken {
		most = max(most, n)
		if readable[language] {
			best = max(best, n)
		}
	}
	return most > best || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
}

// texts are the judged descriptions of a model.
type texts struct {
	*vocabulary
	kinds  map[string]kind
	faults []Fault       // by Object.Index
	alike  map[int]alike // by Object.Index, of repeated ones
}

// alike is how many other objects have nearly the same text, and one of them.
type alike struct {
	others int
	first  *model.Object
}

// vocabulary has the forms of the words of all tables' names, and of all names.
type vocabulary struct{ tables, others wording.Set }

// named is a model's vocabulary as a text: the words of its tables' names, and those of other names.
type named struct{ tables, others string }

// textsOf returns the texts of a model, none of which is judged yet. x, if not nil, may remember the vocabulary.
func textsOf(s *model.Snapshot, x *model.Scope) *texts {
	tables, others := wording.Set{}, wording.Set{}
	for _, o := range s.Objects {
		for _, w := range o.Words {
			if o.Kind == model.TableKind {
				tables[w] = true
			} else {
				others[w] = true
			}
		}
	}
	build := func(named) *vocabulary {
		v := &vocabulary{wording.Set{}, wording.Set{}}
		for w := range tables {
			for _, form := range wording.Forms(w) {
				v.tables[form], v.others[form] = true, true
			}
		}
		for w := range others {
			for _, form := range wording.Forms(w) {
				v.others[form] = true
			}
		}
		return v
	}
	t := &texts{kinds: map[string]kind{}}
	if x == nil || x.Memory == nil {
		t.vocabulary = build(named{})
	} else {
		t.vocabulary = model.Pure(x, named{sorted(tables), sorted(others)}, build)
	}
	return t
}

// sorted returns words as a text.
func sorted(words wording.Set) string { return strings.Join(slices.Sorted(maps.Keys(words)), "\x00") }

// judge judges a text as the description of an object, apart from the texts of others.
func (t *texts) judge(o *model.Object, text string) Fault {
	switch {
	case strings.TrimSpace(text) == "":
		return Absent
	case wording.Norm(strings.TrimSuffix(strings.TrimSpace(text), ".")) == o.Norm:
		return Names
	}
	return judgeText(text, t.namesOf(o), t.others, t.kinds)
}

// namesOf reports which words a description of an object need not tell.
func (t *texts) namesOf(o *model.Object) func(string) bool {
	var own []string
	for _, n := range o.Words {
		own = append(own, wording.Forms(n)...)
	}
	return func(w string) bool {
		return t.tables[w] || slices.Contains(own, w) || o.Table.Date && (w == "date" || w == "calendar")
	}
}

type textsKey struct{}

// judged is a description by what its fault depends on.
type judged struct {
	*vocabulary
	kind                     model.Kind
	name, table, description string
	date                     bool
}

func of(x *model.Scope) *texts {
	return model.Remembered(x, textsKey{}, func() *texts {
		t := textsOf(x.Snapshot, x)
		t.faults = make([]Fault, len(x.Objects))
		for i, o := range x.Objects {
			t.faults[i] = model.Pure(x, judged{t.vocabulary, o.Kind, o.Name, o.Table.Src.Name, o.Description, o.Table.Date},
				func(judged) Fault { return t.judge(o, o.Description) })
		}
		t.compare(x)
		return t
	})
}

// FaultOf returns the fault of an object's description.
func FaultOf(x *model.Scope, o *model.Object) Fault { return of(x).faults[o.Index] }

// Described reports whether an object has a description that informs.
func Described(x *model.Scope, o *model.Object) bool { return FaultOf(x, o) == Informs }

// Says reports whether a text says something beyond names: the words that it need not say are those of which names
// reports true.
func Says(x *model.Scope, text string, names func(word string) bool) bool {
	t := of(x)
	return judgeText(text, names, t.others, t.kinds) == Informs
}

// Defining returns how many words define: units, grains, what is in and out, as of when.
func Defining(words []string) int {
	return lists.Count(words, func(w string) bool { return kindOf(w) == defining })
}

// Means reports whether a word means something by itself: it is no word of the frame, of praise or of grammar.
func Means(word string) bool {
	switch kindOf(word) {
	case domain, defining, unknown:
		return true
	case function, frame, filler, asking:
	}
	return false
}

// Alike returns how many other objects have nearly the text of a Repeated one, and one of them.
func Alike(x *model.Scope, o *model.Object) (others int, one *model.Object) {
	a := of(x).alike[o.Index]
	return a.others, a.first
}
