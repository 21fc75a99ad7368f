package visibility

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/informing"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// Internal parts of a model: the columns and measures that violate VIS-02 and VIS-03, and placeholders. Rules of other
// dimensions use them.

var (
	rowIDName        = regexp.MustCompile(`(?i)(^| |_)row ?id$`)
	rowWords         = wording.SetOf("sk,guid,uuid,etag,etl,checksum,rowid,audit,loaddate")
	identifyingWords = wording.SetOf("guid,uuid,sk")
	hashWords        = wording.SetOf("hash,row,record,key,id,value,diff,md5,sha,sha1,sha256,bk,nk,pk")
	batchWords       = wording.SetOf("load,etl,run,insert,ingestion,import,export")
	authorWords      = wording.SetOf("created,updated,modified")
	loadingWords     = wording.SetOf("load,ingestion,export,etl")
	loadedAt         = wording.SetOf("time,date,timestamp,at")
	changedWords     = wording.SetOf("upd,updated,modified,inserted,loaded")
	stampWords       = wording.SetOf("ts,timestamp")
	foreignEnding    = wording.SetOf("key,id,sk,fk,guid,uuid")
)

// TechnicalWord returns the words of the name that say that a column keeps records of rows or loads, "" if none do,
// and the violation of VIS-02: 0.5 if they only say who changed a row.
func TechnicalWord(c *model.Column) (word string, violation float64) {
	author := ""
	for i, w := range c.Words {
		switch {
		case rowWords[w], w == "hash" && onlyHash(c), w == "batch" && loadBatch(c, i):
			return w, 1
		case i == 0:
			continue
		}
		switch before := c.Words[i-1]; {
		case w == "by" && before == "inserted", loadingWords[before] && loadedAt[w], loadedAt[before] && loadingWords[w],
			changedWords[before] && stampWords[w]:
			return before + " " + w, 1
		case w == "by" && authorWords[before] && author == "":
			author = before + " by"
		}
	}
	switch {
	case rowIDName.MatchString(c.Name):
		return "row id", 1
	case author != "":
		return author, 0.5
	}
	return "", 0
}

// onlyHash reports whether the name only describes a hash: its input and its algorithm.
func onlyHash(c *model.Column) bool {
	return !slices.ContainsFunc(c.Words, func(w string) bool { return !hashWords[w] })
}

// KeepsRecords reports whether the name of a date says that it keeps a record of a row or a load, or is that of a birth, and not when what
// a row stands for happened.
func KeepsRecords(c *model.Column) bool {
	w, _ := TechnicalWord(c)
	return w != "" || wording.RecordWord(c.Words) != ""
}

// loadBatch reports whether the word batch at i means a batch of a load, not of goods.
func loadBatch(c *model.Column, i int) bool {
	n := len(c.Words)
	return i > 0 && batchWords[c.Words[i-1]] || i+1 < n && batchWords[c.Words[i+1]]
}

// foreignKey reports whether a column is on the many side of an active relationship, or by something other than a date
// of an inactive one that a USERELATIONSHIP activates. A text at an end of an active many-to-many relationship is one
// only by its name. The key of the table itself is none: there a relationship was drawn the wrong way.
func foreignKey(x *model.Scope, c *model.Column) bool {
	if namesOwnKey(c) {
		return false
	}
	return c.ManyOfOne && !(saysSomething(c) && onlySecured(x, c)) || c.ManyOfInactive && !c.Is(semanticmodel.DateTime) && activatedByMany(x, c) ||
		c.ManyOfMany && (!c.Is(semanticmodel.String) || foreignEnding[wording.LastWord(c.Words)])
}

var roleOfTable = regexp.MustCompile(`^(?:[Dd]im|DIM|d|[Ff]act|FACT|f)(?:[ _]|([A-Z]))|[ _](?i:dim|fact)$`)

// namesOwnKey reports whether a column's name is that of its table with a word for key, as CustomerKey of Customers.
func namesOwnKey(c *model.Column) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	table := letters(roleOfTable.ReplaceAllString(c.Table.Src.Name, "$1"))
	name := letters(c.Name)
	for _, noun := range []string{table, strings.TrimSuffix(table, "s"), strings.TrimSuffix(table, "ies") + "y"} {
		if rest, found := strings.CutPrefix(name, noun); found && noun != "" && foreignEnding[rest] {
			return true
		}
	}
	return false
}

