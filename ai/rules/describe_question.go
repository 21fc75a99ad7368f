package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
	"readiness/domain/readiness/wording"
)

// Words returns, for objects without a description that adds something, the question whose answer would
// make one. Objects that the model lacks, and those that an AI should not see, have none. A provider
// that gives no text for an object asks it.
func Words(m *semanticmodel.Model, objects []proposal.Object) map[proposal.Object]string {
	d := newFacts(m, nil).newDescriber()
	all := map[proposal.Object]string{}
	for _, o := range objects {
		if one, known := d.known[o]; known && !d.leftOut(one) && !d.serves(one) {
			all[o] = d.question(one)
		}
	}
	return all
}

// shownName is how many characters of a name a question shows.
const shownName = 80

// called returns a name as a question shows it.
func called(name string) string {
	runes := []rune(prose.OneLine(name))
	if len(runes) > shownName {
		runes = append(runes[:shownName], '…')
	}
	return "'" + string(runes) + "'"
}

// question returns what a person should answer so that an object can be described.
func (d *describer) question(one described) string {
	name := called(one.name())
	text := strings.TrimSpace(one.current())
	switch {
	case d.adds(one, text) && wording.Length(text) > proposal.MaxDescription:
		return "Which 200 characters of the description of " + name + " matter most?"
	case d.adds(one, text) && d.shared(one):
		other := d.held[spelling.FoldSpace(text)][0]
		if other.object == one.object {
			other = d.held[spelling.FoldSpace(text)][1]
		}
		return "How does " + name + " differ from " + called(other.name()) + ", which has the same description?"
	case one.field == nil:
		return d.questionOfTable(one.table, name)
	case one.field.measure != nil:
		return questionOfMeasure(one.field, name)
	}
	return d.questionOfColumn(one.field, name)
}

func (f *facts) questionOfTable(t *table, name string) string {
	switch t.role {
	case measureTable:
		return "What do the measures in " + name + " have in common?"
	case dateTable:
		return "Which dates does " + name + " hold, and is its year a calendar year?"
	case fact:
		return "What does one row of " + name + " stand for: a transaction, a line of one, a day?"
	case plain, dimension, calculationGroup, fieldParameter:
	}
	return "What does one row of " + name + " stand for, and what is the table used for?"
}

func questionOfMeasure(x *field, name string) string {
	switch {
	case strings.HasPrefix(x.name, "#") || x.calls(countFunctions):
		return "What does " + name + " count, and when is it the right measure to use?"
	case unit(x.measure.FormatString) == "" && !x.helper():
		return "What does " + name + " measure, in which unit, and when is it the right measure to use?"
	default:
		return "What does " + name + " measure, and when is it the right measure to use?"
	}
}

// flagVerbs start the names of flags.
var flagVerbs = prose.SetOf("is has was can should are needs allows with")

var codeWords = prose.SetOf("code codes cd")

func (f *facts) questionOfColumn(x *field, name string) string {
	flag := len(x.words) > 0 && flagVerbs[x.words[0]]
	key := len(x.words) > 0 && keyWords[x.words[len(x.words)-1]]
	switch {
	case prose.Generic(x.name):
		return "What does " + name + " hold, and what is a better name for it?"
	case x.column.DataType == semanticmodel.Boolean:
		return "When is " + name + " true?"
	case flag && x.isNumber():
		return "When is " + name + " 1, and when is it 0?"
	case flag:
		return "Which values does " + name + " have, and what does each of them mean?"
	case x.isDay():
		return "What happens at " + name + ", and in which time zone is it?"
	case x.key || key:
		return "What does " + name + " identify, and where do people meet it?"
	case !prose.Informative(prose.InWords(prose.Cut(x.name, true))):
		return "What is " + name + " short for, and what does it hold?"
	case len(x.words) > 0 && codeWords[x.words[len(x.words)-1]]:
		return "Which codes does " + name + " hold, and what does each of them stand for?"
	case x.isNumber() && (x.table.role == dateTable || unaddable.Meets(x.words)):
		return "Which numbers does " + name + " hold? An example of its values?"
	case x.isNumber() && unit(x.column.FormatString) == "" && !slices.Contains(x.words, "count"):
		return "What does " + name + " measure, and in which unit?"
	case x.isNumber():
		return "What does " + name + " measure?"
	}
	return "What does " + name + " hold? An example of its values?"
}
