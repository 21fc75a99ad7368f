package jsonpart_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition/jsonpart"
	"readiness/test/samples"
)

// tree reads the next value the way encoding/json decodes into any.
func tree(r *jsonpart.Reader) any {
	switch r.Kind() {
	case '{':
		object := map[string]any{}
		for name := range r.Object() {
			object[name] = tree(r)
		}
		return object
	case '[':
		array := []any{}
		for range r.Array() {
			array = append(array, tree(r))
		}
		return array
	case '"':
		text, _ := r.Text()
		return text
	case 't', 'f':
		return r.Bool()
	default:
		var v any
		_ = json.Unmarshal(r.SkipValue(), &v)
		return v
	}
}

func TestAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, `""`, `0`, `-1.5e3`, `true`, `null`,
		" \r\n\t{ \"a\" : [ 1 , { } , [ ] , \"x\" ] , \"b\" : null } \n",
		`{"a":{"b":{"c":[[[1]],{"d":"}]\""}]}},"A":"other case","":"empty name"}`,
		`"\u00e9\ud83d\ude00 \ud800 \"\\\/\b\f\n\r\t"`,
		"\"bytes \xff\xfe that are not UTF-8\"",
		`{"a":1,"a":2}`,
	} {
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		r, err := jsonpart.New("p", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, tree(r)); diff != "" {
			t.Errorf("%q: (-encoding/json +jsonpart)\n%s", text, diff)
		}
		if r.Err() != nil {
			t.Errorf("%q: %v", text, r.Err())
		}
	}
}

func TestSkipsByteOrderMark(t *testing.T) {
	t.Parallel()
	r, err := jsonpart.New("p", []byte("\ufeff\"x\""))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := r.Text(); got != "x" || !ok {
		t.Errorf("got %q, %v", got, ok)
	}
}

func TestSkipsUnreadValues(t *testing.T) {
	t.Parallel()
	r, err := jsonpart.New("p", []byte(`{"skip":{"name":"no","x":[{"name":"no"}]},"name":"yes","list":["a","b","c"],"after":"here"}`))
	if err != nil {
		t.Fatal(err)
	}
	var name, first, after string
	for member := range r.Object() {
		switch member {
		case "name":
			name, _ = r.Text()
		case "list":
			for range r.Array() {
				first, _ = r.Text()
				break
			}
		case "after":
			after, _ = r.Text()
		}
	}
	if name != "yes" || first != "a" || after != "here" {
		t.Errorf("got %q, %q, %q", name, first, after)
	}
}

func TestRefusesMoreThanOneValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text   string
		line, column int
	}{
		{"nothing", "", 1, 1},
		{"a second value", "{}\n{}", 2, 1},
		{"a comment", "{\n  // no\n}", 2, 3},
		{"a trailing comma", "[\n1,\n]", 3, 1},
		{"an open text", "{\"a\":\"b", 1, 7},
		{"a control character", "[\"a\tb\"]", 1, 4},
		{"a bad escape", `["\x"]`, 1, 4},
		{"too deep", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), 1, 10_001},
	} {
		_, err := jsonpart.New("folder/part.json", []byte(c.text))
		e, ok := errors.AsType[*jsonpart.Error](err)
		if !ok {
			t.Errorf("%s: got error %v", c.name, err)
			continue
		}
		if e.File != "folder/part.json" || e.Line != c.line || e.Column != c.column {
			t.Errorf("%s: got %s:%d:%d, want line %d, column %d (%s)", c.name, e.File, e.Line, e.Column, c.line, c.column, e.Message)
		}
	}
	if _, err := jsonpart.New("p", make([]byte, jsonpart.MaxSize+1)); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("one byte more than MaxSize: got %v", err)
	}
	deepest := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	if _, err := jsonpart.New("p", []byte(deepest)); err != nil {
		t.Errorf("10,000 levels: %v", err)
	}
}

func TestErrorNamesFirstMismatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		read       func(*jsonpart.Reader)
		want       string
	}{
		{"text", "\n 5", func(r *jsonpart.Reader) { r.Text() }, "p:2:2: a text is expected here"},
		{"object", "[]", func(r *jsonpart.Reader) {
			for range r.Object() {
				t.Error("a member of an array")
			}
		}, "p:1:1: an object is expected here"},
		{"array", "{}", func(r *jsonpart.Reader) {
			for range r.Array() {
				t.Error("an element of an object")
			}
		}, "p:1:1: an array is expected here"},
		{"bool", `"true"`, func(r *jsonpart.Reader) { r.Bool() }, "p:1:1: true or false is expected here"},
		{"int", `1.5`, func(r *jsonpart.Reader) { r.Int() }, "p:1:1: an integer is expected here"},
		{"int of text", `"1"`, func(r *jsonpart.Reader) { r.Int() }, "p:1:1: an integer is expected here"},
		{"the first of two", "[1,\n2]", func(r *jsonpart.Reader) { r.Texts() }, "p:1:2: a text is expected here"},
	} {
		r, err := jsonpart.New("p", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		c.read(r)
		if r.Err() == nil || r.Err().Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, r.Err(), c.want)
		}
	}
	r, _ := jsonpart.New("p", []byte(`[null,null,null,null,null]`))
	for i := range r.Array() {
		switch i {
		case 0:
			r.Text()
		case 1:
			r.Bool()
		case 2:
			r.Int()
		case 3:
			r.Texts()
		case 4:
			r.Lines()
		}
	}
	if r.Err() != nil {
		t.Errorf("null: %v", r.Err())
	}
}

func TestLinesAreOneText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"one"`: "one", `["a","","b"]`: "a\n\nb", `[]`: "", `null`: "",
	} {
		r, err := jsonpart.New("p", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Lines(); got != want || r.Err() != nil {
			t.Errorf("%s: got %q, %v", text, got, r.Err())
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	r, err := jsonpart.New("p", []byte("[\n1,\n\n{\"a\":\n2}]"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for range r.Array() {
		lines = append(lines, r.Line())
		if r.Kind() == '{' {
			for range r.Object() {
				lines = append(lines, r.Line())
			}
		}
	}
	if diff := cmp.Diff([]int{2, 4, 5}, lines); diff != "" {
		t.Error(diff)
	}
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"x",{"b":null}],"c":true}`, "[\"\\ud83d\\ude00\",-0.1e+5]", "\ufeff{}", "[1,]", `"`} {
		f.Add([]byte(seed))
	}
	for _, text := range samples.Texts(f, samples.Ending(".json", ".bim")) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want any
		wantErr := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &want)
		r, err := jsonpart.New("p", data)
		if (err != nil) != (wantErr != nil) {
			if strings.Contains(wantErr.Error(), "cannot unmarshal number") {
				return // a number too large for a float64 is still JSON
			}
			t.Fatalf("got %v, encoding/json says %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(want, tree(r)); diff != "" {
			t.Errorf("(-encoding/json +jsonpart)\n%s", diff)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	text := []byte(`{"Entities":{` + strings.Repeat(`"x":{"Definition":{"Binding":{"ConceptualEntity":"T"}},"Terms":[{"word":{"State":"Generated","Weight":0.97}}]},`, 20_000) + `"y":{}}}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r, err := jsonpart.New("p", text)
		if err != nil {
			b.Fatal(err)
		}
		for range r.Object() {
			for range r.Object() {
				for range r.Object() {
				}
			}
		}
	}
}
