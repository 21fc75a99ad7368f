package rewrite_test

import (
	"errors"
	"strings"
	"testing"

	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
)

var turnOn = change(rewrite.QnAEnabled, "", "", "true")

// Only the member is written; every other byte stays, and a restore brings back what was
// there.
//
// proves: 2.12/apply/qna
func TestQnAIsTurnedOnInPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"false":                       {"{\n  \"version\": \"4.2\",\n  \"settings\": {\n    \"qnaEnabled\": false\n  }\n}", "{\n  \"version\": \"4.2\",\n  \"settings\": {\n    \"qnaEnabled\": true\n  }\n}"},
		"empty settings":              {"{\n  \"version\": \"4.2\",\n  \"settings\": {}\n}\n", "{\n  \"version\": \"4.2\",\n  \"settings\": {\n    \"qnaEnabled\": true\n  }\n}\n"},
		"settings with a blank":       {`{"settings": { }}`, `{"settings": {"qnaEnabled": true}}`},
		"empty settings over lines":   {"{\n\"settings\": {\n}\n}", "{\n\"settings\": {\n  \"qnaEnabled\": true\n}\n}"},
		"no settings":                 {"{\n\t\"version\": \"4.2\"\n}", "{\n\t\"version\": \"4.2\",\n\t\"settings\": {\n\t\t\"qnaEnabled\": true\n\t}\n}"},
		"no member":                   {"{}", `{"settings": {"qnaEnabled": true}}`},
		"no member, over lines":       {"{\n}", "{\n  \"settings\": {\n    \"qnaEnabled\": true\n  }\n}"},
		"CRLF and a byte order mark":  {"\ufeff{\r\n    \"version\": \"4.2\",\r\n    \"settings\": {}\r\n}\r\n", "\ufeff{\r\n    \"version\": \"4.2\",\r\n    \"settings\": {\r\n        \"qnaEnabled\": true\r\n    }\r\n}\r\n"},
		"mixed line ends":             {"{\r\n  \"version\": \"4.2\",\n  \"settings\": {\r\n    \"a\": 1 ,\n    \"b\": 2\n  } }  ", "{\r\n  \"version\": \"4.2\",\n  \"settings\": {\r\n    \"a\": 1 ,\n    \"b\": 2 ,\n    \"qnaEnabled\": true\n  } }  "},
		"one line":                    {`{"version":"4.2","settings":{"x":1}}`, `{"version":"4.2","settings":{"x":1,"qnaEnabled":true}}`},
		"settings first":              {"{ \"settings\" : { \"qnaEnabled\" : false , \"x\" : 1 }, \"version\" : \"4.2\" }", "{ \"settings\" : { \"qnaEnabled\" : true , \"x\" : 1 }, \"version\" : \"4.2\" }"},
		"settings null":               {`{"settings":null,"version":"4.2"}`, `{"settings":{"qnaEnabled":true},"version":"4.2"}`},
		"settings an array":           {`{"settings":[{"qnaEnabled":false}]}`, `{"settings":{"qnaEnabled":true}}`},
		"settings a text":             {"{\"settings\":\"\xff\"}", `{"settings":{"qnaEnabled":true}}`},
		"null":                        {`{"settings":{"qnaEnabled":null}}`, `{"settings":{"qnaEnabled":true}}`},
		"a text":                      {"{\"settings\":{\"qnaEnabled\":\"tr\xffue\"}}", `{"settings":{"qnaEnabled":true}}`},
		"the last of two settings":    {`{"settings":{"qnaEnabled":true},"settings":{"qnaEnabled":false}}`, `{"settings":{"qnaEnabled":true},"settings":{"qnaEnabled":true}}`},
		"the last of two members":     {`{"settings":{"qnaEnabled":true,"qnaEnabled":false}}`, `{"settings":{"qnaEnabled":true,"qnaEnabled":true}}`},
		"unknown members stay":        {`{"a":"\u00e9\/","settings":{"qnaEnabled":false,"é":[1e5, 1.0]},"z":{}}`, `{"a":"\u00e9\/","settings":{"qnaEnabled":true,"é":[1e5, 1.0]},"z":{}}`},
		"other members in any layout": {"{\"$schema\":\t\"x\",\n\n \"settings\":{ \"qnaEnabled\"\n:\nfalse}}", "{\"$schema\":\t\"x\",\n\n \"settings\":{ \"qnaEnabled\"\n:\ntrue}}"},
		"on already":                  {`{"settings":{"qnaEnabled":true }}`, `{"settings":{"qnaEnabled":true }}`},
	} {
		for _, at := range []string{"definition.pbism", "Definition.PBISM"} {
			d := model("definition/a.tmdl", columnTMDL, at, c.before)
			written, undos := write(t, d, turnOn)
			same(t, with(d, at, c.after), written)
			restored, err := rewrite.Restore(written, undos)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			same(t, d, restored)
		}
	}
}

