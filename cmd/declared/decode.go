package declared

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"readiness/definition/textfile"
	"readiness/domain/account"
	"readiness/internal/nearest"
)

// maxDepth bounds the nesting of a file; valid files need 5 levels.
const maxDepth = 32

// decoder fills plain structs from YAML and records the position of each member. It is stricter than YAML: it rejects
// unknown and repeated members, anchors, tags and multiple documents, and does not guess types.
type decoder struct {
	file      string
	positions map[string]*token.Position
	texts     map[string]ast.Node // the values that are text, by path
	problems  []*Error
}

func decode(file string, src []byte, into any) *decoder {
	d := &decoder{file: file, positions: map[string]*token.Position{}, texts: map[string]ast.Node{}}
	if len(src) > MaxBytes {
		d.report("", fmt.Sprintf("the file has %d bytes; at most %d are read", len(src), MaxBytes))
		return d
	}
	if damage := textfile.Check(src); damage != nil {
		d.problems = append(d.problems, &Error{File: file, Line: damage.Line, Column: damage.Column, Message: damage.Message})
		return d
	}
	tokens := lexer.Tokenize(string(textfile.Trim(src)))
	if at := tooDeep(tokens); at != nil {
		d.add(at.Position, "", fmt.Sprintf("nested more than %d levels deep", maxDepth))
		return d
	}
	parsed, err := parser.Parse(tokens, 0)
	if err != nil {
		d.add(positionOf(err), "", messageOf(err))
		return d
	}
	if len(parsed.Docs) != 1 || parsed.Docs[0].Body == nil {
		d.report("", "must hold one YAML document with the member "+memberNames(reflect.TypeOf(into).Elem())[0])
		return d
	}
	d.value("", parsed.Docs[0].Body, reflect.ValueOf(into).Elem())
	return d
}

// tooDeep returns the first token at which the file nests too deeply, or nil. It runs before the parser, which
// recurses. Block collections nest by indentation, so their depth is bounded by the column.
func tooDeep(tokens token.Tokens) *token.Token {
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		}
		if depth > maxDepth || t.Position.IndentNum > 8*maxDepth || t.Position.Column > 1<<16 {
			return t
		}
	}
	return nil
}

// start returns the position at which node begins. The token of a mapping is its first colon.
func start(node ast.Node) *token.Position {
	if mapping, ok := node.(ast.MapNode); ok {
		if members := mapping.MapRange(); members.Next() {
			return members.Key().GetToken().Position
		}
	}
	return node.GetToken().Position
}

// value decodes node into out, whose type defines what is allowed.
func (d *decoder) value(path string, node ast.Node, out reflect.Value) {
	if _, seen := d.positions[path]; !seen {
		d.positions[path] = start(node)
	}
	if _, null := node.(*ast.NullNode); null {
		return // treated as omitted
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		d.value(path, node, out.Elem())
	case reflect.Struct:
		d.members(path, node, func(key string, value ast.Node) {
			i := slices.Index(memberNames(out.Type()), key)
			if i < 0 {
				d.unknown(path, key, memberNames(out.Type()))
				return
			}
			d.value(join(path, key), value, out.Field(i))
		})
	case reflect.Map:
		out.Set(reflect.MakeMap(out.Type()))
		d.members(path, node, func(key string, value ast.Node) {
			v := reflect.New(out.Type().Elem()).Elem()
			d.value(join(path, key), value, v)
			out.SetMapIndex(reflect.ValueOf(key), v)
		})
	case reflect.Slice:
		list, ok := node.(*ast.SequenceNode)
		if !ok {
			d.mismatch(path, node, "a list")
			return
		}
		out.Set(reflect.MakeSlice(out.Type(), len(list.Values), len(list.Values)))
		for i, element := range list.Values {
			d.value(fmt.Sprintf("%s[%d]", path, i), element, out.Index(i))
		}
	case reflect.String:
		d.text(path, node, out)
	case reflect.Bool:
		n, ok := node.(*ast.BoolNode)
		if !ok {
			d.mismatch(path, node, "true or false")
			return
		}
		out.SetBool(n.Value)
	case reflect.Int:
		d.integer(path, node, out)
	}
}

// text decodes a text of one or more lines into out.
func (d *decoder) text(path string, node ast.Node, out reflect.Value) {
	d.texts[path] = node
	switch n := node.(type) {
	case *ast.StringNode:
		out.SetString(n.Value)
	case *ast.LiteralNode:
		out.SetString(n.Value.Value)
	default:
		d.mismatch(path, node, "text (in quotes, if it looks like something else)")
	}
}

