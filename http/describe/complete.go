package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// object is a YAML mapping.
type object = map[string]any

// description is an OpenAPI document.
type description struct {
	root   object
	paths  []string // in the order of the file
	routes []route  // of the operations that need a token, set by complete

	codes    []string  // all error codes, in the order of the document
	refusals []refusal // the responses in components that are refusals, in the order of the file
}

// refusal is a response in components with an x-refusal.
type refusal struct {
	name   string
	Status int
	Codes  []string
}

// methods are the methods of operations, in the order of the generated table.
var methods = []string{"get", "post", "put", "patch", "delete"}

func parse(text []byte) (*description, error) {
	d := &description{}
	if err := yaml.Unmarshal(text, &d.root); err != nil {
		return nil, err
	}
	var ordered struct {
		Paths      yaml.MapSlice
		Components struct {
			Responses yaml.MapSlice
			Schemas   struct {
				ErrorCode struct {
					All []string `yaml:"x-extensible-enum"`
				} `yaml:"ErrorCode"`
			}
		}
	}
	if err := yaml.Unmarshal(text, &ordered); err != nil {
		return nil, err
	}
	for _, path := range ordered.Paths {
		d.paths = append(d.paths, path.Key.(string))
	}
	d.codes = ordered.Components.Schemas.ErrorCode.All
	for _, response := range ordered.Components.Responses {
		r := refusal{name: response.Key.(string)}
		of := d.component("responses", r.name)
		value, ok := of["x-refusal"]
		if !ok {
			continue
		}
		delete(of, "x-refusal")
		text, err := json.Marshal(value)
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("response %s: x-refusal: %w", r.name, err)
		}
		d.refusals = append(d.refusals, r)
	}
	return d, nil
}

// component returns a component, nil if there is none with the name.
func (d *description) component(kind, name string) object {
	components, _ := d.root["components"].(object)
	all, _ := components[kind].(object)
	found, _ := all[name].(object)
	return found
}

func ref(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }

// complete adds what follows from the declarations to every operation. The error names everything that is missing.
func (d *description) complete() (err error) {
	paths, _ := d.root["paths"].(object)
	for _, path := range d.paths {
		item, _ := paths[path].(object)
		for _, method := range methods {
			if operation, ok := item[method].(object); ok {
				if wrong := d.operation(method, path, operation); wrong != nil {
					err = errors.Join(err, fmt.Errorf("%s %s: %w", strings.ToUpper(method), path, wrong))
				}
			}
		}
	}
	return err
}

// operation completes an operation and adds it to the routes.
func (d *description) operation(method, path string, operation object) (err error) {
	id, _ := operation["operationId"].(string)
	if id == "" {
		return errors.New("operationId is missing")
	}
	value, ok := operation["x-route"]
	if security, _ := operation["security"].([]any); security != nil && len(security) == 0 {
		if ok {
			return errors.New("it has x-route, and needs no token")
		}
		return nil
	}
	if !ok {
		return errors.New("x-route is missing")
	}
	is, err := declared(method, value)
	delete(operation, "x-route")
	for _, m := range is.members() {
		if m.value != "" {
			operation[m.shown] = m.value
		}
	}
	d.routes = append(d.routes, route{is, strings.ToUpper(method), path, id})
	err = errors.Join(err, d.parameters(path, operation, is))
	return errors.Join(err, d.responses(operation, is))
}

var variable = regexp.MustCompile(`\{(\w+)\}`)

// parameters adds the path's parameters that the operation does not declare, first, and the Idempotency-Key, last.
func (d *description) parameters(path string, operation object, is declaration) (err error) {
	own, _ := operation["parameters"].([]any)
	named := func(name string) func(any) bool {
		return func(p any) bool { return p.(object)["name"] == name }
	}
	var all []any
	for _, v := range variable.FindAllStringSubmatch(path, -1) {
		switch {
		case slices.ContainsFunc(own, named(v[1])):
		case d.component("parameters", v[1]) == nil:
			err = errors.Join(err, fmt.Errorf("the parameter %s is neither declared nor in components", v[1]))
		default:
			all = append(all, ref("parameters", v[1]))
		}
	}
	all = append(all, own...)
	if is.Repeatable {
		all = append(all, ref("parameters", "Idempotency-Key"))
	}
	if len(all) > 0 {
		operation["parameters"] = all
	}
	return err
}

// responses adds the headers of every response to those that the operation declares, and the refusals.
func (d *description) responses(operation object, is declaration) (err error) {
	all, _ := operation["responses"].(object)
	if len(all) == 0 {
		return errors.New("responses has no response to an accepted call")
	}
	for _, r := range all {
		response, _ := r.(object)
		if response["$ref"] != nil {
			continue
		}
		headers, _ := response["headers"].(object)
		if headers == nil {
			headers = object{}
			response["headers"] = headers
		}
		for _, name := range []string{"x-ms-request-id", "Cache-Control", "X-Content-Type-Options", "RateLimit-Policy", "RateLimit"} {
			headers[name] = ref("headers", name)
		}
	}
	codes := is.codes()
	listed, _ := operation["x-error-codes"].([]any)
	for _, code := range listed {
		code, _ := code.(string)
		switch {
		case !slices.Contains(d.codes, code):
			err = errors.Join(err, fmt.Errorf("x-error-codes has %s, which ErrorCode does not list", code))
		case slices.Contains(codes, code):
			err = errors.Join(err, fmt.Errorf("x-error-codes has %s, which follows from x-route or is there twice", code))
		}
		codes = append(codes, code)
	}
	slices.SortFunc(codes, func(a, b string) int { return slices.Index(d.codes, a) - slices.Index(d.codes, b) })
	operation["x-error-codes"] = codes
	// Faults in the form of a call, which have the code InvalidRequest and their own status.
	form := []string{"PayloadTooLarge", "UnsupportedMediaType"}
	if is.Starts && is.Repeatable {
		form = append(form, "KeyReused")
	}
	parameters, _ := operation["parameters"].([]any)
	if slices.ContainsFunc(parameters, func(p any) bool { return p.(object)["name"] == "If-Match" }) {
		form = append(form, "PreconditionFailed")
	}
	for _, code := range codes {
		if !slices.ContainsFunc(d.refusals, func(r refusal) bool { return slices.Contains(r.Codes, code) }) {
			err = errors.Join(err, fmt.Errorf("no x-refusal in components has the code %s", code))
		}
	}
	for _, r := range d.refusals { // of two with the same status, the later one is more exact
		if slices.Contains(form, r.name) || slices.ContainsFunc(r.Codes, func(code string) bool { return slices.Contains(codes, code) }) {
			all[fmt.Sprint(r.Status)] = ref("responses", r.name)
		}
	}
	return err
}

// document returns the completed description.
func (d *description) document() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(d.root)
	return text.Bytes(), err
}