type securedKey struct{}

// securing are words of tables that say which rows a person may see.
var securing = wording.SetOf("security,rls,permission,permissions,entitlement,entitlements,authorization")

// onlySecured reports whether all relationships of a column lead to tables that only say who may see what, so that nothing else has its values.
func onlySecured(x *model.Scope, c *model.Column) bool {
	return model.Remembered(x, securedKey{}, func() map[*model.Column]bool {
		secured := map[*model.Column]bool{}
		for _, r := range x.Relationships {
			for _, end := range [][2]*model.Column{{r.From, r.To}, {r.To, r.From}} {
				only, known := secured[end[0]]
				secured[end[0]] = (only || !known) && securing.Meets(end[1].Table.Words)
			}
		}
		return secured
	})[c]
}

type activatedKey struct{}

// activatedByMany reports whether a column is on the many side of an inactive relationship that USERELATIONSHIP
// activates.
func activatedByMany(x *model.Scope, c *model.Column) bool {
	return model.Remembered(x, activatedKey{}, func() map[*model.Column]bool {
		activated := map[*model.Column]bool{}
		for _, r := range x.Relationships {
			if r.Src.IsActive || !x.Activates(r) {
				continue
			}
			activated[r.From] = activated[r.From] || r.FromMany()
			activated[r.To] = activated[r.To] || r.ToMany()
		}
		return activated
	})[c]
}

// onlyText reports whether a column is on the one side of a relationship and is its table's only text column.
func onlyText(c *model.Column) bool {
	return c.OneSide && c.Is(semanticmodel.String) && !slices.ContainsFunc(c.Table.Columns, func(other *model.Column) bool {
		return other != c && other.Is(semanticmodel.String)
	})
}

var codeEnding = wording.SetOf("code,cd,no,nr,number")

// saysSomething reports whether people may ask for the values of a foreign key: for a date, or for a text that its name
// does not call a key.
func saysSomething(c *model.Column) bool {
	last := wording.LastWord(c.Words)
	return c.Is(semanticmodel.DateTime) || c.Is(semanticmodel.String) && !foreignEnding[last] && !codeEnding[last]
}

type technicalKey struct{}

// Technical returns the verdict of VIS-02 for an exposed field, which passes what the rule does not judge. Several
// rules ask for it.
func Technical(x *model.Scope, o *model.Object) rule.Verdict {
	return rule.OrPass(model.Remembered(x, technicalKey{}, func() []*rule.Verdict {
		found := make([]*rule.Verdict, len(x.Objects))
		for _, c := range x.C {
			if v := hiddenFromAI(x, c); v.Violation > 0 && hideable(x, c) {
				found[c.Index] = &v
			}
		}
		return found
	})[o.Index])
}

func hiddenFromAI(x *model.Scope, c *model.Column) rule.Verdict {
	if foreignKey(x, c) {
		v := rule.Fails(1, "hide this foreign key from AI, as the relationship does its work", "on the many side of a relationship")
		if w, _ := TechnicalWord(c); w == "" && saysSomething(c) {
			v.Severity = finding.Low
		}
		return v
	}
	w, violation := TechnicalWord(c)
	switch {
	case violation == 0 || onlyText(c) || c.Table.Date && c.OneOfActive && c.Is(semanticmodel.DateTime): // the days of a date table
		return rule.Verdict{}
	case violation < 1:
		return rule.Fails(violation, "hide this column from AI, unless people ask who changed a row ("+w+")", "its name says %s", w)
	}
	if identifyingWords[w] {
		return rule.Fails(1, "hide this column from AI, as it is a technical identifier ("+w+")", "its name says %s", w)
	}
	return rule.Fails(1, "hide this column from AI, as it keeps records of rows or loads ("+w+")", "its name says %s", w)
}

var (
	colourCode   = regexp.MustCompile(`^#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`)
	helperStarts = regexp.MustCompile(`^[_.]|(?i)^(zz|tmp|test|debug|helper)[ _-]`)
	helperNouns  = wording.SetOf("placeholder,dummy,debug,helper")
	// businessWords are words of helpers that people ask about too: Test Results, Dummy Variable Rate.
	businessWords = wording.SetOf("placeholder,dummy,test")
	displayWords  = wording.SetOf("tooltip,svg,icon,colour,color,title,label,text")
	titleWords    = wording.SetOf("title,label,text")
)

