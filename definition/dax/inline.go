package dax

import "strings"

// Functions are user-defined functions: what `DEFINE FUNCTION name = (a, b : type) => body` has after the equals sign, by name in
// lower case.
type Functions map[string]string

// longestInlined is how much Inline adds to an expression, in bytes. Functions that call functions can double it each time.
const longestInlined = 1 << 16

// Inline returns an expression with the body of each function in place of its call, and with arguments in place of parameters.
// What an expression does through a function is then in its text. A call that does not fit its function stays, and so does one
// inside the function's own body. The text is for reading: a name of the function may hide one of the caller.
func (f Functions) Inline(expression string) string {
	i := inlining{f, map[string]bool{}, longestInlined}
	return i.inline(expression)
}

type inlining struct {
	Functions
	within map[string]bool // functions whose bodies are being read
	left   int             // bytes
}

func (in *inlining) inline(expression string) string {
	b := newBlock(expression)
	var out strings.Builder
	end := 0
	for i := 0; i+1 < len(b.tokens); i++ {
		t := b.tokens[i]
		name := strings.ToLower(t.name(expression))
		function, is := in.Functions[name]
		if t.kind != identifier || !is || b.tokens[i+1].kind != opening || b.close[i+1] == len(b.tokens) || in.within[name] {
			continue
		}
		var arguments []string
		for _, a := range b.arguments(i+2, b.close[i+1]) {
			text := ""
			if a[0] < a[1] {
				text = expression[b.tokens[a[0]].start:b.tokens[a[1]-1].end]
			}
			arguments = append(arguments, in.inline(text))
		}
		body, ok := apply(function, arguments)
		if !ok || len(body) > in.left {
			continue
		}
		in.left -= len(body)
		in.within[name] = true
		body = in.inline(body)
		delete(in.within, name)
		out.WriteString(expression[end:t.start])
		out.WriteString("(" + body + "\n)")
		i = b.close[i+1]
		end = b.tokens[i].end
	}
	out.WriteString(expression[end:])
	return out.String()
}

// lazy are the words of a parameter whose argument is evaluated where the body names it. Others are evaluated once, before the body.
var lazy = map[string]bool{"expr": true, "anyref": true, "measureref": true, "columnref": true, "tableref": true, "calendarref": true}

// parameter is a parameter of a function with its argument.
type parameter struct {
	name, argument string
	lazy           bool
}

// parameterOf reads the declaration of a parameter, without its argument, which is the default if there is one.
func parameterOf(declared []token, function string) parameter {
	p := parameter{name: strings.ToLower(declared[0].name(function))}
	for n, t := range declared[1:] {
		if t.is(function, '=') {
			if rest := declared[n+2:]; len(rest) > 0 {
				p.argument = function[rest[0].start:rest[len(rest)-1].end]
			}
			break
		}
		p.lazy = p.lazy || lazy[strings.ToLower(t.name(function))]
	}
	return p
}

// apply returns the body of a function with arguments in place of its lazy parameters, and with variables for the others; false if
// they do not fit.
func apply(function string, arguments []string) (string, bool) {
	b := newBlock(function)
	if len(b.tokens) == 0 || b.tokens[0].kind != opening || b.close[0]+2 >= len(b.tokens) ||
		!b.tokens[b.close[0]+1].is(function, '=') || !b.tokens[b.close[0]+2].is(function, '>') {
		return "", false
	}
	given, order, named := map[string]parameter{}, []string{}, map[string]bool{}
	for _, at := range b.arguments(1, b.close[0]) {
		if at[0] == at[1] {
			continue
		}
		p := parameterOf(b.tokens[at[0]:at[1]], function)
		if n := len(order); n < len(arguments) && arguments[n] != "" {
			p.argument = arguments[n]
		}
		tokens := newBlock(p.argument).tokens
		p.lazy = p.lazy || len(tokens) == 1 && tokens[0].kind == other // a number or text
		for _, t := range tokens {
			if t.kind == identifier {
				named[strings.ToLower(t.name(p.argument))] = true
			}
		}
		given[p.name], order = p, append(order, p.name)
	}
	body := b.tokens[b.close[0]+3:]
	if len(order) < len(arguments) || len(body) == 0 {
		return "", false
	}
	var out strings.Builder
	variables := map[string]string{} // by parameter
	end := body[0].start
	for _, t := range body {
		p, is := given[strings.ToLower(t.name(function))]
		if !is || t.kind != identifier || p.argument == "" {
			continue
		}
		text := "(" + p.argument + ")"
		if !p.lazy {
			for text = t.name(function); named[strings.ToLower(text)]; {
				text += "_"
			}
			variables[p.name] = text
		}
		out.WriteString(function[end:t.start] + text)
		end = t.end
	}
	out.WriteString(function[end:])
	declared := ""
	for _, name := range order {
		if variable := variables[name]; variable != "" {
			declared += "VAR " + variable + " = (" + given[name].argument + ") "
		}
	}
	if declared != "" && !strings.EqualFold(body[0].name(function), "VAR") {
		declared += "RETURN "
	}
	return declared + out.String(), true
}
