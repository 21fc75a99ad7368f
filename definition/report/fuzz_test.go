package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/report"
	"readiness/test/samples"
)

// Any parts give either a report or an error with its position, and spaces between
// the tokens do not matter.
func FuzzRead(f *testing.F) {
	f.Add([]byte(byPath), []byte(`{"sections":[{"config":"{\"visibility\":1}","visualContainers":[{"config":"{}"}]}]}`), []byte(`{"From":[{"Name":"s","Entity":"S"}],"Column":{"Expression":{"SourceRef":{"Source":"s"}},"Property":"p"}}`))
	for _, text := range samples.Texts(f, samples.Ending(".pbir")) {
		f.Add(text, []byte("{}"), []byte("{}"))
	}
	for _, text := range samples.Texts(f, func(path string) bool { return strings.Contains(path, ".Report/") && strings.HasSuffix(path, ".json") }) {
		f.Add([]byte(byPath), text, text)
	}
	f.Fuzz(func(t *testing.T, pbir, legacy, visual []byte) {
		part := func(path string, data []byte) definition.Part { return definition.Part{Path: path, Data: data} }
		for _, parts := range [][]definition.Part{
			{part("definition.pbir", pbir), part("report.json", legacy)},
			{
				part("definition.pbir", []byte(byPath)), part("definition/pages/p/page.json", visual), part("definition/pages/p/visuals/v/visual.json", visual),
				part("definition/reportExtensions.json", visual), part("definition/pages/pages.json", visual),
			},
		} {
			r, err := report.Read(definition.New(parts...))
			if err != nil {
				if e, ok := errors.AsType[*jsonpart.Error](err); !ok || e.File == "" || !cmp.Equal(r, report.Report{}) {
					t.Fatalf("got %+v, %v", r, err)
				}
				continue
			}
			if all := r.All().Fields; len(all) != len(slices.Compact(slices.Clone(all))) {
				t.Errorf("a field is there twice: %v", all)
			}
			for i, p := range parts {
				var compact bytes.Buffer
				if err := json.Compact(&compact, bytes.TrimPrefix(p.Data, []byte("\ufeff"))); err != nil {
					t.Fatalf("%s is read, and is no JSON: %v", p.Path, err)
				}
				parts[i].Data = compact.Bytes()
			}
			again, err := report.Read(definition.New(parts...))
			if diff := cmp.Diff(r, again); diff != "" {
				t.Errorf("without spaces: %v (-with +without)\n%s", err, diff)
			}
		}
	})
}
