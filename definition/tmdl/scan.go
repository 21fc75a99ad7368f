package tmdl

import "strings"

// scanner walks over the lines of a text with any line ends.
type scanner struct {
	src        string
	line       int // of the current line, from 1
	start, end int // the current line without its end
	after      int // where the next line starts
	lf, cr     int // the next LF and CR at or behind start, len(src) when none
}

// next moves to the next line; false at the end of the text. A line end at the very
// end of the text starts no new line.
func (s *scanner) next() bool {
	if s.after >= len(s.src) {
		return false
	}
	s.line++
	s.start = s.after
	// Each look-ahead is renewed only once it is passed, so that a file without one
	// of the two bytes is searched for it once.
	if s.line == 1 || s.lf < s.start {
		s.lf = s.find('\n')
	}
	if s.line == 1 || s.cr < s.start {
		s.cr = s.find('\r')
	}
	s.end = min(s.lf, s.cr)
	s.after = min(s.end+1, len(s.src))
	if s.cr+1 == s.lf && s.lf < len(s.src) {
		s.after = s.lf + 1
	}
	return true
}

func (s *scanner) find(c byte) int {
	if i := strings.IndexByte(s.src[s.start:], c); i >= 0 {
		return s.start + i
	}
	return len(s.src)
}
