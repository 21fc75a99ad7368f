package client

// The generator's words about the package give way to those in service.go. What was generated from is remembered, so that a test
// sees when it was not generated again.

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0 -config generate.yaml ../http/openapi.yaml
//go:generate sh -c "awk 'NR > 2 { print } NR == 3 { print \"\" }' api.gen.go > api.gen.tmp && mv api.gen.tmp api.gen.go"
//go:generate sh -c "cat ../http/openapi.yaml generate.yaml overlay.yaml | sha256sum | cut -c1-64 > generated.sha256"
