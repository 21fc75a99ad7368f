// Package validate checks the form of a call against its operation in openapi.yaml: the body, and the parameters in path,
// query and headers. A refusal names the first fault and, for an unknown member, the closest documented one.
package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/benchmark/goldenset"
	"readiness/internal/nearest"
)

const (
	maxBody  = 1 << 20 // bytes (docs/decisions.md 8.19)
	maxDepth = 32      // nesting of arrays and objects in a body
	maxShown = 64      // runes of a caller's name that a message repeats
	maxPath  = 200     // bytes of the path to a member in a message
)

// large is the turn of the body over maxBody that is decoded, which takes several times its size.
var large = make(chan struct{}, 1)

// emptyBody is the schema for routes without a body: nothing, or an object without members.
var emptyBody = openapi3.NewObjectSchema().WithoutAdditionalProperties()

// Body reads the body of a call and validates it against the route's schema. It returns the body in canonical
// form, in which 5.0 is written 5, and makes it the request's body for the handler.
func Body(w http.ResponseWriter, r *http.Request, described *openapi3.Operation) (canonical []byte, err error) {
	schema, required := emptyBody, false
	if b := described.RequestBody; b != nil {
		schema, required = b.Value.Content.Get("application/json").Schema.Value, b.Value.Required
	}
	text, err := readBody(w, r, limit(described))
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		if required {
			return nil, domain.Refuse(domain.InvalidRequest, "the call needs a JSON body, and there is none; it has the members %s",
				strings.Join(documented(schema), ", "))
		}
		return nil, nil
	}
	media, err := uncompressed(r.Header, described)
	if err != nil {
		return nil, err
	}
	if f, ok := goldenset.FormatOfMedia(media); ok {
		if text, err = questionsOf(f, text); err != nil {
			return nil, err
		}
	}
	if len(text) > maxBody {
		select {
		case large <- struct{}{}:
			defer func() { <-large }()
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	value, err := Decode(text)
	if err != nil {
		return nil, err
	}
	if err := unknownMember(value, schema, ""); err != nil {
		return nil, err
	}
	if err := matches(value, schema, "the body"); err != nil {
		return nil, err
	}
	canonical, err = json.Marshal(value)
	r.Body = io.NopCloser(bytes.NewReader(canonical))
	return canonical, err
}

// limit returns how many bytes the body of a call may have.
func limit(described *openapi3.Operation) int64 {
	if described.OperationID == "importBenchmarkRun" { // it holds files
		return answerset.MaxImport
	}
	return maxBody
}

func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, domain.Refuse(domain.PayloadTooLarge, "the body is larger than %d bytes", limit)
	}
	if err != nil {
		return nil, domain.Refuse(domain.InvalidRequest, "the body could not be read to its end; send it again")
	}
	return text, nil
}

// UnsupportedMedia is the refusal of a body whose media type, charset or encoding the route does not take.
type UnsupportedMedia struct{ *domain.Refusal }

// Unwrap returns the refusal, so that errors.As finds it.
func (u UnsupportedMedia) Unwrap() error { return u.Refusal }

// uncompressed returns the media type of a body, one of those that the route takes. It refuses a body unless its headers
// declare it uncompressed and in UTF-8.
func uncompressed(h http.Header, described *openapi3.Operation) (string, error) {
	taken := []string{"application/json"}
	if b := described.RequestBody; b != nil {
		taken = slices.Sorted(maps.Keys(b.Value.Content))
	}
	kind, parameters, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset, given := parameters["charset"]
	if err == nil && slices.Contains(taken, kind) && (!given || strings.EqualFold(charset, "utf-8")) && h.Get("Content-Encoding") == "" {
		return kind, nil
	}
	return "", UnsupportedMedia{domain.Refuse(domain.InvalidRequest, "send the body uncompressed, in UTF-8, with Content-Type: %s",
		strings.Join(taken, ", "))}
}

// questionsOf returns the JSON body that saves the questions of a file.
func questionsOf(f goldenset.Format, file []byte) ([]byte, error) {
	all, err := goldenset.Read(f, file)
	if faults, ok := errors.AsType[*goldenset.Faults](err); ok {
		return nil, faults.Refusal()
	}
	if err != nil {
		return nil, err
	}
	set, err := benchmark.Set{Questions: all, Repeats: benchmark.DefaultRepeats}.Admit()
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"questions": set.Questions})
}

// Decode returns the value of an unambiguous JSON text: valid UTF-8, no duplicate member, nothing after the value.
// Integers are returned without fraction or exponent.
func Decode(text []byte) (any, error) {
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		return nil, domain.Refuse(domain.InvalidRequest, "the body begins with a byte order mark; send it without")
	}
	if !utf8.Valid(text) {
		return nil, domain.Refuse(domain.InvalidRequest, "the body is not UTF-8")
	}
	// The token decoder is lenient, so check the complete text first.
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return nil, notJSON(err)
	}
	if at := loneSurrogate(text); at >= 0 {
		return nil, domain.Refuse(domain.InvalidRequest, "the body has half a character (a lone surrogate) at byte %d", at)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return decodeValue(d, "", 0)
}

