package readiness

import (
	"regexp"
	"slices"
	"strconv"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// What is internal to a model: the columns and measures that VIS-02 and VIS-03 fault, and placeholders. Rules of other
// dimensions ask for it.

var (
	rowIDName     = regexp.MustCompile(`(?i)(^| |_)row ?id$`)
	rowWords      = setOf("sk,guid,uuid,etl,checksum,rowid,audit,loaddate")
	hashWords     = setOf("hash,row,record,key,id,value,diff,md5,sha,sha1,sha256,bk,nk,pk")
	batchWords    = setOf("load,etl,run,insert,ingestion,import,export")
	authorWords   = setOf("created,updated,modified")
	loadingWords  = setOf("load,ingestion,export,etl")
	loadedAt      = setOf("time,date,timestamp,at")
	foreignEnding = setOf("key,id,sk,fk,guid,uuid")
)

// technicalWord returns the words of the name that say that a column keeps records of rows or loads, "" if none do,
// and the violation of VIS-02: 0.5 if they only say who changed a row (docs/regime-precision.md P17).
func (c *column) technicalWord() (word string, violation float64) {
	author := ""
	for i, w := range c.words {
		switch {
		case rowWords[w], w == "hash" && c.onlyHash(), w == "batch" && c.loadBatch(i):
			return w, 1
		case i == 0:
			continue
		}
		switch before := c.words[i-1]; {
		case w == "by" && before == "inserted", loadingWords[before] && loadedAt[w], loadedAt[before] && loadingWords[w]:
			return before + " " + w, 1
		case w == "by" && authorWords[before] && author == "":
			author = before + " by"
		}
	}
	switch {
	case rowIDName.MatchString(c.name):
		return "row id", 1
	case author != "":
		return author, 0.5
	}
	return "", 0
}

// onlyHash reports whether the name says of a hash only what it was made of and how.
func (c *column) onlyHash() bool {
	return !slices.ContainsFunc(c.words, func(w string) bool { return !hashWords[w] })
}

// loadBatch reports whether the word batch at i means one of a load: not one of goods.
func (c *column) loadBatch(i int) bool {
	n := len(c.words)
	return i > 0 && batchWords[c.words[i-1]] || i+1 < n && batchWords[c.words[i+1]]
}

// foreignKey reports whether a column is on the many side of an active relationship, or by something other than a date
// of an inactive one that a USERELATIONSHIP activates. A text at an end of an active many-to-many relationship is one
// only by its name (docs/regime-precision.md P17).
func (x *scope) foreignKey(c *column) bool {
	return c.manyOfOne || c.manyOfInactive && !c.is(semanticmodel.DateTime) && x.activatedByMany(c) ||
		c.manyOfMany && (!c.is(semanticmodel.String) || foreignEnding[lastWord(c.words)])
}

type activatedKey struct{}

// activatedByMany reports whether a column is on the many side of an inactive relationship that USERELATIONSHIP
// activates.
func (x *scope) activatedByMany(c *column) bool {
	return remembered(x, activatedKey{}, func() map[*column]bool {
		activated := map[*column]bool{}
		for _, r := range x.relationships {
			if r.src.IsActive || !x.activates(r) {
				continue
			}
			activated[r.from] = activated[r.from] || r.fromMany()
			activated[r.to] = activated[r.to] || r.toMany()
		}
		return activated
	})[c]
}

// onlyText reports whether a column is on the one side of a relationship and is its table's only text column.
func (c *column) onlyText() bool {
	return c.oneSide && c.is(semanticmodel.String) && !slices.ContainsFunc(c.table.columns, func(other *column) bool {
		return other != c && other.is(semanticmodel.String)
	})
}

type technicalKey struct{}

// technical returns the verdict of VIS-02 for an exposed field, which passes what the rule does not judge. Several
// rules ask for it.
func (x *scope) technical(o *object) verdict {
	return orPass(remembered(x, technicalKey{}, func() []*verdict {
		found := make([]*verdict, len(x.objects))
		for _, c := range x.c {
			if v := x.hiddenFromAI(c); v.violation > 0 && hideable(x, c) {
				found[c.index] = &v
			}
		}
		return found
	})[o.index])
}

func (x *scope) hiddenFromAI(c *column) verdict {
	if x.foreignKey(c) {
		return fails(1, "hide this foreign key from AI, as the relationship does its work", "on the many side of a relationship")
	}
	w, violation := c.technicalWord()
	switch {
	case violation == 0 || c.onlyText():
		return verdict{}
	case violation < 1:
		return fails(violation, "hide this column from AI, unless people ask who changed a row ("+w+")", "its name says %s", w)
	}
	return fails(1, "hide this column from AI, as it keeps records of rows or loads ("+w+")", "its name says %s", w)
}

var (
	helperStarts = regexp.MustCompile(`^[_.]|(?i)^(zz|tmp|test|debug|helper)[ _-]`)
	helperNouns  = setOf("placeholder,dummy,debug,helper")
	displayWords = setOf("tooltip,svg,icon,colour,color,title,label,text")
	titleWords   = setOf("title,label,text")
)

// helper is what VIS-03 says of a measure.
type helper struct {
	judged bool
	reason string // why it is a helper; "" if it is none
}

type helpersKey struct{}

// helper returns what VIS-03 says of an exposed field: it judges the measures that are neither named nor used by a
// measure that is no helper. Several rules ask for it.
func (x *scope) helper(o *object) helper {
	return remembered(x, helpersKey{}, func() []helper {
		helpers := make([]helper, len(x.objects))
		used := make([]bool, len(x.objects))
		for _, m := range x.m {
			reason := helperReason(x, m)
			helpers[m.index].reason = reason
			if reason == "" {
				for _, o := range m.refs {
					used[o.index] = true
				}
			}
		}
		for _, m := range x.m {
			if h := &helpers[m.index]; used[m.index] || x.isNamed(&m.object) {
				*h = helper{}
			} else {
				h.judged = true
			}
		}
		return helpers
	})[o.index]
}

// helperReason says why a measure is a helper; "" if it is none.
func helperReason(x *scope, m *measure) string {
	if start := helperStarts.FindString(m.name); start != "" {
		return "its name starts with " + quotedText(start)
	}
	if w := helperNouns.firstOf(m.words); w != "" {
		return "its name says " + w
	}
	explained := x.explained(&m.object)
	i := slices.IndexFunc(m.words, func(w string) bool { return displayWords[w] && !(titleWords[w] && explained) })
	if i >= 0 && (dax.Texts{}).Yields(m.src.Expression) {
		return "its name says " + m.words[i] + ", and it yields text"
	}
	return ""
}

func helperMeasures(x *scope, say func(judged, verdict)) {
	for _, m := range x.m {
		switch h := x.helper(&m.object); {
		case !h.judged:
		case h.reason != "":
			say(m, fails(1, "hide this helper measure from AI, or give it a name that says what it answers", "%s", h.reason))
		default:
			say(m, verdict{})
		}
	}
}

var fillerNames = setOf("dummy,placeholder")

// isInternal reports whether an exposed field is internal to the model (docs/regime-precision.md P16).
func (x *scope) isInternal(o *object) bool {
	if o.kind == measureKind {
		return x.helper(o).reason != ""
	}
	return x.technical(o).violation > 0 || fillerNames.meets(o.words)
}

// Without an AI data schema, at most surveyable fields that are not internal are no problem, and at most fewFields of
// any kind need none. mostInternal is how many internal ones a message names.
const (
	fewFields    = 10
	mostInternal = 5
)

// schemaNeeded judges a model without an AI data schema by what one would leave out, and by how many fields are left
// (docs/regime-precision.md P16).
func schemaNeeded(x *scope, say func(judged, verdict)) {
	if x.configured {
		say(nil, verdict{})
		return
	}
	var internal []string
	for _, o := range x.f {
		if x.isInternal(o) {
			internal = append(internal, lowerFirst(subject(o)))
		}
	}
	without := ""
	if len(internal) > 0 {
		without = ", and leave out " + listed(internal, mostInternal)
	}
	switch public := len(x.f) - len(internal); {
	case public > surveyable:
		v := fails(1, "choose in an AI data schema what an AI sees"+without, "no AI data schema for %s that may matter to people",
			count(public, "field"))
		say(nil, v.stated([]string{strconv.Itoa(surveyable) + " at most need none"}))
	case len(internal) > 0:
		say(nil, fails(0.5, "leave out of what an AI sees, by an AI data schema: "+listed(internal, mostInternal),
			"%s internal, of %d, and no AI data schema", count(len(internal), "field"), len(x.f)))
	case len(x.f) > fewFields:
		v := fails(0.25, "choose in an AI data schema what an AI sees, small as the model is", "no AI data schema for %s",
			count(len(x.f), "field"))
		v.severity = Low
		say(nil, v.stated([]string{strconv.Itoa(fewFields) + " at most need none"}))
	}
}
