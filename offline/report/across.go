package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"readiness/offline"
	"readiness/offline/show"
)

// AcrossTitle is the heading of the checks across models.
const AcrossTitle = "Across models"

// AcrossSection is one kind of result of the checks across models, in words.
type AcrossSection struct {
	// Title names the kind, Advice says what to do.
	Title, Advice string
	// Results are the listed results. Count is the number of all.
	Results []acrossResult
	Count   int
}

// acrossResult is a result in words, with the models that it is about.
type acrossResult struct {
	Text   string
	Models []string
}

// Sections returns the kinds of results that there are; none for a nil a, and if only some findings are listed.
func Sections(a *offline.Across, l Listing) []AcrossSection {
	if a == nil || l.Filtered() {
		return nil
	}
	all := []AcrossSection{
		{
			Title:   "Measures with one name and different expressions",
			Advice:  "Give them one expression or different names, so that a question has one answer.",
			Results: differenceResults(a.Measures, "[%s]", "expression"), Count: a.Measures.Count,
		},
		{
			Title:   "Tables with one name and different descriptions",
			Advice:  "Give them one description if they contain the same, else different names.",
			Results: differenceResults(a.Tables, "'%s'", "description"), Count: a.Tables.Count,
		},
		{
			Title:   "Nearly identical models",
			Advice:  "Keep one of them, or say in the AI instructions of each when to use it.",
			Results: groupResults(a.NearIdentical), Count: a.NearIdentical.Count,
		},
	}
	return slices.DeleteFunc(all, func(s AcrossSection) bool { return s.Count == 0 })
}

// Summary describes how many models were compared, and what the results count for.
func Summary(a *offline.Across) string {
	text := show.Count(a.Models, "model") + " compared"
	if a.LeftOut > 0 {
		text += fmt.Sprintf(", %d left out", a.LeftOut)
	}
	return text + "; this costs no points"
}

func differenceResults(d offline.Differences, name, noun string) []acrossResult {
	var all []acrossResult
	for _, one := range d.Listed {
		r := acrossResult{Text: fmt.Sprintf(name+": %s in %s", show.Printable(one.Name), show.Count(one.Texts, noun),
			show.Count(one.Models, "model"))}
		for i, v := range one.Listed {
			var paths []string
			for _, m := range v.Listed {
				paths = append(paths, m.Path)
			}
			r.Models = append(r.Models, fmt.Sprintf("(%d) %s", i+1, someOf(paths, v.Models)))
		}
		if more := one.Texts - len(one.Listed); more > 0 {
			r.Models = append(r.Models, fmt.Sprintf("and %d more", more))
		}
		all = append(all, r)
	}
	return all
}

func groupResults(g offline.Groups) []acrossResult {
	var all []acrossResult
	for _, one := range g.Listed {
		all = append(all, acrossResult{
			fmt.Sprintf("%d %% or more of the objects in %s", int(100*one.Share), show.Count(one.Models, "model")),
			[]string{someOf(one.Listed, one.Models)},
		})
	}
	return all
}

// someOf joins those of a number of paths that are listed.
func someOf(listed []string, all int) string {
	text := show.Printable(strings.Join(listed, ", "))
	if more := all - len(listed); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// first returns the first results, top at most unless it is 0, and how many there are more.
func (s AcrossSection) first(top int) (results []acrossResult, more int) {
	results = s.Results
	if top > 0 && len(results) > top {
		results = results[:top]
	}
	return results, s.Count - len(results)
}

// More is how many results are not listed.
func (s AcrossSection) More() int { return s.Count - len(s.Results) }

// across writes the checks across models for people.
func (s Screen) across(out *strings.Builder, a *offline.Across) {
	sections := Sections(a, s.Listing)
	if len(sections) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n%s\n", s.paint(text.Bold, AcrossTitle), Summary(a))
	for _, one := range sections {
		fmt.Fprintf(out, "\n%s (%d)\n%s\n", one.Title, one.Count, one.Advice)
		results, more := one.first(s.Top)
		for _, r := range results {
			s.indented(out, "  ", r.Text)
			for _, m := range r.Models {
				s.indented(out, "    ", m)
			}
		}
		if more > 0 {
			fmt.Fprintf(out, "  … and %d more\n", more)
		}
	}
}

// indented writes a text, wrapped, with an indentation that grows from the second line on.
func (s Screen) indented(out *strings.Builder, by, what string) {
	lines := strings.Split(text.WrapSoft(what, s.Width-len(by)-2), "\n")
	for n, line := range lines {
		if n == 1 {
			by += "  "
		}
		fmt.Fprintf(out, "%s%s\n", by, strings.TrimRight(line, " "))
	}
}

// across writes the checks across models.
func (m *markdown) across(a *offline.Across) {
	sections := Sections(a, m.Listing)
	if len(sections) == 0 {
		return
	}
	fmt.Fprintf(m, "\n## %s\n\n%s.\n", AcrossTitle, Summary(a))
	for _, one := range sections {
		fmt.Fprintf(m, "\n### %s (%d)\n\n%s\n\n", one.Title, one.Count, one.Advice)
		results, more := one.first(m.Top)
		for _, r := range results {
			fmt.Fprintf(m, "- %s: %s\n", show.MarkdownText(r.Text), show.MarkdownText(strings.Join(r.Models, " ")))
		}
		if more > 0 {
			fmt.Fprintf(m, "- … and %d more\n", more)
		}
	}
}
