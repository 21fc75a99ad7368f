package answerer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/ai/rulesengine"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
)

// seen lists a catalog: its fields by table, then the parts that prepare it for AI.
func seen(c rulesengine.Catalog) string {
	var out []string
	words := func(text string, synonyms []string) string {
		for _, part := range []string{"Apple", "Zebra"} {
			if strings.Contains(text, part) {
				synonyms = append(synonyms, part)
			}
		}
		if len(synonyms) == 0 {
			return ""
		}
		return "(" + strings.Join(synonyms, " ") + ")"
	}
	for _, t := range c.Tables {
		name := t.Name
		if t.Dates {
			name += "*"
		}
		var fields []string
		for _, f := range t.Columns {
			key := ""
			if f.Key {
				key = "#"
			}
			fields = append(fields, f.Name+key+words(f.Description, f.Synonyms))
		}
		for _, f := range t.Measures {
			fields = append(fields, f.Name+words(f.Description, f.Synonyms))
		}
		out = append(out, name+words("", t.Synonyms)+": "+strings.Join(fields, ", "))
	}
	if c.Instructions != "" {
		out = append(out, strings.TrimSpace(c.Instructions))
	}
	for _, a := range c.Answers {
		out = append(out, fmt.Sprint(a))
	}
	return strings.Join(out, "\n")
}