// Helper is the verdict of VIS-03 on a measure.
type Helper struct {
	judged bool
	Reason string // why it is a helper; "" if it is none
}

type helpersKey struct{}

// HelperOf returns the verdict of VIS-03 on an exposed field: it judges the measures that are neither named nor used by a
// measure that is no helper. Several rules ask for it.
func HelperOf(x *model.Scope, o *model.Object) Helper {
	return model.Remembered(x, helpersKey{}, func() []Helper {
		helpers := make([]Helper, len(x.Objects))
		used := make([]bool, len(x.Objects))
		for _, m := range x.M {
			reason := helperReason(x, m)
			helpers[m.Index].Reason = reason
			if reason == "" {
				for _, o := range m.Refs {
					used[o.Index] = true
				}
			}
		}
		for _, m := range x.M {
			if h := &helpers[m.Index]; used[m.Index] || x.IsNamed(&m.Object) {
				*h = Helper{}
			} else {
				h.judged = true
			}
		}
		return helpers
	})[o.Index]
}

// yielding is an expression, as the key of whether it yields a text.
type yielding string

type prefixedKey struct{}

// prefixesAll reports whether most names of measures begin with an underscore or a dot, which then says nothing of any.
func prefixesAll(x *model.Scope) bool {
	return model.Remembered(x, prefixedKey{}, func() bool {
		n := 0
		for _, m := range x.M {
			if strings.HasPrefix(m.Name, "_") || strings.HasPrefix(m.Name, ".") {
				n++
			}
		}
		return len(x.M) > 3 && 2*n > len(x.M)
	})
}

// helperReason says why a measure is a helper; "" if it is none.
func helperReason(x *model.Scope, m *model.Measure) string {
	yieldsText := model.Pure(x, yielding(m.Src.Expression), func(e yielding) bool { return dax.Texts{}.Yields(string(e)) })
	computes := func() bool { return !yieldsText && !dax.IsConstant(m.Src.Expression) } // a number that people may ask for
	start := helperStarts.FindString(m.Name)
	if start != "" && !(len(start) == 1 && prefixesAll(x)) && !(businessWords.Meets(wording.Words(start)) && computes()) {
		return "its name starts with " + wording.QuotedText(start)
	}
	if w := helperNouns.FirstOf(m.Words); w != "" && !(businessWords[w] && computes()) {
		return "its name says " + w
	}
	if m.Src.DataCategory == "ImageUrl" {
		return "it yields images"
	}
	if choosesColours(x, m) {
		return "it yields colours"
	}
	if !yieldsText {
		if routes(x, m) {
			return "it yields what a slicer chooses of other measures"
		}
		return ""
	}
	explained := informing.Described(x, &m.Object)
	if i := slices.IndexFunc(m.Words, func(w string) bool { return displayWords[w] && !(titleWords[w] && explained) }); i >= 0 {
		return "its name says " + m.Words[i] + ", and it yields text"
	}
	for _, text := range dax.Inspect(m.Src.Expression).Literals {
		switch {
		case strings.Contains(strings.ToLower(text), "<svg"), strings.HasPrefix(text, "data:image"):
			return "it draws an image"
		case colourCode.MatchString(text):
			return "it yields colours"
		}
	}
	if !explained && dax.Composes(m.Src.Expression) && !calculates(m) {
		if i := slices.IndexFunc(m.Refs, func(o *model.Object) bool { return o.Kind == model.MeasureKind && x.In(o) }); i >= 0 {
			return "it writes [" + m.Refs[i].Name + "] as text"
		}
	}
	return ""
}

// choosesColours reports whether a measure yields what measures that are colours say.
func choosesColours(x *model.Scope, m *model.Measure) bool {
	isColour := func(o *model.Object) bool {
		text := strings.TrimSpace(x.Names.ByIndex[o.Index].Src.Expression)
		return strings.HasPrefix(text, `"`) && colourCode.MatchString(strings.Trim(text, `"`))
	}
	if !slices.ContainsFunc(m.Refs, func(o *model.Object) bool { return o.Kind == model.MeasureKind && isColour(o) }) {
		return false
	}
	return dax.Texts{Measure: func(name string) bool {
		o := x.Names.Resolve(dax.Reference{Name: name}, m.Table)
		return o != nil && o.Kind == model.MeasureKind && isColour(o)
	}}.Yields(m.Src.Expression)
}