// A part that is missing or no JSON object is left alone; an apply that writes more is
// refused.
//
// proves: 2.12/preview/qna
func TestQnAIsLeftAloneWhereItCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"no part": "", "no JSON": "{\"settings\": }", "an array": "[]", "two values": "{}{}", "a comment": "{} // x"} {
		d := with(model("definition/a.tmdl", columnTMDL), "definition.pbism", text)
		m, err := semanticmodel.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		if rewrite.Kept(d, m, rewrite.QnAEnabled) == nil {
			t.Errorf("%s: there is a place for it", name)
		}
		values, err := rewrite.Values(d, []rewrite.Target{turnOn.Target})
		if err != nil || values[0].Found {
			t.Errorf("%s: %v, %v", name, values, err)
		}
		if _, _, err := rewrite.Write(d, []rewrite.Change{change(rewrite.Instructions, "", "", "Be brief."), turnOn}); err == nil || !strings.Contains(err.Error(), "no such object") {
			t.Errorf("%s: got %v", name, err)
		}
		if written, _ := write(t, d, change(rewrite.Instructions, "", "", "Be brief.")); text != "" && part(t, written, "definition.pbism") != text {
			t.Errorf("%s: the part was changed to %q", name, part(t, written, "definition.pbism"))
		}
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
	for text, ok := range map[string]bool{"true": true, "false": false, "True": false, "": false} {
		if problem := rewrite.CheckText(rewrite.QnAEnabled, text); (problem == "") != ok {
			t.Errorf("%q: %q", text, problem)
		}
	}
}

// A setting that someone changed since is not restored; what someone added to it
// stays.
//
// proves: 2.12/apply/qna
func TestQnARestoresOnlyWhatItWrote(t *testing.T) {
	t.Parallel()
	const none, empty = `{"version":"4.2"}`, `{"version":"4.2","settings":{}}`
	for name, c := range map[string]struct{ before, now, after string }{
		"turned off since":              {none, `{"version":"4.2","settings":{"qnaEnabled":false}}`, ""},
		"gone since":                    {none, none, ""},
		"no settings since":             {empty, `{"version":"4.2","settings":null}`, ""},
		"no JSON since":                 {none, `{`, ""},
		"another setting":               {none, `{"version":"4.2","settings":{"qnaEnabled":true,"x":1}}`, `{"version":"4.2","settings":{"x":1}}`},
		"another setting in empty ones": {empty, `{"version":"4.2","settings":{"x":1,"qnaEnabled":true}}`, `{"version":"4.2","settings":{"x":1}}`},
		"another version":               {none, `{"version":"5.0","settings":{"qnaEnabled":true}}`, `{"version":"5.0"}`},
		"reformatted":                   {empty, "{\n\t\"version\": \"4.2\",\n\t\"settings\": {\n\t\t\"qnaEnabled\": true\n\t}\n}", "{\n\t\"version\": \"4.2\",\n\t\"settings\": {}\n}"},
	} {
		d := model("definition/a.tmdl", columnTMDL, "definition.pbism", c.before)
		written, undos := write(t, d, turnOn)
		restored, err := rewrite.Restore(with(written, "definition.pbism", c.now), undos)
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
