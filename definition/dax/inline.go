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

// apply returns the body of a function with arguments in place of its parameters; false if they do not fit.
func apply(function string, arguments []string) (string, bool) {
	b := newBlock(function)
	if len(b.tokens) == 0 || b.tokens[0].kind != opening || b.close[0]+2 >= len(b.tokens) ||
		!b.tokens[b.close[0]+1].is(function, '=') || !b.tokens[b.close[0]+2].is(function, '>') {
		return "", false
	}
	given, n := map[string]string{}, 0
	for _, p := range b.arguments(1, b.close[0]) {
		if p[0] == p[1] {
			continue
		}
		text := ""
		if n < len(arguments) {
			text = arguments[n]
		}
		given[strings.ToLower(b.tokens[p[0]].name(function))] = text
		n++
	}
	body := b.tokens[b.close[0]+3:]
	if n < len(arguments) || len(body) == 0 {
		return "", false
	}
	var out strings.Builder
	end := body[0].start
	for _, t := range body {
		if text, is := given[strings.ToLower(t.name(function))]; is && t.kind == identifier && text != "" {
			out.WriteString(function[end:t.start] + "(" + text + ")")
			end = t.end
		}
	}
	out.WriteString(function[end:])
	return out.String(), true
}
