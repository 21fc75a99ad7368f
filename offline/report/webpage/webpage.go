// Package webpage writes an assessment as a page for a browser.
package webpage

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/report"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

// manyFindings is the size of the largest group whose findings the page shows without being asked.
const manyFindings = 20

type (
	page struct {
		Summary, Note, Bands string
		Compared             bool // with a baseline
		Items                []pageItem
		AcrossTitle          string
		AcrossNote           string
		Across               []report.AcrossSection
		Warnings             []string
	}
	pageItem struct {
		ID, Path, Error                   string
		Listed                            bool // has a section
		Before, Score, Band, Agent, Class string
		New, Fixed, Unchanged             string
		Rank, High, Medium, Low           int
		Lines                             []string
		FirstTitle                        string
		First                             []report.Step
		Dimensions                        []pageDimension
		Sections                          []pageSection
		Ignored                           []pageFinding
	}
	pageDimension struct {
		Name, Score, Class, Lost string
		Applies                  bool
		Width                    int
	}
	pageSection struct {
		Title, Counts string
		Groups        []pageGroup
	}
	pageGroup struct {
		Rule, Page, Requirement, Help, Severity, Count, Points, Effort, Objects string
		Caps, Open                                                              bool
		Findings                                                                []pageFinding
	}
	pageFinding struct {
		Object, Severity, Rules, Points, Message, Evidence, Place, Reason string
		Rank                                                              int
	}
)

// Write writes an assessment as one HTML page that loads nothing. All reported findings are in it, grouped by rule.
func Write(w io.Writer, a *offline.Assessment, l report.Listing) error {
	p := page{Summary: a.Summary(), Bands: bandsText(), Compared: a.Baseline != ""}
	if l.Filtered() {
		p.Note = "Lists contain only what --rule and --object choose."
		if !l.ListsAny(a) {
			p.Note = report.NoMatch
		}
	}
	for n, i := range a.All() {
		p.Items = append(p.Items, pageItemOf(n+1, i, l, p.Compared))
	}
	for _, one := range a.Warnings {
		p.Warnings = append(p.Warnings, show.Printable(one.String()))
	}
	if p.Across = report.Sections(a.Across, l); len(p.Across) > 0 {
		p.AcrossTitle, p.AcrossNote = report.AcrossTitle, report.Summary(a.Across)
	}
	return p.write(Begin(w, "AI readiness"))
}

func (p page) write(w *Page) error {
	w.Put("<header>\n<h1>AI readiness</h1>\n<p>%s.</p>", p.Summary)
	w.With("\n<p>%s</p>", p.Note)
	w.Put("\n</header>\n<main>\n")
	p.overview(w)
	for _, i := range p.Items {
		if i.Listed {
			i.write(w)
		}
	}
	p.across(w)
	if len(p.Warnings) > 0 {
		w.Put("\n<section aria-labelledby=\"warnings\">\n<h2 id=\"warnings\">Warnings</h2>\n<ul>")
		for _, one := range p.Warnings {
			w.Put("\n<li><bdi>%s</bdi></li>", one)
		}
		w.Put("\n</ul>\n</section>")
	}
	w.Put("\n</main>\n")
	return w.End()
}

