package offline

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
	"slices"
	"strings"
	"unicode/utf8"

	"readiness/definition/rewrite"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/domain/spreadsheet"
	"readiness/internal/lists"
)

// Words are texts by persons: by the path of a model as it is shown, and by the key of the change in previews. A key that a description and
// a display folder have in common is that of the description, unless only properties are proposed.
type Words map[string]map[string]string

type asking = func(context.Context, proposal.Ask) (proposal.Answer, error)

// byPerson replaces what is proposed for an object by a person's words, if there are any. The words are then checked like every proposal.
func byPerson(ask asking, words map[string]string, kinds []optimization.Kind) asking {
	if len(words) == 0 {
		return ask
	}
	return func(ctx context.Context, a proposal.Ask) (proposal.Answer, error) {
		answer, err := ask(ctx, a)
		if err != nil || !worded(a.Type, kinds) {
			return answer, err
		}
		given := func(o proposal.Object) bool { _, ok := words[optimization.KeyFor(a.Type, o)]; return ok }
		answer.Proposals = slices.DeleteFunc(answer.Proposals, func(p proposal.Proposal) bool { return given(p.Object) })
		answer.Skipped = slices.DeleteFunc(answer.Skipped, func(s proposal.Skip) bool { return given(s.Object) })
		answer.Questions = slices.DeleteFunc(answer.Questions, func(q proposal.Question) bool { return given(q.Object) })
		for _, o := range objectsOf(a) {
			if given(o) {
				answer.Proposals = append([]proposal.Proposal{{Object: o, Value: words[optimization.KeyFor(a.Type, o)], Reason: "a person's words",
					Recommended: true}}, answer.Proposals...)
			}
		}
		return answer, nil
	}
}

// worded reports whether a person's words can be what is proposed of a type, where the kinds are proposed; none stands for all.
func worded(t proposal.Type, kinds []optimization.Kind) bool {
	switch t {
	case proposal.Description, proposal.AIInstructions, proposal.Synonyms:
		return true
	case proposal.DisplayFolder:
		return len(kinds) > 0 && !slices.Contains(kinds, optimization.Descriptions)
	default:
		return false
	}
}

// objectsOf returns the objects that a person's words can be about: those that are asked for, the model, or for synonyms its tables and fields.
func objectsOf(a proposal.Ask) []proposal.Object {
	switch a.Type {
	case proposal.AIInstructions:
		return []proposal.Object{{Type: proposal.Model}}
	case proposal.Synonyms:
		var all []proposal.Object
		for _, t := range a.Model.Tables {
			all = append(all, proposal.Object{Table: t.Name, Type: proposal.Table})
			for _, c := range t.Columns {
				all = append(all, proposal.Object{Table: t.Name, Name: c.Name, Type: proposal.Column})
			}
			for _, m := range t.Measures {
				all = append(all, proposal.Object{Table: t.Name, Name: m.Name, Type: proposal.Measure})
			}
		}
		return all
	default:
		return a.Objects
	}
}

