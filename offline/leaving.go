package offline

import (
	"context"
	"fmt"
	"math"
	"path"
	"strings"

	"readiness/definition"
	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/definition/upgrade"
	"readiness/offline/show"
)

// LeavingQnA is where a semantic model tells an AI something, what its linguistic schemas hold, and which reports beside it need Q&A.
type LeavingQnA struct {
	Format        semanticmodel.AIFormat `json:"ai_format"`
	Synonyms      int                    `json:"linguistic_synonyms"`
	Suggested     int                    `json:"suggested_synonyms"`
	Generated     int                    `json:"generated_synonyms"`
	Deleted       int                    `json:"deleted_synonyms"`
	Entities      int                    `json:"linguistic_entities"`
	Hidden        int                    `json:"hidden_objects"`
	Relationships int                    `json:"linguistic_relationships"`
	Phrasings     int                    `json:"phrasings"`
	Questions     int                    `json:"suggested_questions"`
	Instructions  bool                   `json:"ai_instructions"`
	// Invalid is file, line and reason of a linguistic schema that cannot be read, which stops an upgrade; "" if all can.
	Invalid string `json:"invalid_linguistic_schema,omitempty"`
	Losses  *int   `json:"losses,omitempty"`
	// Reports are those with Q&A visuals; nil if they were not looked for.
	Reports *[]QnAReport `json:"qna_reports,omitempty"`
	// Unread counts the reports that could not be searched.
	Unread int `json:"reports_unread,omitempty"`
}

// QnAReport is a report that shows an error once Q&A is off.
type QnAReport struct {
	Path    string   `json:"path"`
	Visuals int      `json:"visuals"`
	Pages   []string `json:"pages"`
	// Bookmarks counts the bookmarks that keep the state of a Q&A visual.
	Bookmarks int `json:"bookmarks"`
}

// leaving takes stock of a model, without its reports.
func leaving(d definition.Definition, m *semanticmodel.Model) LeavingQnA {
	i := upgrade.Take(d, m)
	return LeavingQnA{Format: m.AIFormat(), Synonyms: i.Synonyms, Suggested: i.Suggested, Generated: i.Generated, Deleted: i.Deleted,
		Entities: i.Entities, Hidden: i.Hidden, Relationships: i.Relationships, Phrasings: i.Phrasings, Questions: i.Questions,
		Instructions: i.Instructions, Invalid: i.Invalid, Losses: i.Losses}
}

// search looks for Q&A visuals in the reports beside the model that refer to it by path.
func (l *LeavingQnA) search(ctx context.Context, i Item) (warnings []Warning) {
	l.Reports = &[]QnAReport{}
	for one := range i.Reports(ctx, math.MaxInt) {
		err := one.Error
		var r report.Report
		if err == nil {
			r, err = report.Read(one.Definition)
		}
		if err != nil {
			l.Unread++
			warnings = append(warnings, unreadReport(one.Shown, err, "no Q&A visual is looked for in this report: "))
			continue
		}
		if q := r.QnA(one.Definition); q.Visuals+q.Bookmarks > 0 {
			*l.Reports = append(*l.Reports, QnAReport{one.Shown, q.Visuals, append([]string{}, q.Pages...), q.Bookmarks})
		}
	}
	return warnings
}

// Holds says what the linguistic schemas hold.
func (l LeavingQnA) Holds() string {
	said := strings.Join([]string{show.Count(l.Synonyms, "synonym"), show.Count(l.Suggested, "suggested one"), show.Count(l.Hidden, "hidden object"),
		show.Count(l.Phrasings, "phrasing"), show.Count(l.Questions, "suggested question")}, ", ")
	if l.Instructions {
		said += ", AI instructions"
	}
	return said
}

// Visuals counts the Q&A visuals of the reports.
func (l LeavingQnA) Visuals() (n int) {
	for _, r := range l.asking() {
		n += r.Visuals
	}
	return n
}

// Breaks says of each report that needs Q&A what of it does.
func (l LeavingQnA) Breaks() (all []string) {
	for _, r := range l.asking() {
		said := show.Count(r.Visuals, "Q&A visual")
		if r.Bookmarks > 0 {
			said += " and " + show.Count(r.Bookmarks, "bookmark")
		}
		said += " of " + path.Clean(r.Path)
		if len(r.Pages) > 0 {
			said += " (" + strings.Join(r.Pages, ", ") + ")"
		}
		all = append(all, said)
	}
	return all
}

func (l LeavingQnA) asking() []QnAReport {
	if l.Reports == nil {
		return nil
	}
	return *l.Reports
}

// Line says in a line what leaves with Q&A; "" if there is no linguistic schema that tells an AI something.
func (l LeavingQnA) Line() string {
	switch {
	case l.Invalid != "":
		return "Leaving Q&A: a linguistic schema cannot be read, which stops an upgrade: " + l.Invalid
	case !l.Format.Linguistic():
		return ""
	}
	said := "Leaving Q&A: " + l.Holds()
	if l.Losses != nil {
		said += "; an upgrade loses " + show.Count(*l.Losses, "thing")
	}
	switch n := len(l.asking()); {
	case n > 0:
		said += fmt.Sprintf("; %s in %s beside it", show.Count(l.Visuals(), "Q&A visual"), show.Count(n, "report"))
	case l.Unread == 0:
		said += "; no Q&A visual in the reports beside it"
	}
	if l.Unread > 0 {
		said += fmt.Sprintf("; %s beside it not read", show.Count(l.Unread, "report"))
	}
	return said + "."
}
