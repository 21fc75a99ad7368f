package rewrite_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"readiness/definition/rewrite"
)

// turnOn is the change that earlier versions made.
var turnOn = change(rewrite.QnAEnabled, "", "", "true")

// writtenQnA is a definition.pbism before and after an earlier version turned Q&A on, and what restores it.
type writtenQnA struct {
	Name          string
	Before, After []byte
	Undo          []rewrite.Undo
}

// allWrittenQnA returns what the last version that turned Q&A on wrote and recorded.
func allWrittenQnA(t *testing.T) (all []writtenQnA) {
	t.Helper()
	f, err := os.Open("testdata/qna_written.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var w writtenQnA
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
	}
	if len(all) != 21 {
		t.Fatalf("%d were read", len(all))
	}
	return all
}

// What an earlier version wrote is restored byte for byte.
//
// proves: decisions/6/qna
func TestQnAIsRestored(t *testing.T) {
	t.Parallel()
	for _, w := range allWrittenQnA(t) {
		for _, at := range []string{"definition.pbism", "Definition.PBISM"} {
			d := model("definition/a.tmdl", columnTMDL, at, string(w.Before))
			restored, err := rewrite.Restore(with(d, at, string(w.After)), w.Undo)
			if err != nil {
				t.Errorf("%s: %v", w.Name, err)
				continue
			}
			same(t, d, restored)
		}
	}
}

// Q&A is not turned on, whatever the model says about it, not even next to another change.
//
// proves: decisions/6/qna
func TestQnAIsNotWritten(t *testing.T) {
	t.Parallel()
	for _, w := range allWrittenQnA(t) {
		d := model("definition/a.tmdl", columnTMDL, "definition.pbism", string(w.Before))
		for _, changes := range [][]rewrite.Change{{turnOn}, {change(rewrite.Instructions, "", "", "Be brief."), turnOn}} {
			if written, _, err := rewrite.Write(d, changes); err == nil {
				t.Errorf("%s: the part is %s", w.Name, part(t, written, "definition.pbism"))
			}
		}
		if written, _ := write(t, d, change(rewrite.Instructions, "", "", "Be brief.")); part(t, written, "definition.pbism") != string(w.Before) {
			t.Errorf("%s: the AI instructions changed the part to %s", w.Name, part(t, written, "definition.pbism"))
		}
	}
	if rewrite.CheckText(rewrite.QnAEnabled, "true") == "" {
		t.Error("its value can be written")
	}
}

func TestQnAValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"settings":{"qnaEnabled":true}}`: "true", `{"settings":{"qnaEnabled":false}}`: "false", `{"settings":{"qnaEnabled":null}}`: "", `{}`: "",
		`{"settings":{"qnaEnabled":"true"}}`: "",
	} {
		d := model("definition/a.tmdl", columnTMDL, "definition.pbism", text)
		values, err := rewrite.Values(d, []rewrite.Target{turnOn.Target, {Property: rewrite.QnAEnabled, Table: "T"}})
		if err != nil || !values[0].Found || values[1].Found || (values[0].Text == nil) != (want == "") || want != "" && *values[0].Text != want {
			t.Errorf("%s: %v, %v", text, values, err)
		}
	}
	for name, text := range map[string]string{"no part": "", "no JSON": "{\"settings\": }", "an array": "[]", "two values": "{}{}", "a comment": "{} // x"} {
		values, err := rewrite.Values(with(model("definition/a.tmdl", columnTMDL), "definition.pbism", text), []rewrite.Target{turnOn.Target})
		if err != nil || values[0].Found {
			t.Errorf("%s: %v, %v", name, values, err)
		}
	}
}

// A setting that someone changed since is not restored; what someone added to it
// stays.
//
// proves: decisions/6/qna
func TestQnARestoresOnlyWhatWasWritten(t *testing.T) {
	t.Parallel()
	undo := func(lines *string) []rewrite.Undo {
		return []rewrite.Undo{{Target: turnOn.Target, Written: "true", Lines: lines, Made: map[string]string{"settings": ""}}}
	}
	none, empty := undo(nil), undo(new("{}"))
	for name, c := range map[string]struct {
		undo       []rewrite.Undo
		now, after string
	}{
		"turned off since":              {none, `{"version":"4.2","settings":{"qnaEnabled":false}}`, ""},
		"gone since":                    {none, `{"version":"4.2"}`, ""},
		"no settings since":             {empty, `{"version":"4.2","settings":null}`, ""},
		"no JSON since":                 {none, `{`, ""},
		"another setting":               {none, `{"version":"4.2","settings":{"qnaEnabled":true,"x":1}}`, `{"version":"4.2","settings":{"x":1}}`},
		"another setting in empty ones": {empty, `{"version":"4.2","settings":{"x":1,"qnaEnabled":true}}`, `{"version":"4.2","settings":{"x":1}}`},
		"another version":               {none, `{"version":"5.0","settings":{"qnaEnabled":true}}`, `{"version":"5.0"}`},
		"reformatted":                   {empty, "{\n\t\"version\": \"4.2\",\n\t\"settings\": {\n\t\t\"qnaEnabled\": true\n\t}\n}", "{\n\t\"version\": \"4.2\",\n\t\"settings\": {}\n}"},
	} {
		restored, err := rewrite.Restore(model("definition/a.tmdl", columnTMDL, "definition.pbism", c.now), c.undo)
		switch {
		case c.after == "" && !errors.Is(err, rewrite.ErrChanged):
			t.Errorf("%s: got %v, want ErrChanged", name, err)
		case c.after != "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.after != "" && part(t, restored, "definition.pbism") != c.after:
			t.Errorf("%s: got %q, want %q", name, part(t, restored, "definition.pbism"), c.after)
		}
	}
}
