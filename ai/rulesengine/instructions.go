package rulesengine

import (
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain"
	"readiness/internal/lateregexp"
)

// instructions are the statements of AI instructions in the forms that the engine understands: those
// that package rules proposes, and similar ones.
type instructions struct {
	terms     map[string][]string // by FieldRef.key, names that people use for the field
	labels    map[string][]string // by FieldRef.key, the things that the field shows by default
	explained map[string][]string // by FieldRef.key, explanations of the field
	hidden    map[string]bool     // by FieldRef.key, fields not to use
	aliases   map[string]string   // an abbreviation in lower case, its expansion
	values    map[string]valueOf  // a text in lower case, the column that has it as a value
	calendar  FieldRef            // the date for every question about time
	year      FieldRef            // the column that a year refers to
	dates     []FieldRef          // the dates of tables without a calendar
}

// valueOf is a value of a column.
type valueOf struct {
	column FieldRef
	value  string
}

// maxInstructions is how many runes of instructions are read, maxLine how many of each line.
const (
	maxInstructions = 50_000
	maxLine         = 1000
)

// ref matches a field as instructions write it: 'Table'[Name], Table[Name] or [Name].
const ref = `((?:'[^'\n]+'|[\pL_][\pL\pN_.]*)?\[[^\[\]\n]+\])`

// The forms. Brackets hold a field; (.+?) is the statement about it.
var (
	meansForm = lateregexp.New(`(?i)^["“']?([^"“”\[\]]{1,120}?)["”']?,? (?:means|refers to|stands for|is called|is defined as|is) (?:the (?:measure|column|field) )?` + ref + `(?: ?(?:=|is) ?["“']([^"”\[\]]{1,100}?)["”'])?[.;]?$`)
	useForm   = lateregexp.New(`(?i)^(?:always )?(?:use|prefer)(?: the)?(?: (?:measure|column|field))? ` + ref +
		` (?:for|when asked about|when asked for|to answer questions about|for questions about) ([^.:\[\]]{1,160})(?::\s*(.+?))?\.?$`)
	explainForm = lateregexp.New(`^` + ref + `: (.{1,400}?)\.?$`)
	forUseForm  = lateregexp.New(`(?i)^(?:for|when asked about|when asked for) ([^.:\[\]]{1,120}?),? (?:use|prefer|answer with|show) (?:the (?:measure|column|field) )?` + ref + `\.?$`)
	showForm    = lateregexp.New(`(?i)^by default show (?:an? |the )?([^\[\]]{1,120}?) by ` + ref + `\.?$`)
	aliasForm   = lateregexp.New(`(?i)^["“']?([\pL\pN]{1,20})["”']? (?:means|stands for) ([\pL][\pL\pN -]{1,60})\.?$`)
	dayForm     = lateregexp.New(`(?i)\buse ` + ref +
		` for (?:every|all|any) questions? about (?:a day|time|dates|periods|a period|a date)`)
	periodForm   = lateregexp.New(`(?i)\bfor a period filter ` + ref)
	dateForm     = lateregexp.New(`(?i)\bby default the date of (?:an? |the )?[^\[\]]{1,120}? is ` + ref)
	onlyForm     = lateregexp.New(`(?i)\buse ` + ref + ` only when the question is about (?:the |an? )?([^.,\[\]]{1,100})`)
	yearForm     = lateregexp.New(`(?i)\ba year is the (?:calendar|fiscal|financial) year ` + ref)
	groupForm    = lateregexp.New(`(?i)\bis a calculation group: filter ` + ref + ` to one item[^;]*; its items are (.+?)\.?$`)
	equalForm    = lateregexp.New(`(?i)^` + ref + ` equals ` + ref + `: prefer the latter\.?$`)
	avoidForm    = lateregexp.New(`(?i)^(?:do not|don't|never) (?:use|show|answer with|group by) `)
	refForm      = lateregexp.New(ref)
	parameter    = lateregexp.New(`(?i)^(.{1,200}?) is a field parameter for visuals`)
	defaultForm  = lateregexp.New(`(?i)\bdefault measure for (?:any|every|all)? ?(?:questions? )?(?:about |on |of )?([\pL][\pL -]{1,60})`)
	aboutClauses = lateregexp.New(`(?i) (?:unless|except|if|when|rather than|and not) .*$`)
)

// defaultFor returns the terms for which a description declares its measure the default.
func defaultFor(text string) []string {
	if m := defaultForm.FindStringSubmatch(text); m != nil {
		return []string{m[1]}
	}
	return nil
}

// readRef parses a field as instructions write it.
func readRef(s string) FieldRef {
	table, name, _ := strings.Cut(s, "[")
	return FieldRef{strings.Trim(table, "'"), strings.TrimSuffix(name, "]")}
}

// of returns the entries for a field in one of the maps.
func of[V any](entries map[string][]V, r FieldRef, measure bool) []V {
	all := entries[r.key(measure)]
	if measure {
		all = slices.Concat(all, entries[r.key(false)])
	}
	return all
}

// anyKey returns the key of the field that a reference names: a measure if it has no table.
func (r FieldRef) anyKey() string { return r.key(r.Table == "") }

