package jsonpart_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition/jsonpart"
)

func edit(t testing.TB, src string) *jsonpart.Tree {
	t.Helper()
	tree, err := jsonpart.Edit("f", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestEdit(t *testing.T) {
	t.Parallel()
	object := jsonpart.Object{{Name: "n", Value: "x"}, {Name: "o", Value: jsonpart.Object{}}, {Name: "l", Value: jsonpart.Array{"a", "b"}}}
	for _, c := range []struct {
		name, before string
		do           func(root *jsonpart.Value)
		after        string
	}{
		{"nothing", "\ufeff { \"a\" : [ 1 , 2 ] }\n", func(r *jsonpart.Value) { r.Member("a").Items() }, "\ufeff { \"a\" : [ 1 , 2 ] }\n"},
		{"a value", `{"a": 1, "a": [2]}`, func(r *jsonpart.Value) { r.Member("a").SetText("é<\"\u2028") }, `{"a": 1, "a": "é<\"\u2028"}`},
		{"a member behind others", `{"a":1,"b":2,"c":3}`, func(r *jsonpart.Value) { r.Add("x", "y", "a", "b", "z") }, `{"a":1,"b":2,"x":"y","c":3}`},
		{"a member at the end", "{\r\n  \"a\": 1,\n\t\"b\" : 2 }", func(r *jsonpart.Value) { r.Add("x", "y") }, "{\r\n  \"a\": 1,\n\t\"b\" : 2,\n\t\"x\": \"y\" }"},
		{"a member laid out as the one before", "{\"a\":1, \"b\":2,\n\"c\":3}", func(r *jsonpart.Value) { r.Add("x", "y", "c") }, "{\"a\":1, \"b\":2,\n\"c\":3,\n\"x\":\"y\"}"},
		{"a member behind the only one", "{\r\n  \"a\": 1\r\n}", func(r *jsonpart.Value) { r.Add("x", "y") }, "{\r\n  \"a\": 1,\r\n  \"x\": \"y\"\r\n}"},
		{"a member where commas come first", "{ \"a\": 1\n, \"b\": 2\n}", func(r *jsonpart.Value) { r.Add("x", "y", "a") }, "{ \"a\": 1\n, \"x\": \"y\"\n, \"b\": 2\n}"},
		{"an object in lines", "{\n\t\"a\": []\n}", func(r *jsonpart.Value) { r.Member("a").Append(object) }, "{\n\t\"a\": [\n\t\t{\n\t\t\t\"n\": \"x\",\n\t\t\t\"o\": {},\n\t\t\t\"l\": [\n\t\t\t\t\"a\",\n\t\t\t\t\"b\"\n\t\t\t]\n\t\t}\n\t]\n}"},
		{"an object in a line", `{"a": [ ], "b": 1}`, func(r *jsonpart.Value) { r.Member("a").Append(object) }, `{"a": [{"n": "x","o": {},"l": ["a","b"]} ], "b": 1}`},
		{"an object behind another", `[{"a":1}, {"b":2}]`, func(r *jsonpart.Value) { r.Append(object) }, `[{"a":1}, {"b":2}, {"n": "x", "o": {}, "l": ["a", "b"]}]`},
		{"a number", `{"a": 1}`, func(r *jsonpart.Value) { r.Add("x", jsonpart.Literal("-1.50")) }, `{"a": 1,"x": -1.50}`},
		{"an element in line into nothing", "{\n  \"a\": [ ]\n}", func(r *jsonpart.Value) { r.Member("a").AppendInLine(jsonpart.Object{{Name: "b", Value: "c"}}) }, "{\n  \"a\": [{\n      \"b\": \"c\"\n    } ]\n}"},
		{"an element in line behind another", "[\n  1\n]", func(r *jsonpart.Value) { r.AppendInLine("b") }, "[\n  1,\n  \"b\"\n]"},
		{"into nothing", `{}`, func(r *jsonpart.Value) { r.Add("a", "b") }, `{"a": "b"}`},
		{"into nothing in two lines", "{\n}", func(r *jsonpart.Value) { r.Add("a", "b") }, "{\n  \"a\": \"b\"\n}"},
		{"the first taken out", "{\n  \"a\": 1,\n\n  \"b\": 2\n}", func(r *jsonpart.Value) { r.Member("a").Remove() }, "{\n  \"b\": 2\n}"},
		{"one between taken out", "[1, 2 ,\n3]", func(r *jsonpart.Value) { r.Items()[1].Remove() }, "[1 ,\n3]"},
		{"the only one taken out", "[ 1 ]", func(r *jsonpart.Value) { r.Items()[0].Remove() }, "[ ]"},
	} {
		tree := edit(t, c.before)
		c.do(tree.Root)
		if diff := cmp.Diff(c.after, string(tree.Bytes())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if !json.Valid(bytes.TrimPrefix(tree.Bytes(), []byte("\ufeff"))) {
			t.Errorf("%s: not JSON any more", c.name)
		}
	}
	if _, err := jsonpart.Edit("f", []byte("{\n")); err == nil || !strings.HasPrefix(err.Error(), "f:1") {
		t.Errorf("no JSON: got %v", err)
	}
	root := edit(t, `[1]`).Root
	if m := root.Member("a"); m != nil {
		t.Errorf("a member of an array: got %v", m)
	}
	if _, ok := root.Items()[0].Text(); ok || root.Items()[0].Items() != nil {
		t.Error("a number has a text or items")
	}
}

// Adding values and removing them again, in any order, restores the original bytes.
func TestEditRemovesWhatItInserted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gap := rapid.SampledFrom([]string{"", " ", "\n", "\r\n\t", "  \n  "})
		var value func(depth int) string
		value = func(depth int) string {
			kind := rapid.IntRange(0, 3).Draw(t, "kind")
			if depth == 0 || kind == 0 {
				return rapid.SampledFrom([]string{`1`, `"a\"b"`, `null`, `[]`, `{ }`}).Draw(t, "leaf")
			}
			var items []string
			for range rapid.IntRange(0, 3).Draw(t, "items") {
				item := value(depth - 1)
				if kind == 1 {
					item = `"` + rapid.StringMatching(`[a-c\\n]?`).Draw(t, "name") + `"` + gap.Draw(t, "gap") + ":" + gap.Draw(t, "gap") + item
				}
				items = append(items, gap.Draw(t, "gap")+item+gap.Draw(t, "gap"))
			}
			all := strings.Join(items, ",")
			if len(items) == 0 {
				all = gap.Draw(t, "gap")
			}
			if kind == 1 {
				return "{" + all + "}"
			}
			return "[" + all + "]"
		}
		src := strings.ReplaceAll(value(3), `\n"`, `"`)
		if !json.Valid([]byte(src)) {
			return
		}
		tree, err := jsonpart.Edit("f", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		var all []*jsonpart.Value
		var walk func(v *jsonpart.Value)
		walk = func(v *jsonpart.Value) {
			for _, item := range v.Items() {
				walk(item)
			}
			// An empty value takes its layout from its surroundings, so removing an
			// item does not restore it, except for an array that is filled in line.
			if len(v.Items()) > 0 || v.Kind() == '[' {
				all = append(all, v)
			}
		}
		walk(tree.Root)
		if len(all) == 0 {
			return
		}
		var added []*jsonpart.Value
		for range rapid.IntRange(1, 4).Draw(t, "additions") {
			in := rapid.SampledFrom(all).Draw(t, "in")
			content := jsonpart.Object{{Name: "x", Value: jsonpart.Array{"y"}}}
			switch {
			case in.Kind() == '{':
				added = append(added, in.Add("new", content, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "after")))
			case len(in.Items()) == 0 || rapid.Bool().Draw(t, "in line"):
				added = append(added, in.AppendInLine(content))
			default:
				added = append(added, in.Append(content))
			}
		}
		if !json.Valid(tree.Bytes()) {
			t.Fatalf("no JSON any more: %q", tree.Bytes())
		}
		for _, v := range rapid.Permutation(added).Draw(t, "order") {
			v.Remove()
		}
		if got := string(tree.Bytes()); got != src {
			t.Fatalf("got %q, want %q", got, src)
		}
	})
}

