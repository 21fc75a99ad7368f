package rulesengine

import (
	"cmp"
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	naming "readiness/domain/readiness/wording"
)

const (
	// enough is the minimum score of a match by names: half of a two-word name reaches it.
	enough = 0.7
	// maxMatches is how many fields a run of words is compared with at most.
	maxMatches = 4096
)

// candidates returns the fields that the words may name, in the order of the lexicon.
func (l *lexicon) candidates(words []word, exact bool) []candidate {
	if exact {
		stems := make([]string, len(words))
		for i, w := range words {
			stems[i] = w.stem
		}
		var all []candidate
		for _, i := range l.exact[strings.Join(stems, " ")] {
			all = append(all, l.fields[i].match(words))
		}
		if len(words) > maxRun {
			return all
		}
	}
	var significant, loose []word
	for _, w := range words {
		switch {
		case w.structural:
		case w.amount, w.lower == "name", w.lower == "names", w.lower == "time":
			loose = append(loose, w)
		default:
			significant = append(significant, w)
		}
	}
	if len(significant) == 0 {
		significant = loose
	}
	var all []candidate
	for _, i := range l.with(significant) {
		if c := l.fields[i].match(words); c.score > 0 {
			all = append(all, c)
		}
	}
	return all
}

// with returns the fields that have all of the words somewhere.
func (l *lexicon) with(words []word) []int {
	if len(words) == 0 {
		return nil
	}
	lists := make([][]int, len(words))
	for i, w := range words {
		lists[i] = l.byStem[w.id]
	}
	slices.SortStableFunc(lists, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	kept := lists[0]
	if len(kept) > maxMatches {
		return nil
	}
	for _, list := range lists[1:] {
		kept = both(kept, list)
	}
	return kept
}

// both returns the numbers in both of two ordered lists.
func both(a, b []int) []int {
	var kept []int
	for _, n := range a {
		at, found := slices.BinarySearch(b, n)
		if found {
			kept = append(kept, n)
		}
		b = b[at:]
	}
	return kept
}

// match returns how well the words name the field: by its best phrase, else by its description. The
// score is 0 when they do not name it.
func (f *field) match(words []word) candidate {
	best := candidate{field: f}
	worth := f.worth
	if f.key && f.dataType != "dateTime" {
		worth *= 0.9 // people ask by labels, not by keys
	}
	for i := range f.phrases {
		p := &f.phrases[i]
		score := p.match(words, f.isLabel()) * worth
		best.instructed = best.instructed || p.source == InInstructions && score > 0.9*p.weight
		if score > best.score {
			best.score, best.source = score, p.source
		}
	}
	if best.score < enough {
		best.score, best.source = 0, ""
		if score := f.described(words) * worth; score > 0 {
			best.score, best.source = score, InDescription
		}
	}
	return best
}

// isLabel reports whether the column holds texts that people call names, whatever the column's name
// is.
func (f *field) isLabel() bool { return !f.measure && !f.key && f.dataType == "string" }

// summable reports whether the column holds numbers that are added up rather than grouped by.
func (f *field) summable() bool {
	return !f.measure && !f.key && !f.dates && (f.dataType == "int64" || f.dataType == "double" || f.dataType == "decimal")
}

// addsUp reports whether the sum of a numeric column has a meaning, by its name: that of a rate has none. That visuals do not summarize it
// says nothing about a person who asks for the total, as of the capacity of warehouses.
func (f *field) addsUp() bool { return naming.Unadded(naming.Words(f.ref.Name)) == "" }

// match returns the phrase's weight, reduced for words of the phrase that are missing and for filler
// words. It is 0 when a significant word is not in the phrase, or when no word belongs to the field's
// own name.
func (p *phrase) match(words []word, label bool) float64 {
	var found, own float64
	inName := func(w word) bool { return slices.ContainsFunc(p.words, func(t term) bool { return t.id == w.id }) }
	penalty := 0.0
	next := 0 // where the next word of the phrase is expected
	used := uint32(0)
	for n, w := range words {
		at := -1
		for k := range p.words {
			i := (next + k) % len(p.words)
			if p.words[i].id == w.id && used&(1<<i) == 0 {
				at = i
				break
			}
		}
		switch {
		case at >= 0:
			if at != next {
				penalty += 0.01
			}
			next = at + 1
			used |= 1 << at
			found += p.words[at].weight
			if p.own[at] && !wording.Aggregators[w.lower] {
				own += p.words[at].weight
			}
			switch lower := p.words[at].lower; {
			case lower == w.lower, wording.Sold[w.lower] && lower == "sales":
			case sameButPlural(lower, w.lower):
				penalty += 0.02
			default:
				penalty += 0.04
			}
		case w.cut, (denials[w.lower] || wording.Conjunctions[w.lower]) && !inName(w):
			return 0
		case w.structural:
			penalty += 0.02
		case w.lower == "time" && n > 0 && !words[n-1].structural: // resolution time
			penalty += 0.06
		case w.amount, label && (w.lower == "name" || w.lower == "names"):
			penalty += 0.06
		default:
			return 0
		}
	}
	if found == 0 {
		return 0
	}
	if own == 0 { // the words name the table, whose names are in its label column, or how something is aggregated
		for i, w := range p.words {
			if p.own[i] && w.weight == 1 && !wording.Aggregators[w.lower] {
				return 0
			}
		}
	}
	return max(0, p.weight*(0.45+0.55*found/p.all)-penalty)
}

func sameButPlural(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return b == a+"s" || b == a+"es" || strings.HasSuffix(a, "y") && b == a[:len(a)-1]+"ies"
}

// described returns the score for words that occur in the description, in their order.
func (f *field) described(words []word) float64 {
	var stems []int
	for _, w := range words {
		if !w.structural && !w.amount {
			stems = append(stems, w.id)
		}
	}
	if len(stems) < 2 { // one word may occur for any reason
		return 0
	}
	for i, s := range f.description {
		if s != stems[0] || len(f.description)-i < len(stems) {
			continue
		}
		together := true
		for k, stem := range stems {
			together = together && f.description[i+k] == stem
		}
		if together {
			return descriptionWeight + 0.05*float64(min(3, len(stems)))
		}
	}
	return 0
}
