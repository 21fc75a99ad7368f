package validate

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gorilla/mux"

	"readiness/domain"
)

// Parameters validates the path, query and header parameters of a call against the route's description.
// Undocumented query parameters are ignored.
func Parameters(r *http.Request, described *openapi3.Operation) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return domain.Refuse(domain.InvalidRequest, "the query is not well formed; percent-encode its values")
	}
	for _, ref := range described.Parameters {
		p := ref.Value
		var values []string
		switch p.In {
		case openapi3.ParameterInPath:
			values = []string{mux.Vars(r)[p.Name]}
		case openapi3.ParameterInQuery:
			values = query[p.Name]
		case openapi3.ParameterInHeader:
			values = r.Header.Values(p.Name)
		}
		switch {
		case len(values) == 0 && p.Required:
			return domain.Refuse(domain.InvalidRequest, "%s is missing", p.Name)
		case len(values) == 0:
			continue
		case len(values) > 1:
			return domain.Refuse(domain.InvalidRequest, "%s is given %d times; give it once", p.Name, len(values))
		case !utf8.ValidString(values[0]) || strings.ContainsRune(values[0], 0):
			return domain.Refuse(domain.InvalidRequest, "%s is not valid UTF-8, or contains the character NUL", p.Name)
		}
		if _, ok := domain.ParseID(values[0]); ok && p.Schema.Value.Format == "uuid" { // ids have no other constraint
			continue
		}
		var value any = values[0]
		if p.Schema.Value.Type.Is(openapi3.TypeInteger) {
			n, err := strconv.Atoi(values[0])
			if err != nil {
				return domain.Refuse(domain.InvalidRequest, "%s is not an integer", p.Name)
			}
			value = float64(n)
		}
		if p.Schema.Value.Type.Is(openapi3.TypeBoolean) {
			if values[0] != "true" && values[0] != "false" {
				return domain.Refuse(domain.InvalidRequest, "%s is neither true nor false", p.Name)
			}
			value = values[0] == "true"
		}
		if err := matches(value, p.Schema.Value, p.Name); err != nil {
			return err
		}
	}
	return nil
}
