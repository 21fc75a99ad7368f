package ignore

import (
	"fmt"
	"slices"
	"strings"

	"readiness/definition/textfile"
	"readiness/offline/rulehelp"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// File is the content of an ignore file: entries in a list under the member ignore.
type File struct {
	Path    string
	Entries []Entry
}

// Parse reads the text of the ignore file at path; own are the rules of a team that it may name too. Unknown members and rules,
// and entries without a rule or reason, are
// errors with their line.
func Parse(path string, text []byte, own ...string) (all File, err error) {
	if damage := textfile.Check(text); damage != nil {
		return all, damage.In(path)
	}
	parsed, err := parser.ParseBytes(textfile.Trim(text), 0)
	if err != nil {
		return all, fmt.Errorf("the ignore file %s is not YAML: %w", path, err)
	}
	all.Path = path
	wrong := func(at *token.Position, format string, args ...any) error {
		return fmt.Errorf("%s:%d:%d: %s", path, at.Line, at.Column, fmt.Sprintf(format, args...))
	}
	for _, doc := range parsed.Docs {
		if doc.Body == nil {
			continue
		}
		top, ok := members(doc.Body)
		if !ok {
			return File{}, wrong(doc.Body.GetToken().Position, "must be a mapping with the member ignore")
		}
		for _, m := range top {
			list, isList := m.Value.(*ast.SequenceNode)
			switch {
			case m.Key.String() != "ignore":
				return File{}, wrong(m.Key.GetToken().Position, "unknown member %s; the only one is ignore", m.Key)
			case !isList:
				return File{}, wrong(m.Key.GetToken().Position, "ignore must be a list")
			}
			for _, node := range list.Values {
				one, err := readEntry(node, own, wrong)
				if err != nil {
					return File{}, err
				}
				all.Entries = append(all.Entries, one)
			}
		}
	}
	return all, nil
}

// members returns the members of a mapping. The parser represents a mapping with one member differently.
func members(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

func readEntry(node ast.Node, own []string, wrong func(*token.Position, string, ...any) error) (Entry, error) {
	var one Entry
	all, ok := members(node)
	if !ok || len(all) == 0 {
		return one, wrong(node.GetToken().Position, "must be a mapping with the members rule and reason")
	}
	one.Line = all[0].Key.GetToken().Position.Line
	seen := map[string]bool{}
	for _, m := range all {
		key, at := m.Key.String(), m.Key.GetToken().Position
		var text string
		switch v := m.Value.(type) {
		case *ast.StringNode:
			text = v.Value
		case *ast.LiteralNode:
			text = v.Value.Value
		case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
			text = v.GetToken().Value // a name that looks like another type
		default:
			return one, wrong(at, "%s must be text", key)
		}
		if seen[key] {
			return one, wrong(at, "%s is given twice", key)
		}
		seen[key] = true
		switch key {
		case "rule":
			if one.Rule = text; !knownRule(text, own) {
				return one, wrong(m.Value.GetToken().Position, "%s", rulehelp.Unknown(slices.Concat(ruleIDs, own), text))
			}
		case "reason":
			one.Reason = strings.TrimSpace(text)
		case "model":
			one.Model = &text
		case "table":
			one.Table = &text
		case "object":
			one.Object = &text
		default:
			return one, wrong(at, "unknown member %s; the members are rule, model, table, object and reason", key)
		}
	}
	switch at := all[0].Key.GetToken().Position; {
	case one.Rule == "":
		return one, wrong(at, "the rule is missing; name one such as DSC-01, or %q for every rule", everyRule)
	case one.Reason == "":
		return one, wrong(at, "the reason is missing; explain why this finding is accepted")
	case one.Rule == everyRule && one.Model == nil && one.Table == nil && one.Object == nil:
		return one, wrong(at, "this entry would ignore everything; name a model, a table or an object")
	}
	return one, nil
}
