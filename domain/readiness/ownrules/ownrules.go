// Package ownrules judges models by rules that a team wrote for itself, in the Common Expression Language (CEL). An expression sees a
// model's objects with their documented members, and nothing else. It is checked when it is compiled, and bounded in cost when it runs.
package ownrules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/internal/lists"
	"readiness/internal/nearest"
)

// Definition is a rule as a team writes it.
type Definition struct {
	readiness.OwnRule
	// Scope names what the rule judges, When is the expression that holds for a violation, and Message says what is wrong, with
	// expressions in braces.
	Scope   string `json:"scope"`
	When    string `json:"when"`
	Message string `json:"message"`
}

// Written is what rules files say together. As JSON, an account keeps it.
type Written struct {
	// Name is what the team calls its rules; "" if none has a dimension.
	Name string `json:"name,omitempty"`
	// Changes are those of the regime's rules.
	Changes map[string]readiness.Setting `json:"changes,omitempty"`
	Own     []Definition                 `json:"own,omitempty"`
}

// Regime returns a regime with the changes and the own rules. On problems of own rules there is no regime; the error is about the changes.
func (w Written) Regime(of *readiness.Regime) (*readiness.Regime, []Problem, error) {
	custom, err := of.Customized(w.Changes)
	if err != nil || len(w.Own) == 0 {
		return custom, nil, err
	}
	set, problems := Compile(w.Own, of)
	if problems != nil {
		return nil, problems, nil
	}
	custom, err = custom.WithOwn(w.Name, set)
	return custom, nil, err
}

// Problem is what is wrong with a definition.
type Problem struct {
	// Rule is the index of the definition, Member the member of it.
	Rule   int
	Member string
	// Line and Column are the place in the member's text, from 1; 0 for the member itself.
	Line, Column int
	Message      string
}

// Bounds of a file and of what its expressions may cost, in the units of CEL: about one for each value that is read or compared.
const (
	MaxRules   = 200
	maxText    = 4000 // characters of an expression or message
	maxNodes   = 500
	maxNesting = 3 // of all, exists, filter and map in each other
	maxObject  = 1_000_000
	maxRule    = 20_000_000
	maxRun     = 50_000_000
	maxMessage = 400 // characters of a message with its values
	maxProgram = 1000
)

// Set is rules that can judge. It is safe for concurrent use.
type Set struct{ rules []compiled }

type compiled struct {
	Definition
	scope   finding.ObjectType
	when    expression
	message []piece
}

// expression is a checked expression.
type expression struct {
	text    string
	program cel.Program
	source  *ast.SourceInfo
}

// piece is a text of a message, or an expression in it.
type piece struct {
	text string
	expression
}

// id is the form of a rule's id.
var id = regexp.MustCompile(`^[A-Z][A-Z0-9]{1,9}-[0-9A-Z]{1,40}(?:[-_][0-9A-Z]{1,40}){0,15}$`)

// Compile checks rules. of is the regime that they are added to. On problems there is no set.
func Compile(all []Definition, of *readiness.Regime) (*Set, []Problem) {
	var problems []Problem
	set := &Set{}
	first := map[string]int{}
	for i, d := range all {
		wrong := func(member, format string, args ...any) {
			problems = append(problems, Problem{Rule: i, Member: member, Message: fmt.Sprintf(format, args...)})
		}
		before, twice := first[d.ID]
		switch {
		case !id.MatchString(d.ID):
			wrong("id", "must be a prefix of your own in capitals, a hyphen and a number or word, such as CON-01, not %q", d.ID)
		case twice:
			wrong("id", "%s is also the id of rule %d", d.ID, before+1)
		case isOurs(d.ID, of):
			wrong("id", "%s has a prefix of the rules of %s; choose another", d.ID, of.ID)
		default:
			first[d.ID] = i
		}
		c, more := compile(i, d)
		problems = append(problems, more...)
		set.rules = append(set.rules, c)
	}
	if len(all) > MaxRules {
		problems = append(problems, Problem{Rule: MaxRules, Message: fmt.Sprintf("there are %d rules; at most %d are read", len(all), MaxRules)})
	}
	if problems != nil {
		return nil, problems
	}
	return set, nil
}

