package tmdl

import "fmt"

// SyntaxError says where a file cannot be read and why.
type SyntaxError struct {
	File string
	// Line and Column count from 1; Column counts characters.
	Line, Column int
	// Message says what is wrong, what was expected and, if it helps, what to do.
	Message string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}
