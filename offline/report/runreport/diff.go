package runreport

import (
	"strings"

	"readiness/internal/lists"
)

// piece is a run of words that one or both of two texts have.
type piece struct {
	Text       string
	Gone, Came bool // only in the first text, only in the second
}

// maxWords bounds the words of a text that are compared one by one.
const maxWords = 400

// wordDiff returns how the second text differs from the first, word by word. Long texts are
// not compared word by word.
func wordDiff(a, b string) []piece {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) > maxWords || len(y) > maxWords {
		return joined([]piece{{strings.Join(x, " "), true, false}, {strings.Join(y, " "), false, true}})
	}
	var all []piece
	lists.Compare(x, y, func(word string, inX, inY bool) { all = append(all, piece{word, !inY, !inX}) })
	return joined(all)
}

// joined joins neighbours of one kind, and leaves out empty ones.
func joined(all []piece) (out []piece) {
	for _, p := range all {
		last := len(out) - 1
		switch {
		case p.Text == "":
		case last >= 0 && out[last].Gone == p.Gone && out[last].Came == p.Came:
			out[last].Text += " " + p.Text
		default:
			out = append(out, p)
		}
	}
	return out
}
