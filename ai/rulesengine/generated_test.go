package rulesengine_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"readiness/ai/rules"
	"readiness/ai/rulesengine"
	"readiness/domain/benchmark"
	"readiness/test/samples"
)

// Of the questions generated for a model, hardly any is answered wrongly, and most that a person could
// answer from the model are answered.
func TestGeneratedQuestions(t *testing.T) {
	t.Parallel()
	maxWrong := map[string]int{samples.Workspaces(t): 0}
	if corpus, public := samples.Corpus(t); public {
		maxWrong[corpus] = 2
	}
	for root, maxWrong := range maxWrong {
		right, wrong, refused := 0, 0, 0
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			m := modelIn(t, path)
			if m == nil {
				return nil
			}
			queries, err := benchmark.Generate(m, benchmark.Wanted{Year: 2025, Count: 60})
			if err != nil {
				return fs.SkipDir // no questions
			}
			engine := rulesengine.New(catalogOf(m))
			for i, text := range rules.Questions(m, queries, 60) {
				if text == "" {
					continue
				}
				got := engine.Answer(text)
				switch {
				case got.CannotAnswer:
					refused++
				case got.Query == queries[i].DAX():
					right++
				default:
					wrong++
					t.Logf("%q: %s", text, got.Text)
				}
			}
			return fs.SkipDir
		})
		if err != nil || wrong > maxWrong || right < 3*refused {
			t.Errorf("%s: %d right, %d wrong, %d refused: %v", root, right, wrong, refused, err)
		}
	}
}
