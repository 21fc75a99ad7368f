package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/mcp"
)

const tickets = "Corporate Functions/Support Tickets.SemanticModel"

// golden are questions about tickets, and answered answers of two: one counts all tickets as open.
const (
	golden = `question,dax
How many tickets are there?,"EVALUATE ROW(""n"", [Ticket Count])"
How many tickets are open?,"EVALUATE ROW(""n"", [Open Tickets])"
`
	answered = `question,answer,dax,who
How many tickets are there?,300,,Careful
How many tickets are open?,31,"EVALUATE ROW(""n"", [Open Tickets])",Careful
How many tickets are there?,300,,Hasty
How many tickets are open?,300,"EVALUATE ROW(""n"", COUNTROWS(Tickets))",Hasty
`
)

// TestEvaluate judges the answers of files below the folder.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	s := onSamples(t, false)
	check(t, os.WriteFile(filepath.Join(s.root, "golden.csv"), []byte(golden), 0o600))
	check(t, os.WriteFile(filepath.Join(s.root, "answers.csv"), []byte(answered), 0o600))
	before := s.tree(t)
	got := get[mcp.EvaluationOutput](t, s, "evaluate", args{"model": tickets, "questions": "golden.csv", "answers": []string{"answers.csv"}})
	if len(got.Answerers) != 2 || got.Answerers[0].Right != 2 || got.Answerers[1].Right != 1 || got.Answerers[1].Answerer != "Hasty" ||
		!strings.HasPrefix(got.Conclusion, "Careful and Hasty: 2 and 1 of 2 questions right.") || got.Wrong.Total != 1 ||
		!strings.Contains(got.Wrong.Rows[0].Reason, "other rows") {
		t.Errorf("got %+v", got)
	}
	page := get[mcp.Page[mcp.AnswerRow]](t, s, "list_answers", args{"model": tickets, "runId": got.Answerers[0].RunID, "verdict": "correct"})
	if page.Total != 2 || page.Rows[1].Answer != "31" {
		t.Errorf("got %+v", page)
	}
	check(t, os.WriteFile(filepath.Join(s.root, "broken.csv"), []byte("question,answer\nHow many?,300\n"), 0o600))
	text, refused := s.call(t, "evaluate", args{"model": tickets, "questions": "broken.csv", "answers": []string{"answers.csv"}})
	if !refused || !strings.Contains(text, "\nbroken.csv: ") || strings.Contains(text, s.root) {
		t.Errorf("a file that is none of questions: got %s", text)
	}
	check(t, os.Remove(filepath.Join(s.root, "broken.csv")))
	if changed := differing(before, s.tree(t)); len(changed) > 0 {
		t.Errorf("evaluate changed %v", changed)
	}
}

// TestLift asks the rules engine, and says what that is worth. It writes nothing.
func TestLift(t *testing.T) {
	t.Parallel()
	s := onSamples(t, false)
	before := s.tree(t)
	got := get[mcp.LiftOutput](t, s, "lift", args{"model": inventory, "by": "rule"})
	if got.Questions != 20 || got.Now.Right == 0 || !strings.Contains(got.Caution, "says nothing about an AI") || got.Parts.Total == 0 ||
		got.Parts.Rows[0].Part != "everything proposed" || len(got.Parts.Rows[0].Keys) != min(10, got.Parts.Rows[0].Changes) ||
		len(got.Parts.Rows[0].Keys)+got.Parts.Rows[0].MoreKeys != got.Parts.Rows[0].Changes {
		t.Errorf("got %+v", got)
	}
	check(t, os.WriteFile(filepath.Join(s.root, "golden.csv"), []byte(golden), 0o600))
	if of := get[mcp.LiftOutput](t, s, "lift", args{"model": tickets, "questions": "golden.csv"}); of.Questions != 2 {
		t.Errorf("got %+v", of)
	}
	check(t, os.Remove(filepath.Join(s.root, "golden.csv")))
	if changed := differing(before, s.tree(t)); len(changed) > 0 {
		t.Errorf("lift changed %v", changed)
	}
}