// Each kind of AI sees exactly the parts for its kind. Apple and Zebra are before and after the 200th
// character of a description.
func TestWhatEachKindSees(t *testing.T) {
	t.Parallel()
	const (
		prepared = "\n\"Takings\" means [Revenue].\n{[How are we doing?] [{Sales Revenue}]}"
		calendar = "Calendar*: Date#, Year\n"
		exposed  = "Sales: Amount, Margin Hint, Order Date#, Size, Revenue(turnover Apple)"
	)
	agents := func(w *world) {
		w.save("old", aiprovider.Proposals)
		of := w.save("agent", aiprovider.Agent)
		of.Kind, of.WorkspaceID, of.DataAgentID = aiprovider.DataAgent, retail, analyst
	}
	elsewhere := side(verdict.DataAgent, "")
	elsewhere.AnsweredBy.DataAgentWorkspaceID = &retail
	for name, tt := range map[string]struct {
		side  benchmark.Side
		meet  func(*world)
		want  string
		about verdict.Target
	}{
		"PlatformAssistant": {
			side(verdict.PlatformAssistant, ""), nil, calendar + "Customer: City(town), Customer Key#\n" + exposed + prepared, verdict.Target{},
		},
		"DataAgent": {
			side(verdict.DataAgent, ""), nil, calendar + exposed + prepared, verdict.Target{ItemID: &analyst, Stage: "published"},
		},
		"DataAgent in a workspace that is named": {
			elsewhere, nil, calendar + exposed + prepared, verdict.Target{ItemID: &analyst, Stage: "published"},
		},
		"ServiceTestAgent": {
			side(verdict.ServiceTestAgent, ""), agents, "Notes: Draft, Remark\n" + exposed + prepared, verdict.Target{ItemID: &analyst, Stage: "draft", ProviderID: "embedded"},
		},
		"GenericAgent, embedded": {
			side(verdict.GenericAgent, "embedded"), nil,
			calendar + "Customer: City, Customer Key#\nNotes: Remark\nSales: Amount, Batch Code, Order Date#, Size, Old Revenue, Revenue(Apple Zebra)", verdict.Target{ProviderID: "embedded"},
		},
		"GenericAgent, a data agent": {
			side(verdict.GenericAgent, "agent"), agents, calendar + exposed + prepared, verdict.Target{ItemID: &analyst, Stage: "published", ProviderID: "agent"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if tt.meet != nil {
				tt.meet(w)
			}
			got, err := w.Sees(t.Context(), ana, tt.side)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, seen(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			about, ask := w.open(t, tt.side)
			want := tt.about
			want.WorkspaceID, want.SemanticModelID, want.Transport, want.Model = &retail, &shop, "embedded", "answering/8"
			want.ConfigHash, want.SnapshotID = about.ConfigHash, about.SnapshotID
			if diff := cmp.Diff(want, about); diff != "" || !strings.HasPrefix(about.ConfigHash, "sha256:") || !strings.HasPrefix(about.SnapshotID, "sha256:") {
				t.Errorf("about: -want +got\n%s", diff)
			}
			r := reply(t, ask, "What is the revenue?")
			if r.Attempts != 1 || r.Failure != nil || r.Answer.Text == "" || len(w.asked()) != 0 {
				t.Errorf("replied %+v", r)
			}
		})
	}
}

// The hash of the configuration changes exactly when something that the kind sees changes.
func TestConfigHash(t *testing.T) {
	t.Parallel()
	const model = "Retail/Shop.SemanticModel/"
	kinds := []benchmark.Side{side(verdict.PlatformAssistant, ""), side(verdict.DataAgent, ""), side(verdict.ServiceTestAgent, ""), side(verdict.GenericAgent, "embedded"), side(verdict.GenericAgent, "large")}
	for name, tt := range map[string]struct {
		change func(*testing.T, *world)
		want   string // the kinds that see it
	}{
		"nothing": {func(*testing.T, *world) {}, "....."},
		"a description": {func(t *testing.T, w *world) {
			w.change(t, model+"definition/tables/Sales.tmdl", "/// One row", "/// A row")
		}, "xxxxx"},
		"the end of a long one": {func(t *testing.T, w *world) { w.change(t, model+"definition/tables/Sales.tmdl", "Zebra", "Gnu") }, "...xx"},
		"of a table that is not selected": {func(t *testing.T, w *world) {
			w.change(t, model+"definition/tables/Customer.tmdl", "table", "/// People.\ntable")
		}, "x..xx"},
		"of one that the schema hides": {func(t *testing.T, w *world) {
			w.change(t, model+"definition/tables/Notes.tmdl", "table", "/// Words.\ntable")
		}, "..xxx"},
		"an expression": {func(t *testing.T, w *world) {
			w.change(t, model+"definition/tables/Sales.tmdl", "\t\t\tSUM(", "\t\t\tMAX(")
		}, "....x"},
		"a comment in one": {func(t *testing.T, w *world) {
			w.change(t, model+"definition/tables/Sales.tmdl", "\t\t\t// private words", "\t\t\t// more")
		}, "....."},
		"the AI instructions": {func(t *testing.T, w *world) { w.put(t, model+"Copilot/Instructions/instructions.md", "x") }, "xxx.."},
		"the AI data schema":  {func(t *testing.T, w *world) { w.change(t, model+"Copilot/schema.json", "Turnover", "Income") }, "xxx.."},
		"a verified answer":   {func(t *testing.T, w *world) { w.remove(t, model+"Copilot/VerifiedAnswers") }, "xxx.."},
		"the agent's instructions": {func(t *testing.T, w *world) {
			w.change(t, "Retail/Analyst.DataAgent/Files/Config/published/stage_config.json", "Loot", "Booty")
		}, "....."},
		"what the agent selected": {func(t *testing.T, w *world) {
			w.change(t, "Retail/Analyst.DataAgent/Files/Config/published/shop/datasource.json", `"is_selected": false`, `"is_selected": true`)
		}, ".x..."},
		"the language model": {func(_ *testing.T, w *world) { w.saved.all[0].Model = "small" }, "....x"},
		"its key":            {func(_ *testing.T, w *world) { w.saved.all[0].Key = aiprovider.Key{} }, "....."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.save("large")
			var before []string
			for _, k := range kinds {
				about, _ := w.open(t, k)
				before = append(before, about.ConfigHash)
			}
			tt.change(t, w)
			got := ""
			for i, k := range kinds {
				about, _ := w.open(t, k)
				if about.ConfigHash == before[i] {
					got += "."
				} else {
					got += "x"
				}
			}
			if got != tt.want {
				t.Errorf("changed for %s, want %s", got, tt.want)
			}
		})
	}
}