func notJSON(err error) error {
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return domain.Refuse(domain.InvalidRequest, "the body is not JSON: %v (byte %d)", err, at.Offset)
	}
	return domain.Refuse(domain.InvalidRequest, "the body is not JSON")
}

func decodeValue(d *json.Decoder, path string, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, notJSON(err)
	}
	if n, isNumber := t.(json.Number); isNumber {
		return integral(n), nil
	}
	open, isDelim := t.(json.Delim)
	if !isDelim {
		return t, nil
	}
	if depth == maxDepth {
		return nil, domain.Refuse(domain.InvalidRequest, "the body is nested deeper than %d levels", maxDepth)
	}
	if open == '[' {
		list := []any{}
		for d.More() {
			v, err := decodeValue(d, fmt.Sprintf("%s[%d]", path, len(list)), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	object := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		name := t.(string)
		at := join(path, name)
		if _, twice := object[name]; twice {
			return nil, domain.Refuse(domain.InvalidRequest, "%s is in the body twice", at)
		}
		if object[name], err = decodeValue(d, at, depth+1); err != nil {
			return nil, err
		}
	}
	_, err = d.Token()
	return object, err
}

// integral removes the fraction and exponent of an integer that float64 represents exactly: in JSON, 5.0 and 5e0
// equal 5. It returns other numbers unchanged.
func integral(n json.Number) json.Number {
	if !strings.ContainsAny(n.String(), ".eE") {
		return n
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return n
	}
	return json.Number(strconv.FormatInt(int64(f), 10))
}

// loneSurrogate returns the index of a \u escape that is half of a surrogate pair, or -1. text must be valid JSON.
func loneSurrogate(text []byte) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		switch {
		case text[i+1] != 'u':
			i++
		case isHalf(text[i:], "89ab"):
			if !isHalf(text[i+6:], "cdef") {
				return i
			}
			i += 11
		case isHalf(text[i:], "cdef"):
			return i
		default:
			i += 5
		}
	}
	return -1
}

// isHalf reports whether text begins with a \u escape of a surrogate. digits are the second hex digits of the wanted
// half.
func isHalf(text []byte, digits string) bool {
	return len(text) >= 6 && text[0] == '\\' && text[1] == 'u' && text[2]|0x20 == 'd' && strings.IndexByte(digits, text[3]|0x20) >= 0
}

// unknownMember refuses the first member, at any depth, that schema does not document. The message names the closest
// documented member.
func unknownMember(value any, schema *openapi3.Schema, path string) error {
	switch value := value.(type) {
	case []any:
		if schema.Items == nil {
			return nil
		}
		for i, v := range value {
			if err := unknownMember(v, schema.Items.Value, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		members := membersOf(schema)
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := join(path, name)
			member, known := members[name]
			if !known && closed(schema) {
				return domain.Refuse(domain.InvalidRequest, "%s is not a member of the body here; %s", at, closest(at, name, path, members))
			}
			if known {
				if err := unknownMember(value[name], member, at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// membersOf returns all members that schema documents, including those of its alternatives.
func membersOf(schema *openapi3.Schema) map[string]*openapi3.Schema {
	members := map[string]*openapi3.Schema{}
	for name, m := range schema.Properties {
		members[name] = m.Value
	}
	for _, parts := range []openapi3.SchemaRefs{schema.AllOf, schema.AnyOf, schema.OneOf} {
		for _, part := range parts {
			maps.Copy(members, membersOf(part.Value))
		}
	}
	return members
}

// closed reports whether schema forbids undocumented members.
func closed(schema *openapi3.Schema) bool {
	if has := schema.AdditionalProperties.Has; has != nil && !*has {
		return true
	}
	return slices.ContainsFunc([]openapi3.SchemaRefs{schema.AllOf, schema.AnyOf, schema.OneOf}, func(parts openapi3.SchemaRefs) bool {
		return slices.ContainsFunc(parts, func(part *openapi3.SchemaRef) bool { return closed(part.Value) })
	})
}

func documented(schema *openapi3.Schema) []string {
	return slices.Sorted(maps.Keys(membersOf(schema)))
}

// closest returns a hint that names the documented member nearest to name.
func closest(at, name, path string, members map[string]*openapi3.Schema) string {
	if len(members) == 0 {
		if path == "" {
			return "this call takes no body"
		}
		return fmt.Sprintf("%s has no members", path)
	}
	best := nearest.Names(name, slices.Sorted(maps.Keys(members)))[0]
	return fmt.Sprintf("the closest documented member is %s", join(path, best))
}

// join returns the path of member name below path. It stops growing after maxPath bytes.
func join(path, name string) string {
	switch {
	case path == "":
		return Truncated(name)
	case len(path) > maxPath:
		return path
	}
	return path + "." + Truncated(name)
}

// Truncated returns name, shortened to maxShown characters, for use in messages.
func Truncated(name string) string { return domain.Shortened(name, maxShown) }
