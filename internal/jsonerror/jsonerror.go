// Package jsonerror explains to people why a JSON text could not be decoded. It
// never names Go types.
package jsonerror

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Explain returns what is wrong with a JSON text that encoding/json refused with
// err, as a sentence without its subject's name. It names the member, what it must
// be and what it is, or the byte at which the text is not valid JSON. Any other
// error is returned unchanged.
func Explain(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		member := wrong.Field
		member = cmp.Or(member, "the value")
		return fmt.Errorf("%s must be %s, not %s (byte %d)", member, kind(wrong.Type), found(wrong.Value), wrong.Offset)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("it is not valid JSON: %w (byte %d)", err, syntax.Offset)
	}
	if unknown, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("the member %s is unknown", unknown)
	}
	return err
}

// kind returns the name of what decodes into the type.
func kind(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64:
		return "an integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}

// found names what encoding/json found: "number 5", "string", "array", "object",
// "bool".
func found(value string) string {
	switch name, literal, _ := strings.Cut(value, " "); {
	case name == "string":
		return "a text"
	case name == "array":
		return "a list"
	case name == "object":
		return "an object"
	case name == "bool":
		return "true or false"
	case literal != "":
		return literal
	}
	return "a " + value
}
