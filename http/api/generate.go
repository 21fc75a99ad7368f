package api

// The first command writes openapi.gen.json, which the second one reads. generated.sha256 is the digest of the second
// one's inputs. A test compares it to detect stale generated code.

//go:generate go run ../../http/describe ../..
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0 -config generate.yaml ../openapi.gen.json
//go:generate sh -c "cat ../openapi.gen.json generate.yaml routes.tmpl objects.tmpl overlay.yaml | sha256sum | cut -c1-64 > generated.sha256"