// Unused returns the keys of a person's words that are in no change of a proposal, in order: nothing of the model has the key, the object
// has this text already, or the definition cannot hold it.
func (p Proposal) Unused(words map[string]string) (keys []string) {
	kinds := lists.Map(p.Previews, func(one optimization.Preview) optimization.Kind { return one.Kind })
	used := map[string]bool{}
	for _, one := range p.Previews {
		for _, c := range one.Changes {
			of := c.Type
			if c.Property == rewrite.Synonyms {
				of = proposal.Synonyms
			}
			used[c.Key] = used[c.Key] || worded(of, kinds)
		}
	}
	for key := range words {
		if !used[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// questionRow is a question in a file of questions. A person fills in the answer.
type questionRow struct {
	Model    string `json:"model"`
	Key      string `json:"key"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// columnsOfQuestions are the columns of a CSV file of questions.
var columnsOfQuestions = []string{"model", "key", "question", "answer"}

// inLines reports whether a file of questions holds JSON lines; CSV otherwise.
func inLines(file string) bool { return strings.EqualFold(filepath.Ext(file), ".jsonl") }

// WriteQuestions writes the questions about objects whose description only a person can write to a file that must not exist, for their
// answers, and returns how many there are.
func WriteQuestions(file string, all []Proposal) (n int, err error) {
	var b bytes.Buffer
	table := csv.NewWriter(&b)
	if !inLines(file) {
		_ = table.Write(columnsOfQuestions) // to memory
	}
	for _, p := range all {
		for _, one := range p.Previews {
			if one.Kind != optimization.Descriptions {
				continue
			}
			for _, q := range one.NeedsYourWords {
				n++
				row := questionRow{p.Shown, optimization.KeyOf(proposal.Object{Table: q.Table, Name: q.Object, Type: q.ObjectType}), q.Question, ""}
				if inLines(file) {
					line, _ := json.Marshal(row) //nolint:errchkjson // strings
					b.Write(append(line, '\n'))
					continue
				}
				_ = table.Write([]string{spreadsheet.Guard(row.Model), spreadsheet.Guard(row.Key), spreadsheet.Guard(row.Question), ""})
			}
		}
	}
	table.Flush()
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // as readable as the models
	if errors.Is(err, os.ErrExist) {
		return 0, fmt.Errorf("%s exists, and may hold answers; name another file", filepath.ToSlash(file))
	}
	if err != nil {
		return 0, err
	}
	_, err = b.WriteTo(out)
	return n, errors.Join(err, out.Close())
}

// maxAnswers bounds a file of answers, in bytes.
const maxAnswers = 16 << 20

// ReadAnswers reads the answers of a file that WriteQuestions wrote. Rows without an answer are left out.
func ReadAnswers(file string) (Words, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the person names it
	switch shown := filepath.ToSlash(file); {
	case err != nil:
		return nil, err
	case len(text) > maxAnswers:
		return nil, fmt.Errorf("%s is larger than %d MB", shown, maxAnswers>>20)
	case !utf8.Valid(text):
		return nil, fmt.Errorf("%s is not in UTF-8", shown)
	}
	read := readTable
	if inLines(file) {
		read = readLines
	}
	words := Words{}
	err = read(bytes.TrimPrefix(text, []byte("\ufeff")), func(line int, row questionRow) error {
		answer := strings.TrimSpace(row.Answer)
		if answer == "" {
			return nil
		}
		if row.Model == "" || row.Key == "" {
			return fmt.Errorf("%s:%d: an answer needs the model and the key of its question", filepath.ToSlash(file), line)
		}
		if words[row.Model] == nil {
			words[row.Model] = map[string]string{}
		}
		if _, twice := words[row.Model][row.Key]; twice {
			return fmt.Errorf("%s:%d: %s of %s has two answers", filepath.ToSlash(file), line, row.Key, row.Model)
		}
		words[row.Model][row.Key] = answer
		return nil
	})
	if err != nil && !strings.HasPrefix(err.Error(), filepath.ToSlash(file)) {
		err = fmt.Errorf("%s: %w", filepath.ToSlash(file), err)
	}
	return words, err
}

// readTable reads CSV with commas or, as spreadsheets of some countries write it, semicolons.
func readTable(text []byte, add func(line int, row questionRow) error) error {
	r := csv.NewReader(bytes.NewReader(text))
	header, _, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.ContainsRune(header, ',') {
		r.Comma = ';'
	}
	at := map[string]int{}
	for {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && len(at) > 0:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("it has no columns; expected are %s", strings.Join(columnsOfQuestions, ", "))
		case err != nil:
			return err
		case len(at) == 0:
			for i, name := range cells {
				at[strings.ToLower(strings.TrimSpace(name))] = i + 1
			}
			for _, name := range []string{"model", "key", "answer"} {
				if at[name] == 0 {
					return fmt.Errorf("it has no column %q; expected are %s", name, strings.Join(columnsOfQuestions, ", "))
				}
			}
		default:
			line, _ := r.FieldPos(0)
			if err := add(line, questionRow{Model: spreadsheet.Unguard(cells[at["model"]-1]), Key: spreadsheet.Unguard(cells[at["key"]-1]),
				Answer: cells[at["answer"]-1]}); err != nil {
				return err
			}
		}
	}
}

func readLines(text []byte, add func(line int, row questionRow) error) error {
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var row questionRow
		if err := json.Unmarshal(line, &row); err != nil {
			return fmt.Errorf("line %d is no JSON object with the members %s: %w", i+1, strings.Join(columnsOfQuestions, ", "), err)
		}
		if err := add(i+1, row); err != nil {
			return err
		}
	}
	return nil
}
