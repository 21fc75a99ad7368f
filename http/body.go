package http

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

	"github.com/agnivade/levenshtein"
	"github.com/getkin/kin-openapi/openapi3"

	"readiness/domain"
)

const (
	maxBody  = 1 << 20 // bytes; decisions 8.19
	maxDepth = 32      // of arrays and objects in a body
	maxShown = 64      // runes of a name from the caller that a message repeats
	maxPath  = 200     // bytes after which the path to a member grows no longer
)

// noBody is what a route without a body accepts: nothing, or an object without members.
var noBody = openapi3.NewObjectSchema().WithoutAdditionalProperties()

// checkBody reads the body of a call and compares it with what the route documents. The body in canonical form, in which 5.0 is
// 5, is left for the handler to decode and returned.
func checkBody(w http.ResponseWriter, r *http.Request, described *openapi3.Operation) (canonical []byte, err error) {
	schema, required := noBody, false
	if b := described.RequestBody; b != nil {
		schema, required = b.Value.Content.Get("application/json").Schema.Value, b.Value.Required
	}
	text, err := readBody(w, r)
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		if required {
			return nil, domain.Refuse(domain.InvalidRequest, "the call needs a JSON body, and there is none; it has the members %s", strings.Join(documented(schema), ", "))
		}
		return nil, nil
	}
	if err := jsonOnly(r.Header); err != nil {
		return nil, err
	}
	value, err := decode(text)
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

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, domain.Refuse(domain.PayloadTooLarge, "the body is larger than %d bytes", maxBody)
	}
	if err != nil {
		return nil, domain.Refuse(domain.InvalidRequest, "the body could not be read to its end; send it again")
	}
	return text, nil
}

// jsonOnly refuses a body that does not say it is JSON, in UTF-8 and not compressed.
func jsonOnly(h http.Header) error {
	kind, parameters, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset, given := parameters["charset"]
	if err == nil && kind == "application/json" && (!given || strings.EqualFold(charset, "utf-8")) && h.Get("Content-Encoding") == "" {
		return nil
	}
	return another{domain.Refuse(domain.InvalidRequest, "a body is sent as it is, in UTF-8, with Content-Type: application/json"), http.StatusUnsupportedMediaType}
}

// decode returns the value of a JSON text that means one thing only: UTF-8, no member twice, nothing after the value.
// Integers are written without fraction and exponent.
func decode(text []byte) (any, error) {
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		return nil, domain.Refuse(domain.InvalidRequest, "the body begins with a byte order mark; send it without")
	}
	if !utf8.Valid(text) {
		return nil, domain.Refuse(domain.InvalidRequest, "the body is not UTF-8")
	}
	// The decoder reads tokens leniently, so the whole is checked first.
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

// integral returns a number without fraction and exponent where it is an integer that floating-point numbers hold exactly: 5.0 and
// 5e0 are 5 in JSON. Any other number stays as it was written.
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

// loneSurrogate returns where a \u escape names half of a character, or -1. text is valid JSON.
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

// isHalf reports whether text begins with the escape of a surrogate of the half whose second digit is among digits.
func isHalf(text []byte, digits string) bool {
	return len(text) >= 6 && text[0] == '\\' && text[1] == 'u' && text[2]|0x20 == 'd' && strings.IndexByte(digits, text[3]|0x20) >= 0
}

// unknownMember refuses the first member, at whatever depth, that schema does not document (spec 4.1), naming the closest
// one it does.
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

// membersOf returns the members that schema documents, whichever of its alternatives they are of.
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

// closed reports whether schema allows no other members than it documents.
func closed(schema *openapi3.Schema) bool {
	if has := schema.AdditionalProperties.Has; has != nil && !*has {
		return true
	}
	for _, parts := range []openapi3.SchemaRefs{schema.AllOf, schema.AnyOf, schema.OneOf} {
		if slices.ContainsFunc(parts, func(part *openapi3.SchemaRef) bool { return closed(part.Value) }) {
			return true
		}
	}
	return false
}

func documented(schema *openapi3.Schema) []string {
	return slices.Sorted(maps.Keys(membersOf(schema)))
}

// closest says which documented member is nearest to name.
func closest(at, name, path string, members map[string]*openapi3.Schema) string {
	if len(members) == 0 {
		if path == "" {
			return "this call takes no body"
		}
		return fmt.Sprintf("%s has no members", path)
	}
	name = strings.ToLower(shown(name))
	best := slices.MinFunc(slices.Sorted(maps.Keys(members)), func(a, b string) int {
		return levenshtein.ComputeDistance(name, strings.ToLower(a)) - levenshtein.ComputeDistance(name, strings.ToLower(b))
	})
	return fmt.Sprintf("the closest documented member is %s", join(path, best))
}

// formats are the string formats that values are held against.
var formats = openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(func(v string) error {
	if _, ok := domain.ParseID(v); !ok {
		return errors.New("not a UUID")
	}
	return nil
}))

// matches holds value against schema; what names it in the refusal.
func matches(value any, schema *openapi3.Schema, what string) error {
	err := schema.VisitJSON(value, openapi3.VisitAsRequest(), openapi3.EnableFormatValidation(), formats)
	if err == nil {
		return nil
	}
	wrong, ok := errors.AsType[*openapi3.SchemaError](err)
	if !ok {
		return domain.Refuse(domain.InvalidRequest, "%s is not as documented", what)
	}
	path := ""
	for _, step := range wrong.JSONPointer() {
		if step != "" && strings.Trim(step, "0123456789") == "" {
			path += "[" + step + "]"
		} else {
			path = join(path, step)
		}
	}
	if path == "" {
		path = what
	}
	if wrong.Schema.Format == "uuid" && wrong.SchemaField == "format" {
		return domain.Refuse(domain.InvalidRequest, "%s is not a UUID", path)
	}
	return domain.Refuse(domain.InvalidRequest, "%s is not as documented: %s", path, wrong.Reason)
}

// join names a member of what path names.
func join(path, name string) string {
	switch {
	case path == "":
		return shown(name)
	case len(path) > maxPath:
		return path
	}
	return path + "." + shown(name)
}

// shown is a name from the caller as messages repeat it.
func shown(name string) string {
	short := []rune(name)
	if len(short) > maxShown {
		return string(short[:maxShown]) + "…"
	}
	return name
}
