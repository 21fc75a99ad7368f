package offline_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/domain/optimization"
	"readiness/offline"
)

// filled answers a question in a file of questions.
func filled(t *testing.T, file, key, answer string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if strings.HasSuffix(file, ".jsonl") {
		for line := range bytes.Lines(text) {
			row := map[string]string{}
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			if row["key"] == key {
				row["answer"] = answer
			}
			line, _ = json.Marshal(row)
			out.Write(append(line, '\n'))
		}
	} else {
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		w := csv.NewWriter(&out)
		w.Comma = ';' // as some spreadsheets save it
		for _, row := range rows {
			if row[1] == key {
				row[3] = answer
			}
			_ = w.Write(row)
		}
		w.Flush()
	}
	if err := os.WriteFile(file, append([]byte("\ufeff"), out.Bytes()...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Questions are written, answered by a person, and come back as descriptions in the place of what is proposed.
func TestAnswersOfQuestions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"questions.csv", "questions.jsonl"} {
		root := files(t, shop)
		all := propose(t, embedded(optimization.Descriptions), root)
		file := filepath.Join(t.TempDir(), name)
		n, err := offline.WriteQuestions(file, all)
		if needed := len(all[0].Previews[0].NeedsYourWords); err != nil || n != needed || n < 2 {
			t.Fatalf("%s: %d questions of %d, %v", name, n, needed, err)
		}
		if _, err := offline.WriteQuestions(file, all); err == nil || !strings.Contains(err.Error(), "may hold answers") {
			t.Errorf("%s: answers are overwritten: %v", name, err)
		}
		if words, err := offline.ReadAnswers(file); err != nil || len(words) != 0 {
			t.Errorf("%s: without answers: %v, %v", name, words, err)
		}
		asked := all[0].Previews[0].NeedsYourWords[0]
		key := asked.Table + "|" + asked.Object
		const said = " What was paid at the till, with tax, in euros. "
		filled(t, file, key, said)
		o := embedded()
		if o.Words, err = offline.ReadAnswers(file); err != nil {
			t.Fatal(err)
		}
		o.Words[all[0].Shown]["Gone|x"] = "Nothing is called so."
		got, warnings, err := offline.Propose(t.Context(), find(t, root, root), o)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(got[0].Previews, func(p optimization.Preview) bool { return p.Kind == optimization.Descriptions })
		one := got[0].Previews[i]
		at := slices.IndexFunc(one.Changes, func(c optimization.Change) bool { return c.Key == key })
		if at < 0 || one.Changes[at].Proposed != strings.TrimSpace(said) || one.Changes[at].Reason != "a person's words" ||
			len(one.NeedsYourWords) != n-1 {
			t.Errorf("%s: got %+v with %d questions of %d", name, one.Changes, len(one.NeedsYourWords), n)
		}
		written := false
		for _, p := range got[0].After.Parts {
			written = written || bytes.Contains(p.Data, []byte(strings.TrimSpace(said)))
		}
		if !written {
			t.Errorf("%s: the answer is not written", name)
		}
		if !slices.ContainsFunc(warnings, func(w offline.Warning) bool {
			return strings.Contains(w.Message, "the answer for Gone|x is not written")
		}) ||
			slices.ContainsFunc(warnings, func(w offline.Warning) bool { return strings.Contains(w.Message, "answer for "+key) }) {
			t.Errorf("%s: warnings %v", name, warnings)
		}
	}
}

// A faulty file of answers is refused with its place.
func TestFaultyAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, text, want string }{
		"empty":          {"a.csv", "", "it has no columns; expected are model, key, question, answer"},
		"no answers":     {"a.csv", "model,key\n", `it has no column "answer"`},
		"two answers":    {"a.csv", "model,key,answer\nm,k,a\nm,k,b\n", "a.csv:3: k of m has two answers"},
		"no key":         {"a.csv", "model,key,answer\nm,,a\n", "a.csv:2: an answer needs the model and the key"},
		"a broken row":   {"a.csv", "model,key,answer\nm,k\n", "wrong number of fields"},
		"not UTF-8":      {"a.csv", "model,key,answer\nm,k,\xff\n", "is not in UTF-8"},
		"no JSON":        {"a.jsonl", "{\"model\":\"m\",\"key\":\"k\",\"answer\":\"a\"}\n\nx\n", "line 3 is no JSON object"},
		"formulas":       {"a.csv", "model,key,answer\nm,'=k|a,because\n", ""},
		"blank answers":  {"a.csv", "Model ; KEY ; Answer\n;; \nm;k; \n", ""},
		"other columns":  {"a.jsonl", `{"model":"m","key":"k","answer":"a","by":"ada"}`, ""},
		"no such answer": {"a.jsonl", "\n", ""},
	} {
		file := filepath.Join(t.TempDir(), tt.file)
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		words, err := offline.ReadAnswers(file)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		if name == "formulas" && words["m"]["=k|a"] != "because" {
			t.Errorf("%s: got %v", name, words)
		}
	}
	if _, err := offline.ReadAnswers(filepath.Join(t.TempDir(), "gone.csv")); err == nil {
		t.Error("a file that does not exist is read")
	}
}

// The notes of a proposal fold equal changes into one line, and texts of a kind into another.
func TestDecisions(t *testing.T) {
	t.Parallel()
	const sales = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	column := "\n\tcolumn 'Depot %s Key'\n\t\tdataType: int64\n\t\tsummarizeBy: sum\n"
	text := shop[sales]
	for _, name := range []string{"North", "South", "West"} {
		text += strings.ReplaceAll(column, "%s", name)
	}
	p := propose(t, embedded(), files(t, with(shop, sales, text)))[0]
	var b bytes.Buffer
	if err := p.WriteNotes(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4 decisions (--format json lists every change):", "descriptions: 1 object, each a text of its own: Sales[Amount]\n",
		"properties: 4 objects: summarizeBy none (a total of its values has no meaning): Sales[", " and 1 more\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got\n%s, want %q in it", b.String(), want)
		}
	}
}
