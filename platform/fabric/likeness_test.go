package fabric_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/test/recordings"
	"readiness/test/samples"
)

var update = flag.Bool("update", false, "rewrite testdata/recorded_answers.json from the recordings")

// seen is a header, or a member of bodies: in how many answers of a kind it is, and in which forms.
type seen struct {
	In    int      `json:"in"`
	Forms []string `json:"forms"`
}

// answers is what answers of a kind have in common.
type answers struct {
	Answers int              `json:"answers"`
	Headers map[string]*seen `json:"headers"` // in the letter case of the platform
	Members map[string]*seen `json:"members"`
}

// kindsOfAnswers are the calls whose answers are compared. A kind ends in the status or, for a state of an operation, in that.
var kindsOfAnswers = []struct {
	method string
	path   *regexp.Regexp
	kind   string
}{
	{"GET", regexp.MustCompile(`^/v1/workspaces$`), "list of workspaces"},
	{"GET", regexp.MustCompile(`^/v1/workspaces/[^/]+/(items|semanticModels|reports)$`), "list of items"},
	{"GET", regexp.MustCompile(`^/v1/workspaces/[^/]+/(semanticModels|reports)/[^/]+$`), "item"},
	{"POST", regexp.MustCompile(`/getDefinition$`), "read of a definition"},
	{"POST", regexp.MustCompile(`/bulkExportDefinitions$`), "bulk export"},
	{"GET", regexp.MustCompile(`^/v1/operations/[^/]+$`), "operation"},
	{"GET", regexp.MustCompile(`^/v1/operations/[^/]+/result$`), "result"},
}

// kindOf returns the kind of an answer; "" if it is not compared.
func kindOf(method, path string, status int, body []byte) string {
	for _, k := range kindsOfAnswers {
		if k.method != method || !k.path.MatchString(path) {
			continue
		}
		kind := fmt.Sprintf("%s %d", k.kind, status)
		if k.kind == "operation" {
			var state struct{ Status string }
			_ = json.Unmarshal(body, &state)
			kind = "operation " + state.Status
		}
		if k.kind == "result" {
			kind += map[bool]string{true: " of an export"}[bytes.Contains(body, []byte(`"itemDefinitionsIndex"`))]
		}
		return kind
	}
	return ""
}

