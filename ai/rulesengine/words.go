package rulesengine

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"

	"readiness/ai/rulesengine/wording"
)

// kind is the kind of a word of a question.
type kind int

const (
	plainWord kind = iota
	numberWord
	signWord   // a comparison or a currency
	quotedWord // a text in quotation marks
	fieldWord  // a name in brackets, with or without a table
)

// word is a word of a text: blanks, punctuation and changes of letter case separate words.
type word struct {
	kind  kind
	text  string // as written, without quotation marks and brackets
	table string // of a fieldWord with a table
	lower string
	stem  string // common to a word, its plural and similar forms
	meant string // the word that a misspelled one is read as, "" for others
	id    int    // of the stem in the lexicon, 0 if the lexicon does not have it
	// structural and amount mark words that need not be in a name (see structural, amounts).
	structural, amount bool
	// cut reports that the word starts another part of the sentence, unless a name has it.
	cut  bool
	from int // in bytes of the text
	to   int
	// after is the punctuation that the word follows: 0, or the strongest of . ? ! ; , :
	after rune
}

const (
	// maxQuestion is how many runes of a question are read, maxWords how many words.
	maxQuestion = 2000
	maxWords    = 300
	// maxName is how many runes of a name, maxText how many of a description are read.
	maxName = 200
	maxText = 1000
)

// readWords splits a text into words. Quotation marks and brackets have a meaning only in a question;
// in a name they are punctuation.
func readWords(s string, question bool) []word { return stems{}.read(s, question) }

// stems caches the stems of words; a model has few distinct words.
type stems map[string]string

func (met stems) read(s string, question bool) []word {
	r := reader{src: s, question: question, met: met}
	for r.at < len(s) {
		if len(r.words) == maxWords {
			break
		}
		r.next()
	}
	return r.words
}

type reader struct {
	src      string
	question bool
	met      stems
	at       int
	words    []word
	after    rune
}

func (r *reader) add(w word) {
	w.lower = strings.ToLower(norm.NFC.String(w.text))
	if w.lower == "percentage" || w.lower == "percentages" {
		w.lower = "percent" // read like the sign
	}
	if w.stem == "" {
		met, ok := r.met[w.lower]
		if !ok {
			met = stemOf(w.lower)
			r.met[w.lower] = met
		}
		w.stem = met
	}
	w.structural, w.amount = w.kind == plainWord && wording.Structural[w.lower], w.kind == plainWord && wording.Amounts[w.lower]
	if r.question && wording.Acronyms[w.text] && strings.ToUpper(r.src) != r.src {
		w.structural = false
	}
	if c, isCue := cues[w.lower]; isCue && w.kind == plainWord {
		w.cut = c != place
	}
	w.after, r.after = r.after, 0
	r.words = append(r.words, w)
}

// signs are the words for single signs in names and questions.
var signs = map[rune]string{'%': "percent", '#': "number", '&': "and"}

func (r *reader) next() {
	c, size := utf8.DecodeRuneInString(r.src[r.at:])
	from := r.at
	rest := r.src[from:]
	switch {
	case '0' <= c && c <= '9':
		r.number()
	case unicode.IsLetter(c) || unicode.IsDigit(c):
		r.letters()
	case r.question && r.enclosed(c):
	case signs[c] != "":
		r.at += size
		r.add(word{text: signs[c], from: from, to: r.at})
	case r.question && strings.ContainsRune("<>=≤≥≠", c):
		r.at += size
		text := map[rune]string{'≤': "<=", '≥': ">=", '≠': "<>"}[c]
		if text == "" {
			if text = rest[:1]; len(rest) > 1 && slices.Contains([]string{"<=", ">=", "<>", "=="}, rest[:2]) {
				text = rest[:2]
				r.at++
			}
		}
		r.add(word{kind: signWord, text: text, stem: text, from: from, to: r.at})
	case unicode.Is(unicode.Sc, c):
		r.at += size
		r.add(word{kind: signWord, text: string(c), stem: string(c), from: from, to: r.at})
	default:
		r.at += size
		next, _ := utf8.DecodeRuneInString(r.src[r.at:])
		within := strings.ContainsRune(".,:", c) && (unicode.IsLetter(next) || unicode.IsDigit(next))
		if !within && strings.ContainsRune(".?!;,:", c) || c == '\n' {
			if c == '\n' {
				c = ';'
			}
			if r.after == 0 || r.after == ',' || r.after == ':' {
				r.after = c
			}
		}
	}
}