func (p page) overview(w *Page) {
	w.Put(`<section aria-labelledby="items">
<h2 id="items">Items</h2>
<table class="sortable">
<caption>Scores from 0 to 100. %s.</caption>
<thead><tr><th scope="col">Item</th>%s<th scope="col" class="number">Score</th><th scope="col">Band</th>`+
		`<th scope="col" class="number">As a data agent reads it</th>%s<th scope="col" class="number">High</th>`+
		`<th scope="col" class="number">Medium</th><th scope="col" class="number">Low</th></tr></thead>
<tbody>`, p.Bands, If(p.Compared, `<th scope="col" class="number">Before</th>`, ""), If(p.Compared, `<th scope="col" class="number">New</th>`+
		`<th scope="col" class="number">Fixed</th><th scope="col" class="number">Unchanged</th>`, ""))
	for _, i := range p.Items {
		w.Put("\n<tr><th scope=\"row\">")
		if i.Listed {
			w.Put(`<a href="#%s"><bdi>%s</bdi></a></th>`, i.ID, i.Path)
		} else {
			w.Put("<bdi>%s</bdi></th>", i.Path)
		}
		if p.Compared {
			w.Put(`<td class="number">%s</td>`, i.Before)
		}
		w.Put(`<td class="number %s">%s</td><td class="%s" data-key="%d">%s</td><td class="number">%s</td>`, i.Class, i.Score, i.Class, i.Rank,
			i.Band, i.Agent)
		if p.Compared {
			w.numbers(i.New, i.Fixed, i.Unchanged)
		}
		w.numbers(i.High, i.Medium, i.Low)
		w.Put("</tr>")
	}
	w.Put("\n</tbody>\n</table>\n</section>")
}

// numbers writes cells with numbers.
func (p *Page) numbers(all ...any) {
	for _, n := range all {
		p.Put(`<td class="number">%s</td>`, n)
	}
}

func (i pageItem) write(w *Page) {
	w.Put("\n<section aria-labelledby=\"%s\">\n<h2 id=\"%s\"><bdi>%s</bdi></h2>", i.ID, i.ID, i.Path)
	w.With("\n<p class=\"poor\">Cannot be assessed: <bdi>%s</bdi></p>", i.Error)
	for _, line := range i.Lines {
		w.Put("\n<p>%s</p>", line)
	}
	if len(i.First) > 0 {
		w.Put("\n<h3>%s</h3>\n<ol class=\"first\">", i.FirstTitle)
		for _, s := range i.First {
			w.Put("\n<li><strong>%s, %s</strong>: <bdi>%s</bdi> <span class=\"quiet\">", s.Points(), s.Effort, s.What)
			if s.Command != "" {
				w.Put("<code><bdi>%s</bdi></code></span></li>", s.Command)
			} else {
				w.Put("%s</span></li>", s.Rule())
			}
		}
		w.Put("\n</ol>")
	}
	i.dimensions(w)
	for _, s := range i.Sections {
		w.Put("\n<h3>%s</h3>\n<p>%s.</p>", s.Title, s.Counts)
		for _, g := range s.Groups {
			g.write(w)
		}
	}
	if len(i.Ignored) > 0 {
		w.Put("\n<h3>Ignored</h3>\n<table class=\"sortable\">\n<caption>Findings that an ignore file or an annotation accepts.</caption>\n" +
			"<thead><tr><th scope=\"col\">Object</th><th scope=\"col\">Rules</th><th scope=\"col\">Finding</th>" +
			"<th scope=\"col\">Why it is accepted</th></tr></thead>\n<tbody>")
		for _, f := range i.Ignored {
			w.Put("\n<tr><th scope=\"row\"><bdi>%s</bdi></th><td>%s</td><td><bdi>%s</bdi></td><td><bdi>%s</bdi></td></tr>", f.Object, f.Rules,
				f.Message, f.Reason)
		}
		w.Put("\n</tbody>\n</table>")
	}
	w.Put("\n</section>")
}

func (i pageItem) dimensions(w *Page) {
	if len(i.Dimensions) == 0 {
		return
	}
	w.Put(`
<h3>Dimensions</h3>
<table class="sortable dimensions">
<caption>Scores of the dimensions, and the points of the overall score that their findings cost.</caption>
<thead><tr><th scope="col">Dimension</th><th scope="col" class="number">Score</th><th scope="col" class="bar">` +
		`<span class="unseen">Score as a bar</span></th><th scope="col" class="number">Points lost</th></tr></thead>
<tbody>`)
	for _, d := range i.Dimensions {
		w.Put("\n<tr><th scope=\"row\">%s</th><td class=\"number\">%s</td><td class=\"bar\" data-key=\"%d\">", d.Name, d.Score, d.Width)
		if d.Applies {
			w.Put(`<svg class="%s" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">`+
				`<rect class="track" width="100" height="8"/><rect width="%d" height="8"/></svg>`, d.Class, d.Width)
		}
		w.Put(`</td><td class="number">%s</td></tr>`, d.Lost)
	}
	w.Put("\n</tbody>\n</table>")
}

