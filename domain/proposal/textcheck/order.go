package textcheck

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"readiness/domain/proposal/textcheck/wordlist"
	"readiness/internal/lateregexp"
)

// order reports whether a text gives an order to its reader, a person or an AI: to ignore, disregard,
// reveal, log in or click, at the head of a clause or after "you must", or as another
// speaker. It knows English, German, French, Spanish and Chinese. The same words as nouns
// or about the data are no order.
func order(text string) bool {
	text = plain(text)
	if inChinese(text) || speaker(text) || released(text) {
		return true
	}
	if ordered(text) {
		return true
	}
	closed := splitWord.ReplaceAllString(text, "$1$2")
	return closed != text && ordered(closed)
}

// splitWord matches a word that a hyphen or another sign divides.
var splitWord = lateregexp.New(`(\pL)[-_*~](\pL)`)

func ordered(text string) bool {
	for clause := range clauses(text) {
		if headed(clause) || joinedTo(clause) || obliged(clause) || asked(clause) || targeted(clause) || german(clause) {
			return true
		}
	}
	return false
}

// spaced matches a word whose letters stand apart.
var spaced = lateregexp.New(`(?:^|[^\pL])((?:\pL[ \-_.*·]{1,2}){3,}\pL)(?:$|[^\pL])`)

// everyTwo matches letters that all stand two signs apart.
var everyTwo = lateregexp.New(`^\pL(?:[ \-_.*·]{2}\pL)*$`)

var apart = strings.NewReplacer(" ", "", "-", "", "_", "", ".", "", "*", "", "·", "")

// plain returns a text in lower case without accents, with words that stand apart closed.
func plain(text string) string {
	text = spaced.ReplaceAllStringFunc(text, func(all string) string {
		word := strings.Trim(all, " \t\n,;:.!?()")
		parts := []string{word}
		if strings.Contains(word, "  ") && !everyTwo.MatchString(word) { // wider between words than between letters
			parts = strings.Split(word, "  ")
		}
		for i := range parts {
			parts[i] = apart.Replace(parts[i])
		}
		return strings.Replace(all, word, strings.Join(parts, " "), 1)
	})
	text = strings.ToLower(norm.NFD.String(text))
	return strings.NewReplacer("ß", "ss", "’", "'").Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text))
}

var digitLetters = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t")

// clauses yields the clauses of a plain text, as words with one space before, between and
// after them.
func clauses(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		text := strings.ReplaceAll(text, " - ", "\n")
		for clause := range strings.FieldsFuncSeq(text, func(r rune) bool {
			return strings.ContainsRune(".!?;:,()[]{}<>\"“”„«»|=*#~/\\\n\r\t•–—…。、", r) || unicode.Is(unicode.So, r)
		}) {
			var b strings.Builder
			for word := range strings.FieldsFuncSeq(clause, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				if strings.ContainsFunc(word, unicode.IsLetter) {
					word = digitLetters.Replace(word)
				}
				b.WriteString(" " + word)
			}
			if b.Len() > 0 && !yield(b.String()+" ") {
				return
			}
		}
	}
}

// after returns what follows the first of the phrases that a clause begins with.
func after(clause string, phrases []string) (rest string, ok bool) {
	for _, p := range phrases {
		if strings.HasPrefix(clause, p) {
			return clause[len(p)-1:], true
		}
	}
	return clause, false
}

// maxFillers bounds the words of politeness that are skipped, so that the time stays linear.
const maxFillers = 12

func withoutFillers(clause string) string {
	for range maxFillers {
		rest, ok := after(clause, wordlist.Fillers)
		if !ok {
			break
		}
		clause = rest
	}
	return clause
}

// headed reports whether a clause begins with an imperative, after words of politeness and
// of sequence.
func headed(clause string) bool {
	clause = withoutFillers(clause)
	if omits(clause) {
		return false
	}
	if rest, ok := after(clause, wordlist.Verbs); ok {
		return governs(rest)
	}
	if rest, ok := after(clause, wordlist.EitherVerbs); ok {
		_, ok = after(rest, wordlist.Determiners)
		return ok
	}
	_, ok := after(clause, wordlist.Imperatives)
	return ok
}

// joinedTo reports whether an imperative follows a conjunction within a clause that is not
// about whom or what does it.
func joinedTo(clause string) bool {
	end := len(clause)
	for _, w := range wordlist.Whom {
		if at := strings.Index(clause, w); at >= 0 {
			end = min(end, at)
		}
	}
	for _, p := range wordlist.Conjunctions {
		for rest := range following(clause, p) {
			if len(clause)-len(rest) > end {
				break
			}
			if headed(rest) {
				return true
			}
		}
	}
	return false
}

