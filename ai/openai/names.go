package openai

import (
	"regexp"
	"strings"
	"unicode"

	nfc "golang.org/x/text/unicode/norm"

	"readiness/definition/semanticmodel"
)

// norm returns the form in which texts are compared.
func norm(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(nfc.NFC.String(s)), unicode.IsSpace), " ")
}

var caseBreak = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// words returns the parts of a name, each normalized with norm.
func words(s string) []string {
	s = caseBreak.ReplaceAllString(nfc.NFC.String(s), "$1$3 $2$4")
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// names are the fields that a text may refer to.
type names struct {
	fields map[[2]string]bool // of a table
	bare   map[string]bool
}

func namesOf(m *semanticmodel.Model) names {
	n := names{map[[2]string]bool{}, map[string]bool{}}
	for _, t := range m.Tables {
		if unseen(t) {
			continue
		}
		add := func(name string) {
			n.fields[[2]string{norm(t.Name), norm(name)}] = true
			n.bare[norm(name)] = true
		}
		for _, c := range t.Columns {
			if !c.IsRowNumber {
				add(c.Name)
			}
		}
		for _, f := range t.Measures {
			add(f.Name)
		}
	}
	return n
}

// unseen reports whether no AI sees the table.
func unseen(t semanticmodel.Table) bool {
	_, local := t.Annotations["__PBI_LocalDateTable"]
	_, template := t.Annotations["__PBI_TemplateDateTable"]
	return t.IsPrivate || local || template || strings.HasPrefix(t.Name, "LocalDateTable_") ||
		strings.HasPrefix(t.Name, "DateTableTemplate_")
}

// references are the three ways in which a text names a field (rule INS-03). The last pattern also
// matches the names found by the others, which are then known as bare names too.
var references = []*regexp.Regexp{
	regexp.MustCompile(`'([^'\n]+)'\[([^\]\n]+)\]`),
	regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)\[([^\]\n]+)\]`),
	regexp.MustCompile(`\[([^\]\n]+)\]`),
}

// check reports whether a text names fields, and returns those that the model does not have, as
// written. A bare name before "(" is a Markdown link.
func (n names) check(text string) (some bool, unknown []string) {
	for i, pattern := range references {
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			var known bool
			switch {
			case i < 2:
				known = n.fields[[2]string{norm(text[at[2]:at[3]]), norm(text[at[4]:at[5]])}]
			case strings.HasPrefix(text[at[1]:], "("):
				continue
			default:
				known = n.bare[norm(text[at[2]:at[3]])]
			}
			some = true
			if !known {
				unknown = append(unknown, text[at[0]:at[1]])
			}
		}
	}
	return some, unknown
}