// A side's view is read once, when the side is opened, and again for the next side.
func TestOpenReadsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, ask := w.open(t, side(verdict.DataAgent, ""))
	first := reply(t, ask, "What is the revenue?")
	w.remove(t, "Retail/Shop.SemanticModel")
	outcomes := make(chan string, 20)
	for range cap(outcomes) {
		go func() {
			r, err := ask(t.Context(), "What is the revenue?")
			outcomes <- cmp.Diff(first.Answer, r.Answer) + fmt.Sprint(err)
		}()
	}
	for range cap(outcomes) {
		if got := <-outcomes; got != fmt.Sprint(error(nil)) {
			t.Error(got)
		}
	}
	if len(w.read) != 2 || w.read[0].Type != item.DataAgent || w.read[1].Type != item.SemanticModel {
		t.Errorf("read %v", w.read)
	}
	if _, _, _, err := w.Open(t.Context(), ana, side(verdict.DataAgent, "")); !domain.IsRefused(err, domain.ItemNotFound) {
		t.Errorf("got error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ask(ctx, "What is the revenue?"); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	const agent = "Retail/Analyst.DataAgent/Files/Config/"
	assistant, dataAgent, testAgent := side(verdict.PlatformAssistant, ""), side(verdict.DataAgent, ""), side(verdict.ServiceTestAgent, "")
	generic := func(id string) benchmark.Side { return side(verdict.GenericAgent, id) }
	otherModel := dataAgent
	otherModel.SemanticModelID = uuid.MustParse("bbbbbbbb-0000-0000-0000-000000000002")
	sameElsewhere := dataAgent
	sameElsewhere.WorkspaceID, sameElsewhere.AnsweredBy.DataAgentWorkspaceID = uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000002"), &retail
	hiddenAgent := uuid.MustParse("dddddddd-0000-0000-0000-000000000009") // a side that is a provider does not name a data agent
	noAgent := dataAgent
	noAgent.AnsweredBy.DataAgentID = nil
	nothing := func(*testing.T, *world) {}
	for name, tt := range map[string]struct {
		side benchmark.Side
		meet func(*testing.T, *world)
		code domain.Code
		says string
	}{
		"no such model": {assistant, func(t *testing.T, w *world) { w.remove(t, "Retail/Shop.SemanticModel") }, domain.ItemNotFound, shop.String()},
		"a model that does not parse": {assistant, func(t *testing.T, w *world) {
			w.put(t, "Retail/Shop.SemanticModel/definition/tables/X.tmdl", "table\n")
		}, domain.ItemNotReadable, "X.tmdl:1"},
		"a paused capacity":              {assistant, func(t *testing.T, w *world) { w.change(t, "Retail/workspace.json", "Active", "Paused") }, domain.CapacityPaused, "paused"},
		"no such agent":                  {dataAgent, func(t *testing.T, w *world) { w.remove(t, "Retail/Analyst.DataAgent") }, domain.ItemNotFound, analyst.String()},
		"an agent that is not named":     {noAgent, nothing, domain.ItemNotFound, uuid.Nil.String()},
		"an agent that does not parse":   {dataAgent, func(t *testing.T, w *world) { w.put(t, agent+"draft/stage_config.json", "{") }, domain.ItemNotReadable, "stage_config.json"},
		"an agent that is not published": {dataAgent, func(t *testing.T, w *world) { w.remove(t, agent+"published") }, domain.ItemNotReadable, "not published"},
		"an agent without a draft":       {testAgent, func(t *testing.T, w *world) { w.remove(t, agent+"draft") }, domain.ItemNotReadable, "no draft"},
		"another model":                  {otherModel, nothing, domain.ItemNotReadable, otherModel.SemanticModelID.String() + " is none of the sources"},
		"a model of another workspace":   {sameElsewhere, nothing, domain.ItemNotReadable, "none of the sources"},
		"a source of another kind": {testAgent, func(t *testing.T, w *world) {
			w.change(t, agent+"draft/shop/datasource.json", `"semantic_model"`, `"kusto"`)
		}, domain.ItemNotReadable, "none of the sources"},
		"no such provider": {generic("gone"), nothing, domain.AiProviderNotFound, "gone"},
		"no key": {generic("keyless"), func(_ *testing.T, w *world) {
			of := w.save("keyless")
			of.Kind, of.Key = aiprovider.OpenAI, aiprovider.Key{}
		}, domain.AiCredentialNotFound, "Model keyless"},
		"no address": {generic("lost"), func(_ *testing.T, w *world) { w.save("lost").BaseURL = "nowhere" }, domain.BenchmarkRunFailed, "Model lost"},
		"a provider of an agent that is not there": {generic("agent"), func(_ *testing.T, w *world) {
			of := w.save("agent")
			of.Kind, of.WorkspaceID, of.DataAgentID = aiprovider.DataAgent, retail, hiddenAgent
		}, domain.ItemNotFound, "DataAgent Model agent is not in workspace"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.meet(t, w)
			_, _, ask, err := w.Open(t.Context(), ana, tt.side)
			if !domain.IsRefused(err, tt.code) || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), hiddenAgent.String()) || ask != nil {
				t.Errorf("got error %v, want %s that says %q", err, tt.code, tt.says)
			}
			if len(w.asked()) != 0 {
				t.Errorf("a provider was asked %d times", len(w.asked()))
			}
		})
	}
	if _, _, _, err := newWorld(t).Open(t.Context(), ana, side("Oracle", "")); err == nil {
		t.Error("an unknown kind opened without error")
	} else if _, refused := domain.Refused(err); refused {
		t.Errorf("got %v, want an internal error", err)
	}
}
