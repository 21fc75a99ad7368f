package answerset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"readiness/definition/dataagent"
	"readiness/domain"
	"readiness/domain/verdict"
)

// The diagnostics that a data agent's page writes have no published form. This reads what public readers of them do.

// object is a JSON object of unknown form. Its methods return the zero value for what is absent or of another type.
type object map[string]any

func (o object) text(name string) string { return textOf(o[name]) }

func (o object) object(name string) object {
	m, _ := o[name].(map[string]any)
	return m
}

func (o object) objects(name string) (all []object) {
	list, _ := o[name].([]any)
	for _, one := range list {
		if m, ok := one.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

// unknown counts what is not understood, by what it is.
type unknown map[string]int

func (u unknown) note(f *File) {
	for _, what := range slices.Sorted(maps.Keys(u)) {
		f.note("Not understood, and left out: %s (%d).", what, u[what])
	}
}

// atOnce is how long a run without steps may take, in seconds, so that its answer is taken for one of a cache.
const atOnce = 3

func (f *File) readDiagnostics(data []byte) error {
	f.Kind = Diagnostics
	top, ok := decoded(data).(map[string]any)
	if !ok {
		return errors.New("its diagnostics are no JSON object")
	}
	all, odd := object(top), unknown{}
	for name := range top {
		if !slices.Contains([]string{"artifactId", "artifactName", "workspaceId", "stage", "downloaded_at", "config", "datasources", "thread", "threads",
			"runtime", "version"}, name) {
			odd[fmt.Sprintf("member %q", domain.Excerpt(name))]++
		}
	}
	by := by(all)
	by.Named = by.Who != ""
	by.Who = cmp.Or(by.Who, f.Name)
	threads := all.objects("threads")
	if t := all.object("thread"); t != nil {
		threads = append(threads, t)
	}
	before := len(f.Answers)
	for _, t := range threads {
		f.readThread(t, by, odd)
	}
	odd.note(f)
	if len(f.Answers) == before {
		f.note("No question with an answer was found in it.")
	}
	return nil
}

// by returns who answered.
func by(all object) By {
	config := all.object("config").object("configuration")
	b := By{Stage: all.text("stage"), Runtime: cmp.Or(all.text("runtime"), dataagent.RuntimeOf(config))}
	switch id := all.text("artifactId"); {
	case all.text("artifactName") != "":
		b.Who = "data agent " + all.text("artifactName")
	case id != "":
		b.Who = "data agent " + domain.ExcerptID(id)
	}
	if config != nil || all["datasources"] != nil {
		text, err := json.Marshal([]any{map[string]any(config), all["datasources"]}) // names are sorted
		if err == nil {
			sum := sha256.Sum256(text)
			b.Definition = hex.EncodeToString(sum[:4])
		}
	}
	return b
}

// readThread reads a conversation: each question of the user with the answer that follows it.
func (f *File) readThread(t object, by By, odd unknown) {
	messages, runs := inTime(t.objects("messages")), map[string]object{}
	for _, r := range t.objects("runs") {
		runs[r.text("id")] = r
	}
	steps := map[string][]object{}
	for _, s := range inTime(t.objects("run_steps")) {
		steps[s.text("run_id")] = append(steps[s.text("run_id")], s)
	}
	turn, others := 0, map[string]int{}
	for i := 0; i < len(messages); i++ {
		switch role := messages[i].text("role"); role {
		case "user":
		case "assistant":
			odd["answer without a question"]++
			continue
		default:
			odd[fmt.Sprintf("message of %q", domain.Excerpt(role))]++
			continue
		}
		turn++
		a := Answer{Question: textIn(messages[i]), By: by, Turn: turn, At: timeOf(messages[i]["created_at"])}
		runID := messages[i].text("run_id")
		for ; i+1 < len(messages) && messages[i+1].text("role") == "assistant"; i++ {
			a.Text = cmp.Or(textIn(messages[i+1]), a.Text)
			runID = cmp.Or(messages[i+1].text("run_id"), runID)
		}
		run := runs[runID]
		if run == nil && a.Text == "" { // a run that failed has no message
			run = runAfter(t.objects("runs"), a)
			runID = run.text("id")
		}
		if began, ended := timeOf(run["created_at"]), timeOf(run["completed_at"]); !began.IsZero() && !ended.Before(began) {
			a.Seconds = new(ended.Sub(began).Seconds())
		}
		a.Cached = a.Text != "" && (run == nil || len(steps[runID]) == 0 && a.Seconds != nil && *a.Seconds < atOnce)
		used := a.readSteps(steps[runID], odd)
		if status := run.text("status"); status == "failed" || status == "expired" || status == "cancelled" || a.Text == "" && a.Query == "" {
			a.Failure = &verdict.Failure{Code: cmp.Or(status, "empty"),
				Message: cmp.Or(domain.Excerpt(run.object("last_error").text("message")), "there is no answer")}
		}
		if a.Query == "" && len(used) > 0 {
			for _, kind := range used {
				others[kind]++
			}
			continue
		}
		if blank(a.Question) {
			odd["question without a text"]++
			continue
		}
		if !f.add(a) {
			break
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(others)) {
		f.note("Left out, since another source than a semantic model was asked: %d of %s.", others[kind], domain.Excerpt(kind))
	}
}

// runAfter returns the first run that began at or after a question.
func runAfter(runs []object, a Answer) object {
	for _, r := range inTime(runs) {
		if at := timeOf(r["created_at"]); !a.At.IsZero() && !at.Before(a.At) {
			return r
		}
	}
	return nil
}

// inTime orders objects by when they were created, which not all lists are; as they are if one does not say.
func inTime(all []object) []object {
	if slices.ContainsFunc(all, func(o object) bool { return timeOf(o["created_at"]).IsZero() }) {
		return all
	}
	slices.SortStableFunc(all, func(a, b object) int { return timeOf(a["created_at"]).Compare(timeOf(b["created_at"])) })
	return all
}

// textIn returns the text of a message.
func textIn(message object) string {
	if text := message.text("content"); text != "" {
		return text
	}
	var all []string
	for _, part := range message.objects("content") {
		text := cmp.Or(part.object("text").text("value"), part.text("text"))
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// readSteps reads the query of the answer, which is the last one of the run, and its rows. It returns the kinds of other sources that
// were asked.
func (a *Answer) readSteps(steps []object, odd unknown) (others []string) {
	for _, s := range steps {
		if kind := s.text("type"); kind != "tool_calls" {
			if kind != "message_creation" {
				odd[fmt.Sprintf("step of type %q", domain.Excerpt(kind))]++
			}
			continue
		}
		for _, call := range s.object("step_details").objects("tool_calls") {
			function := call.object("function")
			if function == nil {
				odd["tool call without a function"]++
				continue
			}
			arguments := argumentsOf(function["arguments"], odd)
			output := textOf(function["output"])
			query := queryIn(arguments, output)
			if query != "" {
				if query != a.Query {
					a.Query, a.Rows = query, nil
				}
				if rows := rowsIn(decoded([]byte(output))); rows != nil {
					a.Rows = rows
				}
				continue
			}
			kind := arguments.text("datasource_type")
			if kind != "" && !strings.Contains(strings.ToLower(kind), "semantic") {
				others = append(others, kind)
			}
			name := strings.ToLower(function.text("name"))
			if !slices.ContainsFunc([]string{"nl2code", "execute", "trace", "analyze"}, func(part string) bool { return strings.Contains(name, part) }) {
				odd[fmt.Sprintf("call of %q", domain.Excerpt(name))]++
			}
			if rows := rowsIn(decoded([]byte(output))); rows != nil && a.Query != "" {
				a.Rows = rows
			}
		}
	}
	return others
}

// argumentsOf returns the arguments of a call, which are JSON in a text, sometimes twice.
func argumentsOf(v any, odd unknown) object {
	for range 3 {
		text, ok := v.(string)
		if !ok {
			break
		}
		v = decoded([]byte(text))
	}
	m, ok := v.(map[string]any)
	if !ok {
		odd["call whose arguments are no JSON object"]++
	}
	return m
}

// queryIn returns the DAX query of a call: in its arguments, or in what it answered.
func queryIn(arguments object, output string) string {
	answered, _ := decoded([]byte(output)).(map[string]any)
	for _, text := range []string{arguments.text("code"), arguments.text("query"), object(answered).text("code"), object(answered).text("query"),
		object(answered).text("daxQuery"), output} {
		if text = fenced(text); isQuery(text) && (text != output || strings.HasPrefix(strings.TrimSpace(text), "EVALUATE") ||
			strings.HasPrefix(strings.TrimSpace(text), "DEFINE")) {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// rowsIn returns the rows in what a call answered; nil without any.
func rowsIn(v any) *verdict.ResultSet {
	if m, ok := v.(map[string]any); ok {
		for _, name := range []string{"rows", "data", "value", "result"} {
			if rows := rowsOf(m[name]); rows != nil {
				return rows
			}
		}
		return nil
	}
	return rowsOf(v)
}
