package runreport

import "strings"

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
	// length[i][j] is the number of words that x[i:] and y[j:] have in common, in order.
	length := make([][]int, len(x)+1)
	for i := range length {
		length[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var all []piece
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			all = append(all, piece{Text: x[i]})
			i, j = i+1, j+1
		case i < len(x) && (j == len(y) || length[i+1][j] >= length[i][j+1]):
			all = append(all, piece{x[i], true, false})
			i++
		default:
			all = append(all, piece{y[j], false, true})
			j++
		}
	}
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