// isOurs reports whether an id has a prefix of the regime's rules.
func isOurs(id string, of *readiness.Regime) bool {
	prefix, _, _ := strings.Cut(id, "-")
	return slices.ContainsFunc(of.Rules(), func(r readiness.PublishedRule) bool {
		ours, _, _ := strings.Cut(r.ID, "-")
		return r.Own == nil && ours == prefix
	})
}

// Scopes are what a rule can judge.
func Scopes() []string { return slices.Sorted(maps.Keys(scopes)) }

func compile(i int, d Definition) (c compiled, problems []Problem) {
	c.Definition = d
	var known bool
	if c.scope, known = scopes[d.Scope]; !known {
		return c, []Problem{{Rule: i, Member: "scope", Message: fmt.Sprintf("must be one of %s, not %q", strings.Join(Scopes(), ", "), d.Scope)}}
	}
	env, err := environment(d.Scope)
	if err != nil {
		return c, []Problem{{Rule: i, Message: err.Error()}}
	}
	add := func(member, text string, offset int, at []Problem) {
		for _, p := range at {
			p.Rule, p.Member = i, member
			if p.Line == 1 {
				p.Column += offset
			}
			p.Line += strings.Count(text, "\n")
			problems = append(problems, p)
		}
	}
	var constant bool
	var at []Problem
	if c.when, constant, at = check(env, d.When, types.BoolType); constant && at == nil {
		at = []Problem{{Line: 1, Column: 1, Message: "is the same for every object, so the rule judges nothing; name a member of " + d.Scope}}
	}
	add("when", "", 0, at)
	pieces, fault := split(d.Message)
	if fault != nil {
		add("message", "", 0, []Problem{*fault})
	}
	for _, p := range pieces {
		if !p.isExpression {
			c.message = append(c.message, piece{text: p.text})
			continue
		}
		before := d.Message[:p.at]
		one, _, at := check(env, p.text, nil)
		c.message = append(c.message, piece{expression: one})
		add("message", before, len([]rune(before[strings.LastIndexByte(before, '\n')+1:])), at)
	}
	return c, problems
}

// environment is what the expressions of a scope may name.
func environment(scope string) (*cel.Env, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	options := []cel.EnvOption{
		cel.CustomTypeProvider(provider{registry}), cel.CustomTypeAdapter(registry), cel.Variable("model", byName["Model"].cel),
		cel.ParserExpressionSizeLimit(maxText), cel.ExpressionNodeLimit(maxNodes), cel.RegexProgramSizeLimit(maxProgram),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateComprehensionNestingLimit(maxNesting), cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals()),
		ofText("lower", strings.ToLower), ofText("upper", strings.ToUpper), ofText("trim", strings.TrimSpace),
	}
	for _, t := range documented {
		if t.Variable == scope && scope != "model" {
			options = append(options, cel.Variable(scope, t.cel))
		}
	}
	return cel.NewEnv(options...)
}

// Functions are the functions of texts that expressions have besides those of CEL, with what they return.
var Functions = [][2]string{
	{"lower", "the text in lower case"}, {"upper", "the text in upper case"}, {"trim", "the text without white space around it"},
}

// ofText is a function of texts that makes no text longer by much, so that no expression can fill the memory.
func ofText(name string, do func(string) string) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload("string_"+name, []*cel.Type{cel.StringType}, cel.StringType, cel.UnaryBinding(func(v ref.Val) ref.Val {
		return types.String(do(string(v.(types.String))))
	})))
}

// shown are the types whose values a message can show.
var shown = []*types.Type{types.StringType, types.IntType, types.UintType, types.DoubleType, types.BoolType, types.NewListType(types.StringType)}