var (
	anID     = regexp.MustCompile(uuidText)
	aNumber  = regexp.MustCompile(`[0-9]+`)
	aCluster = regexp.MustCompile(`https://[A-Za-z0-9.-]+\.analysis\.windows\.net`)
	aTime    = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]{1,7})?(Z?)$`)
)

// formOf returns a header's value without what differs between two answers of a kind.
func formOf(value string) string {
	value = anID.ReplaceAllString(value, "{id}")
	return aNumber.ReplaceAllString(aCluster.ReplaceAllString(value, "{cluster}"), "9")
}

// differs are the headers that are not compared, with the reason.
var differs = map[string]string{
	"Date":              "the server adds it to every answer",
	"Content-Length":    "the server adds it, or sends the body in chunks",
	"Transfer-Encoding": "as Content-Length",
	"Content-Encoding":  "the platform compresses every body but errors; the emulator none",
}

// add counts an answer.
func (a *answers) add(header map[string][]string, body []byte) {
	a.Answers++
	count := func(in map[string]*seen, name, form string, counted map[string]bool) {
		if in[name] == nil {
			in[name] = &seen{}
		}
		if s := in[name]; !slices.Contains(s.Forms, form) {
			s.Forms = append(s.Forms, form)
			slices.Sort(s.Forms)
		}
		if !counted[name] {
			counted[name] = true
			in[name].In++
		}
	}
	counted := map[string]bool{}
	for name, values := range header {
		if differs[name] == "" {
			count(a.Headers, name, formOf(strings.Join(values, ", ")), counted)
		}
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		value = nil
	}
	counted = map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		form := fmt.Sprintf("%T", v)
		switch v := v.(type) {
		case map[string]any:
			form = "object"
			for name, member := range v {
				walk(path+"."+name, member)
			}
		case []any:
			form = "list"
			for _, element := range v {
				walk(path+"[]", element)
			}
		case string:
			switch m := aTime.FindStringSubmatch(v); {
			case m != nil:
				form = "time" + m[2]
			case anID.FindString(v) == v && v != "":
				form = "id"
			}
		}
		count(a.Members, path, form, counted)
	}
	walk("", value)
}

func addAnswer(all map[string]*answers, method, path string, status int, header map[string][]string, body []byte) {
	kind := kindOf(method, path, status, body)
	if kind == "" {
		return
	}
	if all[kind] == nil {
		all[kind] = &answers{Headers: map[string]*seen{}, Members: map[string]*seen{}}
	}
	all[kind].add(header, body)
}

// recordedAnswers returns what the recordings' answers have, which testdata/recorded_answers.json keeps of public traffic. With
// READINESS_FABRIC_FACTS it checks that file against the recordings, or rewrites it.
func recordedAnswers(t *testing.T) (all map[string]*answers) {
	t.Helper()
	const file = "testdata/recorded_answers.json"
	if facts := os.Getenv("READINESS_FABRIC_FACTS"); facts != "" {
		recorded := map[string]*answers{}
		files, err := recordings.Read(filepath.Join(facts, "recordings"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			for _, e := range f.Exchanges {
				addAnswer(recorded, e.Method, e.URL.Path, e.Status, e.Named, e.Body)
			}
		}
		text, err := json.MarshalIndent(recorded, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, append(text, '\n')) {
			t.Errorf("%s is not what the recordings have, %v; run the test with -update", file, err)
		}
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// emulatedAnswers returns what the emulator's answers have.
func emulatedAnswers(t *testing.T) map[string]*answers {
	t.Helper()
	behind, err := folder.Open(samples.Workspaces(t), folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{now: time.Date(2026, 12, 1, 9, 0, 0, 123456700, time.UTC)}
	s := emulator.New(emulator.Options{Folder: behind, Lasts: time.Second, Now: c.Now, Person: func(string) (emulator.Person, error) {
		return emulator.Person{ID: "ada", Scopes: []string{"Workspace.Read.All", "Item.ReadWrite.All", "Report.Read.All"}}, nil
	}})
	all := map[string]*answers{}
	ask := func(method, path, body string) (map[string][]string, map[string]any) {
		w, r := httptest.NewRecorder(), httptest.NewRequest(method, "https://api.fabric.microsoft.com"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer token")
		s.ServeHTTP(w, r)
		addAnswer(all, method, r.URL.Path, w.Code, w.Header(), w.Body.Bytes())
		var value map[string]any
		_ = json.Unmarshal(w.Body.Bytes(), &value)
		return w.Header(), value
	}
	first := func(list map[string]any) string {
		all, _ := list["value"].([]any)
		if len(all) == 0 {
			t.Fatalf("the emulator answered %v", list)
		}
		return all[0].(map[string]any)["id"].(string)
	}
	_, list := ask("GET", "/v1/workspaces", "")
	list["value"] = slices.DeleteFunc(list["value"].([]any), func(w any) bool { return w.(map[string]any)["type"] != "Workspace" })
	workspace := "/v1/workspaces/" + first(list)
	_, list = ask("GET", workspace+"/semanticModels", "")
	model := workspace + "/semanticModels/" + first(list)
	ask("GET", model, "")
	for path, body := range map[string]string{model + "/getDefinition": "",
		workspace + "/items/bulkExportDefinitions?beta=true": `{"mode":"Selective","items":[{"id":"` + first(list) + `"}]}`} {
		h, _ := ask("POST", path, body)
		operation := "/v1/operations/" + h["x-ms-operation-id"][0]
		ask("GET", operation, "")
		if err := c.Wait(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		ask("GET", operation, "")
		ask("GET", operation+"/result", "")
	}
	return all
}

// The emulator's answers have the headers of recorded answers of their kind, in their letter case and form, and the members of their
// bodies with their types: all that every recorded answer has, and nothing that none has.
func TestEmulatorIsLikeTheRecordings(t *testing.T) {
	t.Parallel()
	recorded, emulated := recordedAnswers(t), emulatedAnswers(t)
	compared := 0
	for _, kind := range slices.Sorted(maps.Keys(recorded)) {
		want, got := recorded[kind], emulated[kind]
		if got == nil {
			t.Errorf("%s: the emulator gave no such answer", kind)
			continue
		}
		for what, pair := range map[string][2]map[string]*seen{"header": {want.Headers, got.Headers}, "member": {want.Members, got.Members}} {
			for name, w := range pair[0] {
				compared++
				g := pair[1][name]
				switch {
				case g == nil && w.In*10 >= want.Answers*9:
					t.Errorf("%s: %s %q is in %d of %d recorded answers and in none of the emulator's", kind, what, name, w.In, want.Answers)
				case g != nil:
					for _, form := range g.Forms {
						if !slices.Contains(w.Forms, form) {
							t.Errorf("%s: %s %q is %q, and recorded as %q", kind, what, name, form, w.Forms)
						}
					}
				}
			}
			for name := range pair[1] {
				if pair[0][name] == nil {
					t.Errorf("%s: %s %q is in no recorded answer", kind, what, name)
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d headers and members were compared", compared)
	}
	t.Logf("%d headers and members of %d kinds of answers", compared, len(recorded))
}