func (g pageGroup) write(w *Page) {
	w.Put("\n<details%s>\n<summary><h4>", If(g.Open, " open", ""))
	if g.Page != "" {
		w.Put(`<a class="rule" href="%s">%s</a>`, g.Page, g.Rule)
	} else {
		w.Put(`<span class="rule">%s</span>`, g.Rule)
	}
	w.Put(` <bdi>%s</bdi></h4> <span class="quiet">%s, %s points, %s, %s%s: <bdi>%s</bdi></span></summary>`, g.Requirement, g.Count, g.Points,
		g.Effort, g.Severity, If(g.Caps, ", limits the score", ""), g.Objects)
	w.With("\n<p>%s</p>", g.Help)
	w.Put(`
<table class="sortable">
<caption>Findings of %s.</caption>
<thead><tr><th scope="col">Object</th><th scope="col">Severity</th><th scope="col">Rules</th><th scope="col" class="number">Points</th>`+
		`<th scope="col">What to do</th><th scope="col">Found</th><th scope="col">Where</th></tr></thead>
<tbody>`, g.Rule)
	for _, f := range g.Findings {
		w.Put("\n<tr><th scope=\"row\"><bdi>%s</bdi></th><td data-key=\"%d\">%s</td><td>%s</td><td class=\"number\">%s</td>"+
			"<td><bdi>%s</bdi></td><td><bdi>%s</bdi></td><td class=\"place\"><bdi>%s</bdi></td></tr>", f.Object, f.Rank, f.Severity, f.Rules,
			f.Points, f.Message, f.Evidence, f.Place)
	}
	w.Put("\n</tbody>\n</table>\n</details>")
}

func (p page) across(w *Page) {
	if len(p.Across) == 0 {
		return
	}
	w.Put("\n<section aria-labelledby=\"across\">\n<h2 id=\"across\">%s</h2>\n<p>%s.</p>", p.AcrossTitle, p.AcrossNote)
	for _, s := range p.Across {
		w.Put("\n<h3>%s (%d)</h3>\n<p>%s</p>\n<ul>", s.Title, s.Count, s.Advice)
		for _, r := range s.Results {
			w.Put("\n<li><bdi>%s</bdi>\n<ul>", r.Text)
			for _, m := range r.Models {
				w.Put("\n<li><bdi>%s</bdi></li>", m)
			}
			w.Put("\n</ul>\n</li>")
		}
		if s.More() > 0 {
			w.Put("\n<li>… and %d more</li>", s.More())
		}
		w.Put("\n</ul>")
	}
	w.Put("\n</section>")
}

// bandsText describes the bands.
func bandsText() string {
	var all []string
	most := 100
	for _, b := range readiness.Bands() {
		all = append(all, fmt.Sprintf("%d to %d: %s", b.From(), most, b))
		most = b.From() - 1
	}
	return strings.Join(all, ", ")
}

// bandClass returns the CSS class of a score.
func bandClass(n *int) string {
	if n == nil {
		return ""
	}
	switch readiness.BandOf(*n) {
	case readiness.BandReady:
		return "good"
	case readiness.BandNotReady:
		return "poor"
	default:
		return "fair"
	}
}