// number reads digits, the signs between them, and letters that follow directly: 1,000.50 and
// 2024-01-31 and 10k are one word; 12M in a name is two.
func (r *reader) number() {
	from := r.at
	isDigit := func(at int) bool { return at < len(r.src) && '0' <= r.src[at] && r.src[at] <= '9' }
	for isDigit(r.at) || r.at < len(r.src) && strings.IndexByte(".,/-:", r.src[r.at]) >= 0 && isDigit(r.at+1) {
		r.at++
	}
	if r.at < len(r.src) && 'a' <= r.src[r.at] && r.src[r.at] <= 'z' {
		for r.at < len(r.src) && 'a' <= r.src[r.at] && r.src[r.at] <= 'z' {
			r.at++
		}
	}
	text := r.src[from:r.at]
	r.add(word{kind: numberWord, text: text, stem: strings.ToLower(text), from: from, to: r.at})
}

// letters reads one word. A change from small to capital letters also ends a word. The s of a genitive
// is left out.
func (r *reader) letters() {
	from, before, beforeThat := r.at, rune(0), rune(0)
	for r.at < len(r.src) {
		c, size := utf8.DecodeRuneInString(r.src[r.at:])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.Is(unicode.M, c) {
			break
		}
		if 'A' <= c && c <= 'Z' && before != 0 {
			next, _ := utf8.DecodeRuneInString(r.src[r.at+size:])
			if 'a' <= before && before <= 'z' || '0' <= before && before <= '9' ||
				'A' <= before && before <= 'Z' && 'a' <= next && next <= 'z' {
				break
			}
		}
		beforeThat, before = before, c
		r.at += size
	}
	to := r.at
	negated := false
	for _, mark := range []string{"'", "’"} {
		rest := r.src[r.at:]
		if !strings.HasPrefix(rest, mark) || len(rest) == len(mark) {
			continue
		}
		end, _ := utf8.DecodeRuneInString(rest[len(mark)+1:])
		if alone := len(rest) == len(mark)+1 || !unicode.IsLetter(end) && !unicode.IsDigit(end); alone {
			switch letter := rest[len(mark)]; {
			case letter == 's':
				r.at += len(mark) + 1
			case letter == 't' && before == 'n' && beforeThat != 0:
				r.at += len(mark) + 1
				to--
				negated = true
			}
		}
	}
	r.add(word{text: r.src[from:to], from: from, to: to})
	if negated {
		r.add(word{text: "not", from: to, to: r.at})
	}
}

// enclosed reads a text in quotation marks, or a field's name in brackets with the table's name before
// it.
func (r *reader) enclosed(c rune) bool {
	closing := map[rune]string{'"': `"`, '“': "”", '‘': "’", '\'': "'", '[': "]"}[c]
	if closing == "" {
		return false
	}
	start := r.at + utf8.RuneLen(c)
	length := strings.Index(r.src[start:], closing)
	if length <= 0 || length > maxName*utf8.UTFMax {
		return false
	}
	text := r.src[start : start+length]
	w := word{kind: quotedWord, text: strings.TrimSpace(text), from: r.at, to: start + length + len(closing)}
	if w.text == "" {
		return false
	}
	if c == '[' {
		w.kind = fieldWord
		if n := len(r.words); n > 0 && r.words[n-1].to == r.at {
			w.table, w.from = r.words[n-1].text, r.words[n-1].from
			r.after = r.words[n-1].after
			r.words = r.words[:n-1]
		}
	}
	r.at = w.to
	w.stem = "\x00" // matches no name
	r.add(w)
	return true
}

// stemOf returns the stem of a word in lower case; for a word that is not English, the word.
func stemOf(lower string) string {
	if len(lower) > maxName {
		return lower
	}
	for i := range len(lower) {
		if lower[i] < 'a' || lower[i] > 'z' {
			return lower
		}
	}
	if lower == "opened" { // what happened, and "open" is what still is
		return lower
	}
	if same := wording.Same[lower]; same != "" {
		lower = same
	}
	return english.Stem(lower, true)
}

// plural reports whether a word has the form of a plural.
func (w word) plural() bool {
	l := w.lower
	return len(l) > 3 && strings.HasSuffix(l, "s") && !strings.HasSuffix(l, "ss") && !strings.HasSuffix(l, "us") &&
		!strings.HasSuffix(l, "is")
}
