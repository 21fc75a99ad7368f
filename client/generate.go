package client

// The first command writes openapi.gen.json, which the second one reads. The awk command removes the generator's package
// comment, because the package is documented in service.go. generated.sha256 is the digest of the generator's inputs; a
// test compares it to detect stale generated code.

//go:generate go run ../http/describe ..
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0 -config generate.yaml ../http/openapi.gen.json
//go:generate sh -c "awk 'NR > 2 { print } NR == 3 { print \"\" }' api.gen.go > api.gen.tmp && mv api.gen.tmp api.gen.go"
//go:generate sh -c "cat ../http/openapi.gen.json generate.yaml calls.tmpl overlay.yaml | sha256sum | cut -c1-64 > generated.sha256"
