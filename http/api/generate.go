package api

// generated.sha256 is the digest of the generator's inputs. A test compares it to detect stale generated code.

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0 -config generate.yaml ../openapi.yaml
//go:generate sh -c "cat ../openapi.yaml generate.yaml overlay.yaml | sha256sum | cut -c1-64 > generated.sha256"
