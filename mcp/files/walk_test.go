package files_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/mcp"
)

// TestWalk assesses, previews, writes, compares and reverts, as an agent does.
//
// proves: decisions/19/reverts
func TestWalk(t *testing.T) {
	t.Parallel()
	s := onSamples(t, true)
	before := s.tree(t)
	models := get[mcp.ModelsOutput](t, s, "list_models", args{"within": "Retail Analytics"})
	if len(models.Rows) != 4 || models.Rows[3].ID != inventory || models.Rows[3].Type != "SemanticModel" {
		t.Fatalf("got the models %+v", models)
	}
	first := get[mcp.AssessmentSummary](t, s, "assess", args{"model": inventory})
	if *first.Score != 68 || first.Findings != 65 || first.Band != "needs work" || first.Rules[0].Title != "1 measure that sums what does not add up" {
		t.Errorf("got the assessment %+v", first)
	}
	p := get[mcp.PreviewSummary](t, s, "preview", args{"model": inventory, "kind": "descriptions"})
	if d := cmp.Diff(before, s.tree(t)); d != "" {
		t.Errorf("a preview changed files:\n%s", d)
	}
	chosen := p.Changes.Rows()[0]
	w := get[mcp.WrittenOutput](t, s, "apply", args{"previewId": p.PreviewID, "keys": []string{chosen.Key}})
	if w.Changes.Total != 1 || w.Changes.Rows()[0].Key != chosen.Key || w.Changes.Rows()[0].Then != chosen.Then || w.Record == "" {
		t.Errorf("got written %+v, want only %+v", w, chosen)
	}
	if changed := differing(before, s.tree(t)); len(changed) != 2 || !strings.HasSuffix(changed[0], "Stock Levels.tmdl") {
		t.Errorf("one change of the model and a record were expected, got %v", changed)
	}
	second := get[mcp.AssessmentSummary](t, s, "assess", args{"model": inventory})
	c := get[mcp.Comparison](t, s, "compare", args{"model": inventory, "before": first.AssessmentID, "after": second.AssessmentID})
	if c.Fixed != 1 || c.New != 0 || c.Unchanged != 64 || !strings.HasSuffix(chosen.Key, "|"+c.Findings.Rows[0].Object) ||
		c.Findings.Rows[0].Change != "fixed" {
		t.Errorf("got the comparison %+v", c)
	}
	records := get[mcp.RecordsOutput](t, s, "list_records", args{})
	if len(records.Rows) != 1 || records.Rows[0].Record != w.Record || records.Rows[0].Objects != 1 {
		t.Errorf("got the records %+v", records)
	}
	r := get[mcp.WrittenOutput](t, s, "preview_revert", args{"record": w.Record})
	if r.Changes.Total != 1 || r.Changes.Rows()[0].Now != chosen.Then || r.Changes.Rows()[0].Then != "" {
		t.Errorf("got the preview of the revert %+v", r)
	}
	get[mcp.WrittenOutput](t, s, "revert", args{"previewId": r.PreviewID})
	if changed := differing(before, s.tree(t)); len(changed) != 1 || !strings.HasSuffix(changed[0], w.Record) {
		t.Errorf("the revert must restore every byte; these files differ: %v", changed)
	}
}

// differing lists the files that two trees do not have alike, in order.
func differing(a, b map[string]string) (paths []string) {
	for path, hash := range b {
		if a[path] != hash {
			paths = append(paths, path)
		}
	}
	for path := range a {
		if _, there := b[path]; !there {
			paths = append(paths, path)
		}
	}
	return sorted(paths)
}

// TestWords writes a person's words for an object that the definition does not explain.
func TestWords(t *testing.T) {
	t.Parallel()
	s := onSamples(t, true)
	p := get[mcp.PreviewSummary](t, s, "preview", args{"model": inventory, "kind": "descriptions"})
	needs := get[mcp.ChangesOutput](t, s, "list_changes", args{"previewId": p.PreviewID, "what": "needsYourWords"}).NeedsYourWords
	need := needs.Rows[0]
	text := "Each row is one delivery of one product to one warehouse."
	with := get[mcp.PreviewSummary](t, s, "preview", args{"model": inventory, "kind": "descriptions",
		"words": []args{{"key": need.Key, "text": text}}})
	if with.NeedsYourWords != p.NeedsYourWords-1 || with.Changes.Rows()[0].Key != need.Key || with.Changes.Rows()[0].Then != text ||
		*with.ScoreAfter < *p.ScoreAfter {
		t.Errorf("got %+v after %+v", with, p)
	}
	w := get[mcp.WrittenOutput](t, s, "apply", args{"previewId": with.PreviewID, "keys": []string{need.Key}})
	if w.Changes.Total != 1 || w.Changes.Rows()[0].Then != text {
		t.Errorf("got written %+v", w)
	}
}