// asked reports whether a clause says of its reader that they are asked to do it.
func asked(clause string) bool {
	for _, p := range wordlist.Orders {
		before, rest, ok := strings.Cut(clause, p)
		if _, noun := after(" "+rest[:min(len(rest), maxPhrase)], wordlist.Nouns); !ok || noun {
			continue
		}
		for word := range strings.FieldsSeq(before) {
			if wordlist.Readers[word] {
				return true
			}
		}
	}
	return false
}

// governs reports whether an object follows a verb: something does, and it is neither a
// noun that makes the verb a part of a name, such as "ignore flag", nor the next word of an
// enumeration.
func governs(rest string) bool {
	if rest == " " {
		return false
	}
	_, noun := after(rest, wordlist.Nouns)
	return !noun
}

// obliged reports whether a clause says that its reader must or should do it.
func obliged(clause string) bool {
	for _, p := range wordlist.Duties {
		for todo := range following(clause, p) {
			for range maxFillers {
				next, more := after(todo, wordlist.Adverbs)
				if todo = next; !more {
					break
				}
			}
			for _, list := range [][]string{wordlist.Verbs, wordlist.EitherVerbs, wordlist.Infinitives} {
				if _, told := after(todo, list); told {
					return true
				}
			}
		}
	}
	return false
}

// following yields what follows each occurrence of a phrase in a clause, and begins with a
// space.
func following(clause, phrase string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for at := strings.Index(clause, phrase); at >= 0; at = strings.Index(clause, phrase) {
			clause = clause[at+len(phrase)-1:]
			if !yield(clause) {
				return
			}
		}
	}
}

// targeted reports whether a clause is about breaking the rules that a reader was given.
func targeted(clause string) bool {
	for _, verb := range wordlist.Breaking {
		if _, rest, ok := strings.Cut(clause, verb); ok {
			words := strings.Fields(rest)
			for _, word := range words[:min(len(words), maxBetween)] {
				if wordlist.Targets[word] {
					return true
				}
			}
		}
	}
	if !strings.Contains(clause, " be ") && !strings.Contains(clause, " are to ") {
		return false
	}
	for _, verb := range wordlist.Broken {
		if before, _, ok := strings.Cut(clause, verb); ok {
			for word := range strings.FieldsSeq(before) {
				if wordlist.Targets[word] {
					return true
				}
			}
		}
	}
	return false
}

// maxPhrase is longer than every phrase, in bytes.
const maxPhrase = 64

// maxBetween is how many words may stand between a verb and its object.
const maxBetween = 7

// german reports whether a clause is an order in German by its last word: an infinitive
// after "bitte" or "jetzt", about instructions, or of "du musst"; or an imperative with a
// particle at its end.
func german(clause string) bool {
	words := strings.Fields(clause)
	last := words[len(words)-1]
	if wordlist.Separable[words[0]] && wordlist.Particles[last] {
		return true
	}
	if wordlist.Followed[words[0]] && slices.ContainsFunc(words, func(w string) bool { return wordlist.Denying[w] }) &&
		(containsWord(clause, wordlist.Targets) || containsWord(clause, wordlist.Rules)) {
		return true
	}
	if !wordlist.GermanVerbs[last] {
		return false
	}
	for _, p := range wordlist.GermanDuties {
		if strings.Contains(clause, p) {
			return true
		}
	}
	if wordlist.GermanHeads[words[0]] {
		return true
	}
	if wordlist.Relatives[words[0]] {
		return false
	}
	return slices.ContainsFunc(words, func(word string) bool { return wordlist.Targets[word] })
}

func containsAny(clause string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(clause, p) })
}

// omits reports whether a clause says which rows are left out, in a form that may be an imperative and may be a statement.
func omits(clause string) bool {
	rest, ok := after(clause, wordlist.Ignoring)
	return ok && aboutData(rest, wordlist.LeftOut)
}

// aboutData reports whether an order to ignore is about rows that a measure leaves out, such as cancelled orders, and about no rules.
func aboutData(rest string, leftOut map[string]bool) bool {
	words := strings.Fields(rest)
	found := false
	for i, w := range words {
		if wordlist.Targets[w] || wordlist.Rules[w] {
			return false
		}
		found = found || i < maxAdjective && leftOut[w]
	}
	return found
}

// maxAdjective is how many words after a verb may be the adjective of its object.
const maxAdjective = 4

var ignoreWord = lateregexp.New(`(?i)ignore`)

// withoutOmissions returns AI instructions in which a line that says which rows to leave out is no order: "Ignore cancelled orders".
func withoutOmissions(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for clause := range clauses(plain(line)) {
			if rest, ok := after(withoutFillers(clause), wordlist.Ignore); ok && aboutData(rest, wordlist.LeftOutByAI) {
				if at := ignoreWord.FindStringIndex(line); at != nil {
					lines[i] = line[:at[0]] + "omit" + line[at[1]:]
				}
			}
			break
		}
	}
	return strings.Join(lines, "\n")
}