var calculations = wording.SetOf("DIVIDE,CALCULATE,SUM,AVERAGE,COUNT,COUNTA,COUNTROWS,DISTINCTCOUNT,SUMX,AVERAGEX,COUNTX,MAXX,MINX,RANKX,MEDIAN,DATEDIFF")

// calculates reports whether a measure does more than to show others, so that its text is the only place of what it says.
func calculates(m *model.Measure) bool {
	return slices.ContainsFunc(dax.Read(m.Src.Expression).Calls, func(c dax.Call) bool { return calculations[strings.ToUpper(c.Name)] })
}

// routes reports whether a measure yields one of several exposed measures by a column of a table that no relationship joins, such as
// SWITCH(SELECTEDVALUE(Show[Measure]), …).
func routes(x *model.Scope, m *model.Measure) bool {
	if x.ResultCall(m) != "SWITCH" {
		return false
	}
	chosen, slicer := 0, false
	for _, o := range m.Refs {
		switch {
		case o.Kind == model.MeasureKind && x.In(o):
			chosen++
		case o.Kind == model.ColumnKind && !o.Table.Related:
			slicer = true
		}
	}
	return slicer && chosen >= 2
}

func helperMeasures(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	for _, m := range x.M {
		switch h := HelperOf(x, &m.Object); {
		case !h.judged:
		case h.Reason != "":
			say(m, rule.Fails(1, "hide this helper measure from AI, or give it a name that says what it answers", "%s", h.Reason))
		default:
			say(m, rule.Verdict{})
		}
	}
}

var fillerNames = wording.SetOf("dummy,placeholder")

// IsFiller reports whether the name of a column says that it is a placeholder.
func IsFiller(o *model.Object) bool { return fillerNames.Meets(o.Words) }

// isInternal reports whether an exposed field is internal to the model.
func isInternal(x *model.Scope, o *model.Object) bool {
	if o.Kind == model.MeasureKind {
		return HelperOf(x, o).Reason != ""
	}
	return Technical(x, o).Violation > 0 || IsFiller(o)
}

// Without an AI data schema, at most surveyable fields that are not internal are no problem, and at most fewFields of
// any kind need none. mostInternal is how many internal ones a message names; fewer than manyInternal need no schema.
const (
	fewFields    = 10
	mostInternal = 5
	manyInternal = 5
)

// selects reports whether a configured AI data schema leaves a field out that the model does not hide.
func selects(x *model.Scope) bool {
	return slices.ContainsFunc(x.Objects, func(o *model.Object) bool {
		return o.Kind != model.TableKind && !o.Hidden && !x.Exposed[o.Index]
	})
}

// schemaNeeded judges a model without an AI data schema by what one would leave out, and by how many fields are left.
func schemaNeeded(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	if x.Configured && selects(x) {
		say(nil, rule.Verdict{})
		return
	}
	var internal []string
	for _, o := range x.F {
		if isInternal(x, o) {
			internal = append(internal, wording.LowerFirst(model.Title(o)))
		}
	}
	without := ""
	if len(internal) > 0 {
		without = ", and leave out " + wording.Listed(internal, mostInternal)
	}
	switch public := len(x.F) - len(internal); {
	case public > surveyable:
		v := rule.Fails(1, "choose in an AI data schema what an AI sees"+without, "no AI data schema for %s that may matter to people",
			wording.Count(public, "field"))
		v.Severity = finding.Medium
		say(nil, v.Stated([]string{strconv.Itoa(surveyable) + " at most need none"}))
	case x.Configured:
		say(nil, rule.Verdict{})
	case len(internal) > 0:
		v := rule.Fails(0.5, "leave out of what an AI sees, by an AI data schema: "+wording.Listed(internal, mostInternal),
			"%s internal, of %d, and no AI data schema", wording.Count(len(internal), "field"), len(x.F))
		if len(internal) < manyInternal {
			v.Severity = finding.Low // hiding them is simpler
		}
		say(nil, v)
	case len(x.F) > fewFields:
		v := rule.Fails(0.25, "choose in an AI data schema what an AI sees, small as the model is", "no AI data schema for %s",
			wording.Count(len(x.F), "field"))
		v.Severity = finding.Low
		say(nil, v.Stated([]string{strconv.Itoa(fewFields) + " at most need none"}))
	}
}