// check compiles an expression of a type; nil for one that a message can show. constant says that it names no variable.
func check(env *cel.Env, text string, want *types.Type) (e expression, constant bool, problems []Problem) {
	at := func(message string) []Problem { return []Problem{{Line: 1, Column: 1, Message: message}} }
	if strings.TrimSpace(text) == "" {
		return e, false, at("needs an expression")
	}
	checked, issues := env.Compile(text)
	if issues.Err() != nil {
		for _, one := range issues.Errors() {
			problems = append(problems, Problem{Line: max(one.Location.Line(), 1), Column: max(one.Location.Column(), 0) + 1, Message: reworded(one.Message)})
		}
		return e, false, problems[:min(len(problems), 5)]
	}
	out := checked.OutputType()
	switch {
	case want != nil && !want.IsExactType(out):
		return e, false, at(fmt.Sprintf("must be %s, not %s", want, out))
	case want == nil && !slices.ContainsFunc(shown, out.IsExactType):
		return e, false, at(fmt.Sprintf("cannot be shown in a message: it is %s; name a member of it", out))
	}
	native := checked.NativeRep()
	program, err := env.Program(checked, cel.CostLimit(maxObject), cel.CostTracking(nil))
	if err != nil {
		return e, false, at(err.Error())
	}
	constant = true
	ast.PreOrderVisit(native.Expr(), ast.NewExprVisitor(func(one ast.Expr) {
		if one.Kind() == ast.IdentKind && scopes[one.AsIdent()] != "" {
			constant = false
		}
	}))
	return expression{text, program, native.SourceInfo()}, constant, nil
}

var (
	undefined  = regexp.MustCompile(`^undefined field '(.*)'$`)
	undeclared = regexp.MustCompile(`^undeclared reference to '(.*)'`)
)

// reworded says an error of CEL with the closest name that there is.
func reworded(message string) string {
	if m := undefined.FindStringSubmatch(message); m != nil {
		var names []string
		for of := range memberOf {
			names = append(names, of[1])
		}
		slices.Sort(names)
		return fmt.Sprintf("there is no member %q here; the closest of any object is %q", m[1], nearest.Names(m[1], names)[0])
	}
	if m := undeclared.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("there is nothing named %q; a rule sees model, and what its scope names", m[1])
	}
	return message
}

// part is a text of a message, or the text of an expression in it and where it begins.
type part struct {
	text         string
	at           int
	isExpression bool
}

// split splits a message at the expressions in braces; {{ and }} are braces.
func split(message string) (parts []part, fault *Problem) {
	wrong := func(at int, text string) *Problem {
		before := message[:at]
		return &Problem{Line: 1 + strings.Count(before, "\n"), Column: 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:])), Message: text}
	}
	var plain strings.Builder
	for i := 0; i < len(message); i++ {
		switch c := message[i]; {
		case (c == '{' || c == '}') && i+1 < len(message) && message[i+1] == c:
			plain.WriteByte(c)
			i++
		case c == '}':
			return nil, wrong(i, "a } without a {; write }} for a brace")
		case c == '{':
			end := strings.IndexByte(message[i:], '}')
			if end < 0 {
				return nil, wrong(i, "a { without a }; write {{ for a brace")
			}
			parts = append(parts, part{text: plain.String()}, part{message[i+1 : i+end], i + 1, true})
			plain.Reset()
			i += end
		default:
			plain.WriteByte(c)
		}
	}
	if len(message) > maxText {
		return nil, wrong(0, fmt.Sprintf("has %d bytes; at most %d are read", len(message), maxText))
	}
	return append(parts, part{text: plain.String()}), nil
}

// All implements readiness.OwnRules.
func (s *Set) All() []readiness.OwnRule {
	return lists.Map(s.rules, func(c compiled) readiness.OwnRule { return c.OwnRule })
}

// Hash returns the beginning of a hash of what changes scores: the rules in a dimension. It is "" without one.
func (s *Set) Hash() string {
	var text strings.Builder
	for _, c := range s.rules {
		if c.Dimension != "" {
			fmt.Fprintf(&text, "%q %q %q %q %q %g\n", c.ID, c.Definition.Scope, c.When, c.Dimension, c.Severity, c.Weight)
		}
	}
	if text.Len() == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:4])
}