func TestSpliceText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, text string
		put                *string
		after              string
		was                *string
	}{
		{"all", `"a"`, "b", nil, `"b"`, nil},
		{"nothing", `"\u0061\/"`, "a/", nil, `"\u0061\/"`, nil},
		{"what is around stays", `"\u0061\/b\/\u0063"`, "a/x/c", nil, `"\u0061\/x\/\u0063"`, nil},
		{"what goes is told", `"a\/\u0062c"`, "ac", nil, `"ac"`, new(`\/\u0062`)},
		{"as it was written", `"ac"`, "a/bc", new(`\/\u0062`), `"a\/\u0062c"`, nil},
		{"not what means something else", `"ac"`, "a/c", new(`\/\u0062`), `"a/c"`, nil},
		{"whole characters", `"é"`, "è", nil, `"è"`, nil},
		{"two halves", `"\ud83d\ude00x"`, "😀y", nil, `"\ud83d\ude00y"`, nil},
		{"half a character", `"\ud83dx\ude00\n"`, "\ufffdy\ufffd\n", nil, `"\ud83dy\ude00\n"`, nil},
		{"bytes that are no UTF-8", "\"\xffa\xff\"", "\ufffdb\ufffd", nil, "\"\xffb\xff\"", nil},
		{"escapes", `"\"\\\b\f"`, "\"\\\b\f\n", nil, `"\"\\\b\f\n"`, nil},
	} {
		tree := edit(t, c.before)
		was := tree.Root.SpliceText(c.text, c.put)
		if diff := cmp.Diff(c.after, string(tree.Bytes())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.was, was); diff != "" {
			t.Errorf("%s, what was there (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestIsPlain(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{`"a\"\né<"`: true, `"\u0061"`: false, `"\/"`: false, "\"\xff\"": false, `1`: false, `null`: false} {
		if got := edit(t, src).Root.IsPlain(); got != want {
			t.Errorf("%q: got %t", src, got)
		}
	}
}