// readInstructions reads the statements line by line; a list item is a line.
func readInstructions(text string) instructions {
	in := instructions{
		terms: map[string][]string{}, labels: map[string][]string{}, explained: map[string][]string{}, hidden: map[string]bool{},
		aliases: map[string]string{}, values: map[string]valueOf{},
	}
	text = domain.FirstCharacters(text, maxInstructions)
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		in.line(strings.TrimSpace(strings.TrimLeft(domain.FirstCharacters(strings.TrimSpace(line), maxLine), "-*•# \t")))
	}
	return in
}

func (in *instructions) line(s string) {
	in.time(s)
	switch {
	case equalForm.MatchString(s):
		in.hidden[readRef(equalForm.FindStringSubmatch(s)[1]).anyKey()] = true
		return
	case groupForm.MatchString(s):
		m := groupForm.FindStringSubmatch(s)
		for item := range strings.SplitSeq(strings.ReplaceAll(m[2], " and ", ", "), ", ") {
			in.value(item, valueOf{readRef(m[1]), item})
		}
		return
	case parameter.MatchString(s):
		return
	case explainForm.MatchString(s):
		m := explainForm.FindStringSubmatch(s)
		key := readRef(m[1]).anyKey()
		in.explained[key] = append(in.explained[key], m[2])
		return
	case avoidForm.MatchString(s):
		for _, r := range refForm.FindAllString(s, 50) {
			if _, before, _ := strings.Cut(s, ";"); !strings.Contains(before, r) {
				in.hidden[readRef(r).anyKey()] = true
			}
		}
		return
	}
	for part := range sentences(s) {
		in.sentence(part)
	}
}

// sentences yields the sentences of a line, and the parts that semicolons separate; a period in brackets does not end one.
func sentences(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		depth := 0
		for i, r := range s {
			switch {
			case r == '[':
				depth++
			case r == ']':
				depth = max(0, depth-1)
			case (r == '.' || r == ';') && depth == 0 && i+1 < len(s) && s[i+1] == ' ':
				if !yield(strings.TrimSpace(strings.TrimSuffix(s[start:i+1], ";"))) {
					return
				}
				start = i + 1
			}
		}
		yield(strings.TrimSpace(s[start:]))
	}
}

func (in *instructions) sentence(s string) {
	if m := meansForm.FindStringSubmatch(s); m != nil && !wording.Structural[strings.ToLower(m[1])] {
		if m[3] != "" {
			in.value(m[1], valueOf{readRef(m[2]), m[3]})
		} else {
			in.term(readRef(m[2]), m[1])
		}
		return
	}
	if m := useForm.FindStringSubmatch(s); m != nil {
		in.term(readRef(m[1]), m[2])
		if m[3] != "" {
			key := readRef(m[1]).anyKey()
			in.explained[key] = append(in.explained[key], m[3])
		}
		return
	}
	if m := forUseForm.FindStringSubmatch(s); m != nil {
		in.term(readRef(m[2]), m[1])
		return
	}
	if m := showForm.FindStringSubmatch(s); m != nil {
		if key := readRef(m[2]).anyKey(); len(in.labels[key]) < 50 {
			in.labels[key] = append(in.labels[key], m[1])
		}
		return
	}
	if m := aliasForm.FindStringSubmatch(s); m != nil && !strings.HasPrefix(m[2], "one row ") {
		if short := strings.ToLower(m[1]); in.aliases[short] == "" {
			in.aliases[short] = m[2]
		}
	}
}

// time reads statements about dates, anywhere in a line.
func (in *instructions) time(s string) {
	for form, to := range map[*lateregexp.Regexp]*FieldRef{dayForm: &in.calendar, yearForm: &in.year} {
		if m := form.FindStringSubmatch(s); m != nil && to.Name == "" {
			*to = readRef(m[1])
		}
	}
	for _, form := range []*lateregexp.Regexp{periodForm, dateForm} {
		for _, m := range form.FindAllStringSubmatch(s, 20) {
			if r := readRef(m[1]); !slices.Contains(in.dates, r) {
				in.dates = append(in.dates, r)
			}
		}
	}
	for _, m := range onlyForm.FindAllStringSubmatch(s, 20) {
		in.term(readRef(m[1]), m[2])
	}
}

func (in *instructions) term(r FieldRef, term string) {
	for part := range strings.SplitSeq(aboutClauses.ReplaceAllString(term, ""), " or ") {
		part = strings.Trim(strings.TrimSpace(part), `"“”'`)
		for _, lead := range []string{"the ", "a ", "an ", "questions about ", "any question about ", "every question about "} {
			part = strings.TrimPrefix(part, lead)
		}
		if key := r.anyKey(); part != "" && len(in.terms[key]) < 50 && !strings.EqualFold(part, "what its name says") {
			in.terms[key] = append(in.terms[key], part)
		}
	}
}

func (in *instructions) value(text string, v valueOf) {
	if text = strings.ToLower(strings.TrimSpace(text)); text != "" && in.values[text].value == "" {
		in.values[text] = v
	}
}