func pageItemOf(n int, i offline.Assessed, l report.Listing, compared bool) pageItem {
	p := pageItem{ID: fmt.Sprintf("item-%d", n), Path: show.Printable(i.Path), Listed: !l.Filtered() || l.Lists(i)}
	if i.Error != nil {
		p.Score, p.Class, p.Error = "error", "poor", show.Printable(i.Error.Error())
		return p
	}
	p.Score, p.Band, p.Class = show.Number(i.Result.Score), report.BandOf(i.Result.Score), bandClass(i.Result.Score)
	p.Agent = show.Number(i.ScoreDataAgent)
	if i.Result.Score != nil {
		p.Rank = *i.Result.Score
	}
	for _, f := range i.Findings {
		switch f.Severity {
		case finding.High:
			p.High++
		case finding.Medium:
			p.Medium++
		case finding.Low:
			p.Low++
		}
	}
	if compared {
		p.New, p.Unchanged = fmt.Sprint(len(i.Findings)), fmt.Sprint(i.Known)
		if s := i.Since; s != nil && s.Comparable {
			p.Before, p.Fixed = show.Number(s.Score), fmt.Sprint(len(s.Fixed))
		}
	}
	if !p.Listed {
		return p
	}
	p.Lines = append([]string{report.ScoreLine(i)}, report.Caveats(i)...)
	if line := report.ChangeLine(i); line != "" {
		p.Lines = append(p.Lines, line)
	}
	p.FirstTitle, p.First = report.FirstTitle, l.First(i)
	p.Dimensions = pageDimensions(i)
	p.Sections = pageSections(i, l)
	for _, f := range i.Ignored {
		one := pageFindingOf(i, f.Finding)
		one.Reason = show.Printable(f.Reason)
		p.Ignored = append(p.Ignored, one)
	}
	return p
}

func pageDimensions(i offline.Assessed) (all []pageDimension) {
	points := i.Lost()
	for _, d := range i.Result.Dimensions {
		one := pageDimension{Name: d.Name, Score: "not applicable"}
		if d.Score != nil {
			one = pageDimension{d.Name, fmt.Sprint(*d.Score), bandClass(d.Score), fmt.Sprintf("%.1f", points[d.ID]), true, *d.Score}
		}
		all = append(all, one)
	}
	return all
}

func pageSections(i offline.Assessed, l report.Listing) (all []pageSection) {
	add := func(title string, findings []offline.Finding) {
		groups := l.Groups(i, findings)
		if len(groups) == 0 {
			return
		}
		s := pageSection{Title: title, Counts: report.SeverityCounts(l.Chosen(findings))}
		for _, g := range groups {
			s.Groups = append(s.Groups, pageGroupOf(i, g, l))
		}
		all = append(all, s)
	}
	if i.Since == nil {
		add("Findings", i.Findings)
		return all
	}
	add(report.NewFindings, i.Findings)
	add(report.FixedFindings, i.Since.Fixed)
	add(report.UnchangedFindings, i.Since.Unchanged)
	return all
}

func pageGroupOf(i offline.Assessed, g report.Group, l report.Listing) pageGroup {
	p := pageGroup{
		Rule: g.Rule, Page: rulehelp.Page(g.Rule), Requirement: show.Printable(g.Title()), Help: show.Printable(g.Help()),
		Severity: string(g.Severity),
		Count:    show.Count(len(g.Findings), "finding"), Points: fmt.Sprintf("%.1f", g.Points), Effort: string(g.Effort()),
		Objects: g.Objects(false), Caps: g.Caps,
		Open: l.Singly() || len(g.Findings) <= manyFindings,
	}
	for _, f := range g.Findings {
		p.Findings = append(p.Findings, pageFindingOf(i, f))
	}
	return p
}

func pageFindingOf(i offline.Assessed, f offline.Finding) pageFinding {
	return pageFinding{
		Object: report.ObjectOf(f), Severity: string(f.Severity), Rules: strings.Join(f.RuleIDs, ", "),
		Points:  fmt.Sprintf("%.1f", f.Impact),
		Message: show.Printable(f.Message), Evidence: show.Printable(f.Evidence), Rank: slices.Index(offline.Severities, f.Severity),
		Place: report.Where(i, f),
	}
}
