package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
	"readiness/domain/readiness/wording"
)

// The folders for measures, by purpose. A model that has one of them in another spelling keeps its
// own.
const (
	timeFolder    = "Time Intelligence"
	ratioFolder   = "Ratios"
	countFolder   = "Counts"
	averageFolder = "Averages"
	displayFolder = "Report Helpers"
)

// ofPurpose are the folders by purpose, which say nothing about a measure's subject.
var ofPurpose = func() map[string]bool {
	all := map[string]bool{}
	for _, folder := range []string{timeFolder, ratioFolder, countFolder, averageFolder, displayFolder} {
		all[spelling.FoldSpace(folder)] = true
	}
	return all
}()

var (
	timeWords    = prose.SetOf("ytd qtd mtd wtd py pm pq ly lm lq yoy qoq mom wow")
	ratioWords   = prose.SetOf("ratio rate share pct percent percentage")
	averageWords = prose.SetOf("average avg mean median")
	countWords   = prose.SetOf("count number")
	variantWords = prose.SetOf("ytd qtd mtd wtd py pm pq ly lm lq yoy qoq mom wow pct percent percentage year to date last prior " +
		"previous change growth the of total net gross in by and per vs for quarter month week day current")
)

// timePhrases are phrases that occur in the names of period comparisons, as complete words.
var timePhrases = []string{"year to date", "month to date", "quarter to date", "last year", "prior year", "previous year", "last month",
	"prior month", "previous month", "year over year", "month over month", "rolling", "moving"}

// Folders proposes display folders for measures from their names and the existing folders of their
// table, and leaves out measures that fit none. Proposals of display folders try it before any
// provider.
func Folders(m *semanticmodel.Model, measures []proposal.Object) []proposal.Proposal {
	a := &answers{}
	newFacts(m, nil).fileByName(measures, a)
	return a.Proposals
}

// filing has the measures to file and the existing folders.
type filing struct {
	*facts
	wanted   map[proposal.Object]*field    // measures without a folder
	existing map[string]string             // the folders of the model, by norm
	words    map[*table]map[string]int     // how many measures of a table have a word in their names
	sourced  map[*table]map[*table]int     // how many measures of a table are computed from another one alone
	levels   map[*table]map[string][]level // the folders of a table, by the first word of their last level
	purposes map[string]int                // how many measures without a folder are for a purpose; see several
	subjects map[*table]map[string]string  // the folder that has most measures of a subject, by table and subject
}

// level is a folder with the words of its last level.
type level struct {
	folder string
	words  []string
}

func (f *facts) newFiling(objects []proposal.Object) *filing {
	file := &filing{facts: f, wanted: map[proposal.Object]*field{}, existing: map[string]string{}, words: map[*table]map[string]int{},
		sourced: map[*table]map[*table]int{}, levels: map[*table]map[string][]level{}, subjects: map[*table]map[string]string{}}
	for _, t := range f.tables {
		file.words[t] = map[string]int{}
		for _, x := range t.measures {
			if file.wanted[x.object()] == nil {
				file.wanted[x.object()] = x
			}
			if folder := x.measure.DisplayFolder; fitFolder(folder) && file.existing[spelling.FoldSpace(folder)] == "" {
				file.existing[spelling.FoldSpace(folder)] = folder
			}
			for i, w := range x.words {
				if !slices.Contains(x.words[:i], w) {
					file.words[t][w]++
				}
			}
		}
	}
	return file
}

// folder returns the model's own spelling of a folder, if it has the folder.
func (file *filing) folder(name string) string {
	if own := file.existing[spelling.FoldSpace(name)]; own != "" {
		return own
	}
	return name
}

// purpose returns the model's own spelling of a folder by purpose. What the model does not have is new only if it is English, and not for
// averages, counts, and ratios: their names say as much. Nor is it for a single measure.
func (file *filing) purpose(name string) string {
	own := file.existing[spelling.FoldSpace(name)]
	if own == "" && file.several(name) && file.checked().English() {
		return name
	}
	return own
}

