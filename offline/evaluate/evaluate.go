// Package evaluate judges the answers that an AI gave to golden questions, all from files: readiness evaluate.
package evaluate

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	daxevaluate "readiness/definition/dax/evaluate"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/benchmark/evaluation"
	"readiness/domain/benchmark/goldenset"
	"readiness/domain/item"
	"readiness/domain/parquet"
	"readiness/domain/spreadsheet"
	"readiness/domain/verdict"
	"readiness/internal/lists"
	"readiness/offline"
	"readiness/platform/folder"
)

// Options says what is evaluated.
type Options struct {
	// Root is the folder that paths in warnings are relative to.
	Root  string
	Model string
	// Questions is a file of golden questions, Answers are those with answers, Baseline is an earlier one; "" for none.
	Questions string
	Answers   []string
	Baseline  string
	// KeepUnrunnable judges the other questions if some cannot be judged, instead of refusing the file.
	KeepUnrunnable bool
	// Program is the version of the program, and Now the day that TODAY() returns.
	Program string
	Now     time.Time
	// Judge asks a language model about answers that nothing else decides; nil for none.
	Judge func(benchmark.Case) (j verdict.Judgement, by verdict.Judge, judged bool)
	// Progress is called with the number of judged answers and the most that there may be; nil for nothing.
	Progress func(done, total int)
}

// Run evaluates. The warnings concern the model's files.
func Run(ctx context.Context, o Options) (*evaluation.Evaluation, []offline.Warning, error) {
	in := evaluation.Input{Program: o.Program}
	j := &evaluation.Judge{Now: o.Now, Ask: o.Judge}
	warnings, err := model(ctx, o, &in.Model, j)
	if err != nil {
		return nil, nil, err
	}
	if in.Set, err = Questions(o.Questions, Check(j, o.KeepUnrunnable)); err != nil {
		return nil, nil, err
	}
	names := map[string]int{}
	for _, file := range o.Answers {
		names[filepath.Base(file)]++
	}
	for _, file := range o.Answers {
		name := filepath.Base(file)
		if names[name] > 1 { // files of one name in several folders are of several answerers
			name = filepath.ToSlash(file)
		}
		f, err := answers(file, name)
		if err != nil {
			return nil, nil, err
		}
		in.Files = append(in.Files, f)
	}
	if o.Baseline != "" {
		if in.Baseline, err = answers(o.Baseline, filepath.Base(o.Baseline)); err != nil {
			return nil, nil, fmt.Errorf("the baseline: %w", err)
		}
	}
	if o.Progress != nil {
		done, total := 0, 0
		for _, f := range append([]*answerset.File{in.Baseline}, in.Files...) {
			if f != nil {
				total += len(f.Answers)
			}
		}
		j.Judged = func() { done++; o.Progress(done, total) }
	}
	e := evaluation.New(in, j)
	return e, warnings, ctx.Err()
}

// Check returns the check of Questions that refuses what a judge cannot judge; nil to keep it.
func Check(j *evaluation.Judge, keep bool) func(benchmark.Question) (why string) {
	if keep {
		return nil
	}
	return j.Unusable
}

// noQuestions says what was expected.
const noQuestions = "it holds no golden questions: name a .csv, .jsonl or .parquet file with the columns question and dax, expectedValue or expectedAnswer"

// Questions reads golden questions: CSV, JSON lines, Parquet, or JSON as the service writes them. It refuses those with which check finds a
// fault; a nil check finds none.
func Questions(file string, check func(benchmark.Question) (why string)) (set benchmark.Set, err error) {
	shown := filepath.ToSlash(file)
	data, err := read(file, goldenset.MaxBytes)
	if err != nil {
		return set, err
	}
	f, ok := goldenset.FormatOf(file)
	if parquet.Is(data) {
		f, ok = goldenset.CSV, true
		if data, err = tableOf(data); err != nil {
			return set, fmt.Errorf("%s: it is a Parquet file, and %w", shown, err)
		}
	}
	if ok {
		set.Questions, err = goldenset.ReadChecked(f, data, check)
	} else {
		var saved struct{ Questions, Value []benchmark.Question }
		if err = json.Unmarshal(data, &saved); err == nil {
			set.Questions = append(saved.Questions, saved.Value...)
			for i, q := range set.Questions {
				if check != nil && check(q) != "" {
					return set, fmt.Errorf("%s: question %d, %s: %s", shown, i+1, domain.Excerpt(q.Text), check(q))
				}
			}
		}
	}
	if faults, ok := errors.AsType[*goldenset.Faults](err); ok {
		var text []string
		for _, one := range faults.All {
			text = append(text, fmt.Sprintf("%s: %s: %s", shown, one.Place(), one.Why))
		}
		if faults.More > 0 {
			text = append(text, fmt.Sprintf("and %d more faults", faults.More))
		}
		return set, errors.New(strings.Join(text, "\n"))
	}
	if err != nil {
		return set, fmt.Errorf("%s: %s: %w", shown, noQuestions, err)
	}
	if len(set.Questions) == 0 {
		return set, fmt.Errorf("%s: %s", shown, noQuestions)
	}
	set.Repeats = benchmark.DefaultRepeats
	if set, err = set.Admit(); err != nil {
		if refusal, refused := domain.Refused(err); refused {
			err = errors.New(refusal.Message)
		}
		return set, fmt.Errorf("%s: %w", shown, err)
	}
	return set, nil
}

