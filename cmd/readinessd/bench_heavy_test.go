package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/test/testworld"
)

// BenchmarkOthers measures reads of an account while a member of another account makes sixty calls of a heavy route at once, on a model of
// 20,000 fields, or has 498 models assessed. Calls that start work on a large model are not among them: a person has 30 a minute. b.N is the number of reads, ten milliseconds apart. most-MB is the most memory that the process
// had so far (Linux: VmHWM), answered how many of the member's calls got what they asked for meanwhile.
func BenchmarkOthers(b *testing.B) {
	const readers, models = 60, 498
	disk := testworld.Disk{Root: b.TempDir()}
	one, many := uuid.New(), uuid.New()
	disk.Workspace(b, testworld.Workspace{ID: one, Name: "One"})
	disk.Workspace(b, testworld.Workspace{ID: many, Name: "Many"})
	large := uuid.New()
	disk.Item(b, "One", "Large.SemanticModel", "Large", large)
	for i := range 400 {
		disk.Write(b, fields(i, 40, 10), "One", "Large.SemanticModel", "definition", "tables", fmt.Sprintf("T%d.tmdl", i))
	}
	var ids []string
	for i := range models {
		id, folder := uuid.New(), fmt.Sprintf("Model %03d.SemanticModel", i)
		ids = append(ids, id.String())
		disk.Item(b, "Many", folder, fmt.Sprintf("Model %03d", i), id)
		disk.Write(b, fields(i, 20, 10), "Many", folder, "definition", "tables", "T.tmdl")
	}
	s := serveFor(b, disk.Root, 2, readers)
	member := s.tokens[0][0]
	at := fmt.Sprintf("/v1/workspaces/%s/semanticModels/%s/aiReadiness", one, large)
	assessed := s.ends(b, member, at+"/assess", "")
	preview := s.ends(b, member, at+"/descriptions/preview", "")
	questions := s.ends(b, member, at+"/benchmark/questions/generate", `{"count": 50}`)
	saved, err := json.Marshal(map[string]any{"questions": questions.result["value"]})
	testworld.Check(b, err)
	s.ends(b, member, at+"/benchmark/questions/save", string(saved))
	chosen, err := json.Marshal(map[string]any{"previewId": preview.result["previewId"]})
	testworld.Check(b, err)

	type route struct{ name, method, path, body string }
	bulk := "/v1/workspaces/" + many.String() + "/aiReadiness/assess"
	for p, r := range []route{
		{name: "alone"},
		{"view", http.MethodGet, at + "/view", ""},
		{"assessment", http.MethodGet, at + "/assessments/" + fmt.Sprint(assessed.result["assessmentId"]), ""},
		{"result", http.MethodGet, "/v1/operations/" + preview.id + "/result", ""},
		{"questions", http.MethodGet, at + "/benchmark/questions", ""},
		{"score", http.MethodPost, at + "/descriptions/score", string(chosen)},
		{"assess", http.MethodPost, bulk, ""},
	} {
		b.Run(r.name, func(b *testing.B) {
			ctx, stop := context.WithCancel(b.Context())
			var calls sync.WaitGroup
			var mu sync.Mutex
			answered := map[int]int{}
			bodies := slices.Repeat([]string{r.body}, 60)
			switch r.name {
			case "alone":
				bodies = nil
			case "assess":
				bodies = nil
				for some := range slices.Chunk(ids, 100) { // as many as a call may name
					bodies = append(bodies, `{"semanticModelIds": ["`+strings.Join(some, `","`)+`"]}`)
				}
			}
			for _, body := range bodies {
				calls.Go(func() {
					for ctx.Err() == nil {
						answer, err := s.send(ctx, s.tokens[0][p], r.method, r.path, body)
						if err == nil {
							_, err = io.Copy(io.Discard, answer.Body)
							_ = answer.Body.Close()
						}
						if ctx.Err() != nil {
							return
						}
						if err != nil {
							b.Error(err)
							return
						}
						mu.Lock()
						answered[answer.StatusCode]++
						mu.Unlock()
						if r.name == "assess" {
							return
						}
						if answer.StatusCode == http.StatusTooManyRequests {
							wait(ctx, time.Second)
						}
					}
				})
			}
			reads := []string{"/v1/operations", "/v1/workspaces/" + one.String() + "/semanticModels", at + "/assessments"}
			b.ResetTimer()
			took, began := make([]time.Duration, b.N), time.Now()
			for i := range took {
				wait(b.Context(), time.Until(began.Add(time.Duration(i)*10*time.Millisecond)))
				asked, path := time.Now(), reads[i%len(reads)]
				code, text, err := s.call(b.Context(), s.tokens[1][i%readers], http.MethodGet, path, "")
				if took[i] = time.Since(asked); err != nil || code != http.StatusOK {
					b.Fatalf("%s: got %d %.200s (%v)", path, code, text, err)
				}
			}
			b.StopTimer()
			stop()
			calls.Wait()
			b.Log(r.name, answered)
			slices.Sort(took)
			for name, percent := range map[string]int{"p50-ms": 50, "p99-ms": 99, "most-ms": 100} {
				b.ReportMetric(float64(took[(len(took)-1)*percent/100].Microseconds())/1000, name)
			}
			b.ReportMetric(float64(answered[http.StatusOK]+answered[http.StatusAccepted]), "answered")
			b.ReportMetric(resident(b, s.pid, "VmHWM"), "most-MB")
		})
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// fields returns a table.
func fields(table, columns, measures int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "table 'Orders %d'\n", table)
	for i := range columns {
		fmt.Fprintf(&text, "\n\tcolumn 'Amount %d'\n\t\tdataType: double\n\t\tsummarizeBy: sum\n\t\tsourceColumn: a%d\n", i, i)
	}
	for i := range measures {
		fmt.Fprintf(&text, "\n\tmeasure 'Revenue %d of %d' = SUM('Orders %d'[Amount %d])\n\t\tformatString: #,0\n", i, table, table, i)
	}
	return text.String()
}

// ended is an operation that succeeded.
type ended struct {
	id     string
	result map[string]any
}

// ends starts an operation and waits until it succeeds.
func (s *served) ends(b *testing.B, token, path, body string) (e ended) {
	b.Helper()
	get := func(want int, method, path, body string) (got map[string]any) {
		code, text, err := s.call(b.Context(), token, method, path, body)
		testworld.Check(b, err)
		if code != want {
			b.Fatalf("%s %s: got %d %.500s", method, path, code, text)
		}
		testworld.Check(b, json.Unmarshal(text, &got))
		return got
	}
	e.id = get(http.StatusAccepted, http.MethodPost, path, body)["operationId"].(string)
	for {
		state := get(http.StatusOK, http.MethodGet, "/v1/operations/"+e.id, "")
		switch state["status"] {
		case "Failed":
			testworld.Check(b, errors.New(fmt.Sprint(path, ": ", state)))
		case "Succeeded":
			e.result = get(http.StatusOK, http.MethodGet, "/v1/operations/"+e.id+"/result", "")
			return e
		}
		wait(b.Context(), 50*time.Millisecond)
	}
}
