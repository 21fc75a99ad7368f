package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"readiness/commands"
)

const root = "../../.."

// all is the catalogue, which takes seconds to read.
var all = sync.OnceValues(func() (*catalogue, error) { return catalogueOf(root) })

// The page and the schema are those that the generator writes.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	c, err := all()
	if err != nil {
		t.Fatal(err)
	}
	files, err := c.files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the source says (error %v); run make generate", name, err)
		}
	}
}

// Every event has a sense, a stream with a known name and a command, and every member and type has a sense.
func TestCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	c, err := all()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.events) != len(commands.Events()) || len(c.events) < 100 {
		t.Errorf("%d events of %d", len(c.events), len(commands.Events()))
	}
	used := map[string]bool{}
	members := func(of string, its []member) {
		for _, m := range its {
			if m.sense == "" {
				t.Errorf("%s: the member %s (%s) has no comment", of, m.json, m.owner)
			}
		}
	}
	for _, e := range c.events {
		used[e.stream] = true
		if e.sense == "" || streams[e.stream].pattern == "" || len(e.commands) == 0 {
			t.Errorf("%s: sense %q, stream %q, commands %v", e.name, e.sense, e.stream, e.commands)
		}
		members(e.name, e.members)
	}
	for name, p := range c.parts {
		if p.sense == "" {
			t.Errorf("the type %s has no comment", name)
		}
		members(name, p.members)
	}
	for stream := range streams {
		if !used[stream] {
			t.Errorf("no event is on a stream %s", stream)
		}
	}
}

// The part about a replay is short, and names only events and members that exist.
func TestReplay(t *testing.T) {
	t.Parallel()
	c, err := all()
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for word := range strings.FieldsSeq(regexp.MustCompile("[|`#*-]+").ReplaceAllString(replay, " ")) {
		if regexp.MustCompile(`\w`).MatchString(word) {
			words++
		}
	}
	if words > 1300 {
		t.Errorf("it has %d words, want at most 1300", words)
	}
	names := map[string]bool{}
	for _, e := range c.events {
		names[e.name] = true
	}
	for _, name := range regexp.MustCompile(`\b(?:account|operation|optimization|allowance)\.[a-z-]+`).FindAllString(replay, -1) {
		if !names[name] {
			t.Errorf("there is no event %s", name)
		}
	}
}

// Every event that is kept as an example, of every version, satisfies the schema, in a line of an export. With a member more, or as another
// type or a later version, it does not.
func TestGoldenEventsSatisfyTheSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, schemaFile))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "commands/testdata/events/*.json"))
	if err != nil || len(files) < len(commands.Events()) {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	versions := map[string]int{}
	for _, typ := range commands.Events() {
		for _, name := range append([]string{typ.Example.EventType()}, typ.Formerly...) {
			versions[name] = typ.SchemaVersion
		}
	}
	for _, file := range files {
		found := regexp.MustCompile(`^(.*)\.v([0-9])\.json$`).FindStringSubmatch(filepath.Base(file))
		data := map[string]any{}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &data)
		}
		if err != nil || found == nil {
			t.Fatalf("%s: %v", file, err)
		}
		version := float64(found[2][0] - '0')
		line := map[string]any{
			"v": 1.0, "position": 1.0, "eventId": "00000000-0000-4000-8000-000000000001", "accountId": "contoso", "stream": "s-1", "version": 1.0,
			"type": found[1], "schemaVersion": version, "data": data, "metadata": map[string]any{}, "recordedAt": "2026-11-21T12:00:00.123456Z",
			"hash": strings.Repeat("0f", 32),
		}
		if err := resolved.Validate(line); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for name, change := range map[string]func(map[string]any){
			"another type":     func(m map[string]any) { m["type"] = "account.nothing" },
			"a later version":  func(m map[string]any) { m["schemaVersion"] = 9.0 },
			"no hash":          func(m map[string]any) { delete(m, "hash") },
			"a further member": func(m map[string]any) { m["more"] = true },
			"data with a further member": func(m map[string]any) {
				data := maps.Clone(data)
				data["more"] = true
				m["data"] = data
			},
		} {
			other := maps.Clone(line)
			change(other)
			if former := int(version) < versions[found[1]]; resolved.Validate(other) == nil && !(former && strings.HasPrefix(name, "data")) {
				t.Errorf("%s: %s satisfies the schema", file, name)
			}
		}
	}
}