// integer decodes an integer below 2^31 into out.
func (d *decoder) integer(path string, node ast.Node, out reflect.Value) {
	n, ok := node.(*ast.IntegerNode)
	if !ok {
		d.mismatch(path, node, "an integer")
		return
	}
	switch v := n.Value.(type) {
	case uint64:
		if v >= 1<<31 {
			d.mismatch(path, node, "an integer below 2147483648")
			return
		}
		out.SetInt(int64(v))
	case int64:
		out.SetInt(v)
	}
}

// members calls do for each member of the mapping node.
func (d *decoder) members(path string, node ast.Node, do func(key string, value ast.Node)) {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		d.mismatch(path, node, "a mapping of members")
		return
	}
	for members := mapping.MapRange(); members.Next(); {
		key := members.Key().GetToken()
		if _, plain := members.Key().(*ast.StringNode); !plain {
			d.add(key.Position, path, fmt.Sprintf("%q cannot name a member", key.Value))
			continue
		}
		d.positions[join(path, key.Value)] = key.Position
		do(key.Value, members.Value())
	}
}

func (d *decoder) unknown(path, key string, known []string) {
	d.add(d.positions[join(path, key)], join(path, key), "unknown member; "+suggest(key, known))
}

func (d *decoder) mismatch(path string, node ast.Node, want string) {
	got := strings.ToLower(node.Type().String())
	switch node.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		got += ", which this file may not use"
	}
	d.add(start(node), path, fmt.Sprintf("must be %s, not %s", want, got))
}

// reportProblem reports a declaration's problem at the member it names.
func (d *decoder) reportProblem(at string, p account.Problem) {
	message := p.Message
	if p.Value != "" && len(p.Known) > 0 {
		message += "; " + suggest(p.Value, p.Known)
	}
	path := join(at, p.Member)
	if _, key := d.positions[join(path, p.Value)]; p.Value != "" && key {
		path = join(path, p.Value)
	}
	d.report(path, message)
}

// report adds a problem at the member of path. If that member was omitted, it uses the position of the nearest parent.
func (d *decoder) report(path, message string) {
	for at := path; ; at = at[:max(0, strings.LastIndexAny(at, ".["))] {
		if position, ok := d.positions[at]; ok {
			d.add(position, path, message)
			return
		}
		if at == "" {
			d.add(nil, path, message)
			return
		}
	}
}

// reportIn adds a problem at a place in the text of path, by line and column from 1. Of a text that is folded or has escapes, it is the
// beginning of the text.
func (d *decoder) reportIn(path string, line, column int, message string) {
	switch n := d.texts[path].(type) {
	case *ast.LiteralNode:
		if at := n.Start.Position; strings.HasPrefix(n.Start.Value, "|") {
			indent := indentOf(n.Value.GetToken().Origin) - indentOf(n.Value.Value)
			d.add(&token.Position{Line: at.Line + line, Column: indent + column}, path, message)
			return
		}
	case *ast.StringNode:
		at := *n.GetToken().Position
		if line == 1 && strings.Contains(n.GetToken().Origin, n.Value) {
			at.Column += column - 1
			if n.GetToken().Type != token.StringType {
				at.Column++ // the quote
			}
		}
		d.add(&at, path, message)
		return
	}
	d.report(path, message)
}

// indentOf returns the indentation of the first line that is not empty.
func indentOf(text string) int {
	text = strings.TrimLeft(text, "\n")
	return len(text) - len(strings.TrimLeft(text, " "))
}

func (d *decoder) add(at *token.Position, path, message string) {
	e := &Error{File: d.file, Member: path, Message: message}
	if at != nil {
		e.Line, e.Column = at.Line, at.Column
	}
	d.problems = append(d.problems, e)
}

// memberNames returns the YAML names of t's fields, in field order.
func memberNames(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("yaml")
	}
	return names
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// suggest names the known member closest to the written one.
func suggest(written string, known []string) string {
	return fmt.Sprintf("the closest is %q", nearest.Names(written, known)[0])
}

// positionOf returns the position of the YAML parser's syntax error, or nil.
func positionOf(err error) *token.Position {
	if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
		return e.GetToken().Position
	}
	return nil
}

func messageOf(err error) string {
	if e, ok := errors.AsType[yaml.Error](err); ok {
		return e.GetMessage()
	}
	return err.Error()
}