// tableOf returns a Parquet file as CSV.
func tableOf(data []byte) ([]byte, error) {
	table, err := parquet.Open(data)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(lists.Map(table.Columns, func(c parquet.Column) string { return c.Name })) // a buffer takes everything
	for record, err := range table.Rows(func(int) bool { return true }) {
		if err != nil {
			return nil, err
		}
		_ = w.Write(lists.Map(record, spreadsheet.Guard))
		if w.Flush(); b.Len() > goldenset.MaxBytes {
			break // refused by its size
		}
	}
	return b.Bytes(), nil
}

// answers reads a file with answers, which reports name so.
func answers(file, name string) (*answerset.File, error) {
	data, err := read(file, answerset.MaxBytes)
	if err != nil {
		return nil, err
	}
	f, err := answerset.Read(name, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.ToSlash(file), err)
	}
	return f, nil
}

// read reads a file of at most so many bytes.
func read(file string, limit int64) ([]byte, error) {
	shown := filepath.ToSlash(file)
	f, err := os.Open(file) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name a file", shown)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", shown, err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s is larger than %d MB, the most that is read", shown, limit>>20)
	}
	return data, nil
}

// model reads the model, and its sample data if it has any.
func model(ctx context.Context, o Options, to *evaluation.Model, j *evaluation.Judge) ([]offline.Warning, error) {
	items, warnings, err := offline.Find(ctx, o.Root, []string{o.Model})
	if err != nil {
		return nil, err
	}
	models := lists.Where(items, func(i offline.Item) bool { return i.Type == item.SemanticModel })
	if len(models) != 1 {
		return nil, fmt.Errorf("%s holds %d semantic models; name the folder of the one that the answers are about", filepath.ToSlash(o.Model),
			len(models))
	}
	of := models[0]
	d, more, err := of.Definition(ctx)
	if err != nil {
		return nil, err
	}
	if j.Model, err = semanticmodel.Read(d); err != nil {
		return nil, fmt.Errorf("%s: %w", of.Shown, err)
	}
	*to = evaluation.Model{Name: of.Name, Hash: d.Hash()}
	without, err := Sampled(ctx, of, j)
	to.SampleData = j.Rows != nil
	return append(append(warnings, more...), without...), err
}

// Sampled lets a judge run queries over the sample data of its model, if there are any. The warnings say why no rows are compared
// although there are.
func Sampled(ctx context.Context, of offline.Item, j *evaluation.Judge) ([]offline.Warning, error) {
	data, err := of.SampleData(ctx, j.Model)
	if domain.IsRefused(err, domain.OperationNotSupportedForItem) {
		return nil, nil
	}
	var sampled *daxevaluate.Model
	if err == nil {
		sampled, err = daxevaluate.New(j.Model, data, daxevaluate.Options{Today: j.Now})
	}
	if err != nil { // queries are still compared by their meaning
		why := err.Error()
		if refusal, refused := domain.Refused(err); refused {
			why = refusal.Message
		}
		return []offline.Warning{{File: of.Shown, Line: 1, Message: "no rows are compared: " + why}}, ctx.Err()
	}
	j.Rows = func(dax string) (*verdict.ResultSet, string) { return rows(ctx, sampled, dax, j.Now) }
	return nil, nil
}

// rows runs a query over sample data, or says why there are no rows.
func rows(ctx context.Context, m *daxevaluate.Model, dax string, today time.Time) (*verdict.ResultSet, string) {
	limited, cancel := context.WithTimeout(ctx, folder.QueryTimeout)
	defer cancel()
	result, err := m.Query(dax, daxevaluate.Options{Today: today, Stop: limited.Err})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Sprintf("there were none within %s", folder.QueryTimeout)
	case err != nil:
		return nil, "over the sample data it is not evaluated: " + err.Error()
	}
	set := verdict.Evaluated(result)
	return &set, ""
}