// TestWordsOfEachKind writes a person's words of every kind whose changes hold a text, and refuses them where the value is one of few.
func TestWordsOfEachKind(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		kind, key, text, file string
		refused               string
	}{
		"AI instructions": {kind: "aiInstructions", key: "aiInstructions", text: "Lead time is in calendar days.", file: "instructions.md"},
		"a description":   {kind: "descriptions", key: "Stock Levels|Reserved Quantity", text: "Pieces that customers ordered and that have not left the warehouse.", file: "Stock Levels.tmdl"},
		"synonyms": {kind: "aiDataSchema", key: "Stock Levels|Stock Value|synonyms", text: "inventory worth\nBestandswert",
			file: "schema.json"},
		"synonyms of a table": {kind: "aiDataSchema", key: "Stock Levels||synonyms", text: "Lagerbestand", file: "schema.json"},
		"a visibility":        {kind: "aiDataSchema", key: "Stock Levels|Unit Cost", text: "Hidden", refused: "1 keys cannot be written"},
		"a summarization":     {kind: "properties", key: "Calendar|Week", text: "average", refused: "1 keys cannot be written"},
		"what is too long":    {kind: "descriptions", key: "Stock Levels|Reserved Quantity", text: strings.Repeat("x", 20_000), refused: "characters; at most"},
		"what nothing has":    {kind: "descriptions", key: "Stock Levels|Reserved Quantities", text: "x", refused: `["Stock Levels|Reserved Quantity"`},
		"synonyms of nothing": {kind: "aiDataSchema", key: "Stock Levels|Stock Valu|synonyms", text: "x", refused: `["Stock Levels|Stock Value|synonyms"`},
		"nothing at all":      {kind: "aiInstructions", key: "aiInstructions", text: " ", refused: "blank"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := onSamples(t, true)
			in := args{"model": inventory, "kind": row.kind, "words": []args{{"key": row.key, "text": row.text}}}
			if row.refused != "" {
				s.refuse(t, "preview", in, row.refused)
				return
			}
			p := get[mcp.PreviewSummary](t, s, "preview", in)
			shown := map[string]string{row.key: row.text}
			if texts(changes(t, s, p))[row.key] != row.text {
				t.Errorf("the preview does not show the person's text: %+v", p)
			}
			before := s.tree(t)
			w := get[mcp.WrittenOutput](t, s, "apply", args{"previewId": p.PreviewID, "keys": []string{row.key}})
			if d := cmp.Diff(shown, texts(w.Changes.Rows())); d != "" {
				t.Errorf("other texts were written than the person gave:\n%s", d)
			}
			if !slices.ContainsFunc(differing(before, s.tree(t)), func(path string) bool { return strings.HasSuffix(path, row.file) }) {
				t.Errorf("%s was not written: %v", row.file, differing(before, s.tree(t)))
			}
			r := get[mcp.WrittenOutput](t, s, "preview_revert", args{"record": w.Record})
			get[mcp.WrittenOutput](t, s, "revert", args{"previewId": r.PreviewID})
			if left := differing(before, s.tree(t)); len(left) != 1 || !strings.HasSuffix(left[0], w.Record) {
				t.Errorf("the revert must restore every byte; these files differ: %v", left)
			}
		})
	}
}

// keysOf returns the keys of changes.
func keysOf(changes []mcp.Change) (keys []string) {
	for _, c := range changes {
		keys = append(keys, c.Key)
	}
	return keys
}

// changes reads the pages of a preview's changes after the first, and returns those of all.
func changes(t *testing.T, s session, p mcp.PreviewSummary) []mcp.Change {
	t.Helper()
	rows, next := p.Changes.Rows(), p.Changes.Next
	for next != "" {
		page := get[mcp.ChangesOutput](t, s, "list_changes", args{"previewId": p.PreviewID, "cursor": next}).Changes
		rows, next = append(rows, page.Rows()...), page.Next
	}
	return rows
}

// maxWalk bounds what an agent reads before it writes: the definitions, and every text of all kinds of preview. 8,000 tokens of at least 3.5
// bytes each.
const maxWalk = 8000 * 7 / 2

