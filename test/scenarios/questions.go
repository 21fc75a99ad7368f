package scenarios

import (
	"encoding/json"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// questions writes the body of a call that saves the last answer's questions unchanged.
func questions(ts *testscript.TestScript, w *Service, args []string) {
	var answer struct{ Value json.RawMessage }
	ts.Check(json.Unmarshal(w.Last.text, &answer))
	body, err := json.Marshal(map[string]any{"questions": answer.Value, "repeats": 3})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), body, 0o644))
}
