package accounts

import _ "embed"

//go:embed accounts.schema.json
var schema []byte

// Schema is the JSON Schema (2020-12) of the accounts file, for editors and for
// checks before the file reaches the service. It takes every file that Parse
// takes, and no other but for rules between members, which it names.
func Schema() []byte { return append([]byte(nil), schema...) }
