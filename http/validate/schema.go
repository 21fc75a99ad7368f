package validate

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"readiness/domain"
)

// formats validates string formats that the library does not check by itself.
var formats = openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(func(v string) error {
	if _, ok := domain.ParseID(v); !ok {
		return errors.New("not a UUID")
	}
	return nil
}))

// matches validates value against schema. what names the value in the refusal.
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
	path = cmp.Or(path, what)
	if wrong.Schema.Format == "uuid" && wrong.SchemaField == "format" {
		return domain.Refuse(domain.InvalidRequest, "%s is not a UUID", path)
	}
	switch wrong.SchemaField {
	case "enum":
		return domain.Refuse(domain.InvalidRequest, "%s is %s; it must be %s", path, shown(wrong.Value), allowed(wrong.Schema))
	case "minItems":
		return domain.Refuse(domain.InvalidRequest, "%s is empty; name at least %d", path, wrong.Schema.MinItems)
	}
	return domain.Refuse(domain.InvalidRequest, "%s is not as documented: %s", path, wrong.Reason)
}

// shown returns a value of a call for a message.
func shown(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(Truncated(text))
	}
	return "no text"
}

// allowed returns the values that a schema allows, as a message names them.
func allowed(schema *openapi3.Schema) string {
	names := make([]string, len(schema.Enum))
	for i, v := range schema.Enum {
		switch v {
		case nil:
			names[i] = "null"
		case "":
			names[i] = "empty"
		default:
			names[i] = fmt.Sprint(v)
		}
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return names[0]
}