// TestPrepare prepares a model, one kind after the other: a person reads every text in full, refuses one and changes one.
//
// proves: decisions/19/small
func TestPrepare(t *testing.T) {
	t.Parallel()
	s := onSamples(t, true)
	before := s.tree(t)
	listed, err := s.ListTools(t.Context(), nil)
	check(t, err)
	definitions, err := json.Marshal(listed.Tools)
	check(t, err)
	read := len(definitions) + len(s.InitializeResult().Instructions)
	tell := func(tool string, a args) {
		text, _ := s.call(t, tool, a)
		read += len(text)
	}
	tell("list_models", args{})
	tell("assess", args{"model": inventory})
	kinds := []string{"properties", "descriptions", "aiDataSchema", "aiInstructions"}
	for _, kind := range kinds {
		tell("preview", args{"model": inventory, "kind": kind})
	}
	if read > maxWalk {
		t.Errorf("an agent reads %d bytes before it writes; at most %d are right", read, maxWalk)
	}
	const own = "Lead time is in calendar days."
	var records []string
	for _, kind := range kinds {
		words := []args{{"key": "aiInstructions", "text": own}}
		in := args{"model": inventory, "kind": kind}
		if kind == "aiInstructions" {
			in["words"] = words
		}
		p := get[mcp.PreviewSummary](t, s, "preview", in)
		agreed := changes(t, s, p)
		if len(agreed) > 1 {
			agreed = agreed[1:]
		} else if kind == "aiInstructions" && agreed[0].Then != own {
			t.Errorf("the person's words are not in %+v", agreed)
		}
		w := get[mcp.WrittenOutput](t, s, "apply", args{"previewId": p.PreviewID, "keys": keysOf(agreed)})
		if d := cmp.Diff(texts(agreed), texts(w.Changes.Rows())); d != "" {
			t.Errorf("%s: other texts were written than the person read:\n%s", kind, d)
		}
		records = append(records, w.Record)
	}
	slices.Reverse(records)
	for _, record := range records {
		r := get[mcp.WrittenOutput](t, s, "preview_revert", args{"record": record})
		get[mcp.WrittenOutput](t, s, "revert", args{"previewId": r.PreviewID})
	}
	if changed := differing(before, s.tree(t)); len(changed) != len(records) {
		t.Errorf("the reverts must restore every byte; these files differ: %v", changed)
	}
}

// texts returns the texts of changes by key.
func texts(changes []mcp.Change) map[string]string {
	all := map[string]string{}
	for _, c := range changes {
		all[c.Key] = c.Then
	}
	return all
}

// TestLongTexts reads AI instructions of many pages to the end.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	s := onSamples(t, false)
	long := strings.TrimSpace(strings.Repeat("Größe \u2028 \"zählt\". ", 450))
	p := get[mcp.PreviewSummary](t, s, "preview", args{"model": inventory, "kind": "aiInstructions", "words": []args{
		{"key": "aiInstructions", "text": long}}})
	var whole strings.Builder
	for _, part := range changes(t, s, p) {
		whole.WriteString(part.Then)
	}
	if p.Changes.Total != 1 || p.Changes.Rows()[0].Part == "" || whole.String() != long {
		t.Errorf("got %d bytes of %d in %d changes", whole.Len(), len(long), p.Changes.Total)
	}
}

// TestQuestions asks questions that were made from a model, and some of an agent.
func TestQuestions(t *testing.T) {
	t.Parallel()
	s := onSamples(t, false)
	made := get[mcp.RunSummary](t, s, "run_questions", args{"model": inventory, "count": 10})
	if made.Verdicts["correct"] == 0 || made.Score == nil {
		t.Errorf("got %+v", made)
	}
	own := get[mcp.RunSummary](t, s, "run_questions", args{"model": inventory, "questions": []args{
		{"question": "What is the average lead time?", "dax": `EVALUATE ROW("Average Lead Time", [Average Lead Time])`},
		{"question": "What is the average lead time in all?", "dax": `EVALUATE ROW("Stock Value", [Stock Value])`}, // not what is asked
	}})
	if own.Verdicts["correct"] != 1 || own.Verdicts["unclear"] != 1 || *own.Score != 50 || own.Wrong.Total != 1 {
		t.Errorf("got %+v", own)
	}
	answers := get[mcp.Page[mcp.AnswerRow]](t, s, "list_answers", args{"model": inventory, "runId": own.RunID, "verdict": "correct"})
	if answers.Total != 1 || !strings.Contains(answers.Rows[0].Question, "lead time?") {
		t.Errorf("got %+v", answers)
	}
}

// TestView shows what an AI sees: without the fields that the AI data schema hides.
func TestView(t *testing.T) {
	t.Parallel()
	s := onSamples(t, false)
	v := get[mcp.ViewOutput](t, s, "ai_view", args{"model": "Retail Analytics/Retail Sales.SemanticModel"})
	if v.Instructions == "" || v.Objects.Total == 0 || v.Objects.Rows[0].Type != "table" {
		t.Errorf("got %+v", v)
	}
	kinds := map[string]bool{}
	for _, row := range all(t, func(cursor string) mcp.Page[mcp.ViewRow] {
		return get[mcp.ViewOutput](t, s, "ai_view", args{"model": "Retail Analytics/Retail Sales.SemanticModel", "cursor": cursor}).Objects
	}) {
		kinds[row.Type] = true
	}
	if !kinds["column"] || !kinds["measure"] || !kinds["relationship"] || !kinds["verified answer"] {
		t.Errorf("got only objects of the types %v", kinds)
	}
}

// all reads every page of a list and checks that it has as many rows as it states.
func all[T any](t *testing.T, read func(cursor string) mcp.Page[T]) (rows []T) {
	t.Helper()
	cursor := ""
	for range 10_000 {
		p := read(cursor)
		rows = append(rows, p.Rows...)
		if cursor = p.Next; cursor == "" {
			if len(rows) != p.Total {
				t.Errorf("the pages have %d rows; they state %d", len(rows), p.Total)
			}
			return rows
		}
	}
	t.Fatal("a list does not end")
	return nil
}
