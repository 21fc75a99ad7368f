package declared

import _ "embed"

//go:embed accounts.schema.json
var schema []byte

// Schema returns a copy of the JSON Schema (2020-12) of the accounts file, for editors and for checks before
// deployment. It accepts every file that Parse accepts. It also accepts files that only break rules between members;
// its description lists those rules.
func Schema() []byte { return append([]byte(nil), schema...) }