// several reports whether enough measures without a folder are for the purpose of a new folder.
func (file *filing) several(name string) bool {
	if file.purposes == nil {
		file.purposes = map[string]int{}
		for _, x := range file.wanted {
			switch {
			case strings.TrimSpace(x.measure.DisplayFolder) != "":
			case comparesPeriods(x), x.calls(periodFunctions):
				file.purposes[timeFolder]++
			case x.helper():
				file.purposes[displayFolder]++
			}
		}
	}
	if name == displayFolder {
		return file.purposes[name] >= fewMeasures
	}
	return file.purposes[name] > 1
}

// fitFolder reports whether a text can be proposed as a folder: one line of at most 100 characters,
// two levels, no semicolon, which would start a second folder (docs/decisions.md 4).
func fitFolder(s string) bool {
	return wording.Length(s) > 0 && wording.Length(s) <= proposal.MaxFolder && strings.TrimSpace(s) == s && prose.MentionableLine(s) &&
		!strings.Contains(s, ";") && !trial(s) && strings.Count(s, `\`) <= 1 && !strings.HasPrefix(s, `\`) && !strings.HasSuffix(s, `\`)
}

// trials are words of folders for what is tried, kept or about to go, where no other measure belongs.
var trials = prose.SetOf("test tests testing testordner tmp temp temporary old archive archived backup deprecated trash wip draft sandbox")

// trial reports whether a folder is such a one.
func trial(folder string) bool { return trials.Meets(prose.Words(folder)) }

func (f *facts) fileByName(objects []proposal.Object, a *answers) {
	file := f.newFiling(objects)
	for _, o := range distinct(objects) {
		x := file.wanted[o]
		if x == nil || strings.TrimSpace(x.measure.DisplayFolder) != "" {
			continue
		}
		if folder, reason := file.byName(x); folder != "" {
			a.propose(o, folder, reason)
		}
	}
}

// byName files a measure by its name: into the folder that the name names, the folder of its siblings, or a folder for the purpose
// that the name states. A folder that only repeats a word of the names is left to a person, who knows what the measures are for.
func (file *filing) byName(x *field) (folder, reason string) {
	if folder := file.named(x); folder != "" {
		return folder, "Its name has the words of this folder of its table."
	}
	switch {
	case comparesPeriods(x):
		return file.purpose(timeFolder), "Its name compares or accumulates periods."
	case x.calls(periodFunctions):
		return file.purpose(timeFolder), "It compares or accumulates periods."
	}
	if folder := file.siblings(x); folder != "" {
		return folder, "Measures of the same subject in its table are in this folder."
	}
	switch {
	case x.helper():
		return file.purpose(displayFolder), "Its name says that it is made for display."
	case strings.Contains(x.name, "%") || ratioWords.Meets(x.words):
		return file.purpose(ratioFolder), "Its name says that it is a ratio."
	case averageWords.Meets(x.words):
		return file.purpose(averageFolder), "Its name says that it is an average."
	case countWords.Meets(x.words) || strings.HasPrefix(x.name, "#") && !strings.HasPrefix(x.name, "##"): // a team's prefix for any measure
		return file.purpose(countFolder), "Its name says that it is a count."
	}
	return "", ""
}

func comparesPeriods(x *field) bool {
	name := " " + strings.Join(x.words, " ") + " "
	return timeWords.Meets(x.words) || timeWords.Meets(said(x)) ||
		slices.ContainsFunc(timePhrases, func(p string) bool { return strings.Contains(name, " "+p+" ") })
}

// subject returns the word in a measure's name that most measures of its table share, the first of
// equals; "" when the name has only words common to all kinds of measures.
func (file *filing) subject(x *field) string {
	best := ""
	for _, w := range x.words {
		if !variantWords[w] && !averageWords[w] && !countWords[w] && !ratioWords[w] && len(w) > 2 &&
			(best == "" || file.words[x.table][w] > file.words[x.table][best]) {
			best = w
		}
	}
	return best
}

// named returns the folder of the table whose last level has only words of the measure's name: the one
// with the most words, then the first by name.
func (file *filing) named(x *field) string {
	best, most := "", 0
	for i, first := range x.words {
		if slices.Contains(x.words[:i], first) {
			continue
		}
		for _, l := range file.levelsOf(x.table)[first] {
			if slices.ContainsFunc(l.words, func(w string) bool { return !slices.Contains(x.words, w) }) {
				continue
			}
			if len(l.words) > most || len(l.words) == most && l.folder < best {
				best, most = l.folder, len(l.words)
			}
		}
	}
	return best
}

// levelsOf returns the folders of a table that can be proposed.
func (file *filing) levelsOf(t *table) map[string][]level {
	if file.levels[t] == nil {
		all, seen := map[string][]level{}, map[string]bool{}
		for _, y := range t.measures {
			folder := y.measure.DisplayFolder
			if seen[folder] || !fitFolder(folder) {
				continue
			}
			seen[folder] = true
			if words := prose.Words(folder[strings.LastIndexByte(folder, '\\')+1:]); len(words) > 0 {
				all[words[0]] = append(all[words[0]], level{folder, words})
			}
		}
		file.levels[t] = all
	}
	return file.levels[t]
}

// siblings returns the folder that has most filed measures with the same subject.
func (file *filing) siblings(x *field) string {
	s := file.subject(x)
	if s == "" {
		return ""
	}
	if file.subjects[x.table] == nil {
		file.subjects[x.table] = file.bySubject(x.table)
	}
	return file.subjects[x.table][s]
}

// bySubject returns the folder that has most filed measures of a table, by their subject.
func (file *filing) bySubject(t *table) map[string]string {
	best, n := map[string]string{}, map[[2]string]int{}
	for _, y := range t.measures {
		folder, s := y.measure.DisplayFolder, file.subject(y)
		if !fitFolder(folder) || comparesPeriods(y) || ofPurpose[spelling.FoldSpace(folder)] || namesFolder(y) {
			continue
		}
		n[[2]string{s, folder}]++
		of, most := n[[2]string{s, folder}], n[[2]string{s, best[s]}]
		if best[s] == "" || of > most || of == most && folder < best[s] {
			best[s] = folder
		}
	}
	return best
}

// namesFolder reports whether a measure's name has the words of its folder, which another one may not be about: Sales Qty is in Qty.
func namesFolder(x *field) bool {
	folder := prose.Words(x.measure.DisplayFolder[strings.LastIndexByte(x.measure.DisplayFolder, '\\')+1:])
	return len(folder) > 0 && !slices.ContainsFunc(folder, func(w string) bool { return !slices.Contains(x.words, w) })
}

// file proposes a folder for every measure that one is known for: by its name where that suffices, else by its expression.
func (f *facts) file(objects []proposal.Object, a *answers) {
	file := f.newFiling(objects)
	for _, o := range distinct(objects) {
		x := file.wanted[o]
		switch {
		case x == nil:
			a.skip(o, unknownObject)
			continue
		case strings.TrimSpace(x.measure.DisplayFolder) != "":
			a.skip(o, "It is in a display folder.")
			continue
		}
		folder, reason := file.byName(x)
		if folder == "" {
			folder, reason = file.byExpression(x)
		}
		if folder == "" {
			a.skip(o, "Neither its name nor its expression says what it goes with.")
			a.ask(o, "Which display folder does "+called(x.name)+" belong in?")
			continue
		}
		a.propose(o, folder, reason)
	}
}

func (file *filing) byExpression(x *field) (folder, reason string) {
	if t := file.source(x); t != nil && t != x.table && file.divides(x.table, t) && file.byTables(x.table) {
		if name := titled(t.src.Name); fitFolder(name) && !strings.Contains(name, `\`) {
			return file.folder(name), "It is computed from this table."
		}
	}
	outermost := outermostCall(x.measure.Expression)
	for _, by := range []struct {
		functions prose.Set
		folder    string
		reason    string
	}{
		{divisions, ratioFolder, "It divides one value by another."},
		{countFunctions, countFolder, "It counts."},
		{averageFunctions, averageFolder, "It averages."},
	} {
		if by.functions[outermost] {
			return file.purpose(by.folder), by.reason
		}
	}
	if strings.Contains(x.measure.FormatString, "%") {
		return file.purpose(ratioFolder), "It is shown as a percentage."
	}
	if folder := file.ofBases(x); fitFolder(folder) {
		return folder, "What it is computed from belongs in this folder."
	}
	return "", ""
}

// byTables reports whether the folders of a table, if there are any, are named for tables: others have an order of their own.
func (file *filing) byTables(t *table) bool {
	folders := file.levelsOf(t)
	return len(folders) == 0 || slices.ContainsFunc(file.tables, func(of *table) bool {
		words := prose.Words(titled(of.src.Name))
		return len(words) > 0 && slices.ContainsFunc(folders[words[0]], func(l level) bool { return slices.Equal(l.words, words) })
	})
}

// titled returns a table's name as that of a folder. Short words in capitals stay as they are.
func titled(name string) string {
	parts := prose.Bare(name)
	if !slices.ContainsFunc(parts, func(p string) bool { return len(p) > 4 || strings.ToUpper(p) != p }) {
		return strings.Join(parts, " ")
	}
	return prose.Capital(prose.InWords(parts))
}

// outermostCall returns the function that makes the value of an expression, under conditions or not; "" for none.
func outermostCall(expression string) string {
	n, ok := dax.Parse(expression)
	for ok && n.Kind == dax.CallNode && (n.Text == "CALCULATE" || n.Text == "COALESCE" || n.Text == "IFERROR") && len(n.Parts) > 0 {
		n = n.Parts[0]
	}
	if !ok || n.Kind != dax.CallNode {
		return ""
	}
	return n.Text
}

// divides reports whether a source divides the measures of a table: several, but at most half of them, are computed from it.
func (file *filing) divides(t, source *table) bool {
	if file.sourced[t] == nil {
		file.sourced[t] = map[*table]int{}
		for _, x := range t.measures {
			file.sourced[t][file.source(x)]++
		}
	}
	n := file.sourced[t][source]
	return len(t.measures) < fewMeasures || n > 2 && n*2 <= len(t.measures)
}

// fewMeasures is how many measures a table has that may all be in one folder, as others may come.
const fewMeasures = 3

// ofBases returns the folder of all measures that a measure is computed from, "" if they have several.
func (file *filing) ofBases(x *field) string {
	common := ""
	for _, b := range x.refs {
		if b.measure == nil || b == x {
			continue
		}
		folder := b.measure.DisplayFolder
		switch {
		case strings.TrimSpace(folder) == "":
			folder, _ = file.byName(b)
		case namesFolder(b):
			return ""
		}
		if common != "" && folder != common {
			return ""
		}
		common = folder
	}
	if key := spelling.FoldSpace(common); ofPurpose[key] && key != spelling.FoldSpace(timeFolder) {
		return "" // a sum of ratios is no ratio
	}
	return common
}

var (
	periodFunctions = prose.SetOf("TOTALYTD TOTALQTD TOTALMTD DATESYTD DATESQTD DATESMTD SAMEPERIODLASTYEAR DATEADD PARALLELPERIOD " +
		"DATESINPERIOD PREVIOUSYEAR PREVIOUSQUARTER PREVIOUSMONTH PREVIOUSDAY")
	countFunctions   = prose.SetOf("COUNT COUNTA COUNTX COUNTAX COUNTROWS COUNTBLANK DISTINCTCOUNT DISTINCTCOUNTNOBLANK")
	averageFunctions = prose.SetOf("AVERAGE AVERAGEX MEDIAN MEDIANX")
)

// source returns the only fact table that a measure is computed from, nil for none or several.
func (f *facts) source(x *field) *table {
	var found *table
	for _, c := range f.columns(x) {
		switch {
		case c.table.role != fact:
		case found != nil && found != c.table:
			return nil
		default:
			found = c.table
		}
	}
	return found
}
