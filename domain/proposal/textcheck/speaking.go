package textcheck

import (
	"strings"

	"readiness/domain/proposal/textcheck/wordlist"
	"readiness/internal/lateregexp"
)

// answersAll reports whether a description orders its reader to answer, to send or to conceal something.
// Instructions may.
func answersAll(text string) bool {
	text = plain(text)
	if chineseSpeaking.MatchString(strings.ReplaceAll(text, " ", "")) || calls(text) || readsThis.MatchString(text) ||
		steers.MatchString(text) {
		return true
	}
	for clause := range clauses(text) {
		// The words of politeness are also parts of orders: "do not mention", "always answer".
		if speaks(clause) || speaks(withoutFillers(clause)) || mustSpeak(clause) || commands(clause) || repeatsAbove.MatchString(clause) {
			return true
		}
	}
	return false
}

// speaks reports whether a clause begins with an order to say, send or conceal something.
func speaks(clause string) bool {
	if rest, ok := after(clause, wordlist.Saying); ok {
		if _, ok = after(rest, wordlist.SayingWhat); ok {
			return true
		}
	}
	if _, ok := after(clause, wordlist.SaysAll); ok {
		return true
	}
	if _, ok := after(clause, wordlist.Untold); ok {
		return true
	}
	if rest, ok := after(clause, wordlist.Sending); ok && strings.Contains(rest, " to ") {
		if _, ok = after(rest, wordlist.Determiners); ok {
			return true
		}
	}
	rest, ok := after(clause, wordlist.Concealing)
	return ok && containsAny(rest, wordlist.Users)
}

// mustSpeak reports whether a clause begins with what its reader must or must not say.
func mustSpeak(clause string) bool {
	rest, ok := after(clause, wordlist.SpeakingDuties)
	if !ok {
		return false
	}
	words := strings.Fields(rest)
	if len(words) > 0 && wordlist.GermanSpeaking[words[len(words)-1]] {
		return true
	}
	for range maxFillers {
		next, more := after(rest, wordlist.Not)
		if rest = next; !more {
			break
		}
	}
	_, ok = after(rest, wordlist.Speaking)
	return ok
}

var (
	// repeatsAbove matches an order to repeat what the reader was given before.
	repeatsAbove = lateregexp.New(`^ (?:\pL+ ){0,2}(?:repeat|print|output|copy|quote|translate|summari[sz]e|recite|echo|reproduce) ` +
		`(?:\pL+ ){0,3}(?:text|words?|lines?|sentences?|messages?|conversation|content|everything|paragraphs?) (?:\pL+ ){0,2}` +
		`(?:above|before|preceding|so far)|^ (?:call|invoke|run) the (?:\pL+ ){1,4}(?:function|tool|api|endpoint) `)
	chineseSpeaking = lateregexp.New(`(?:你|您|请|必须)[^。,,;]{0,6}(?:告诉|通知|提醒)(?:用户|读者|所有人|他们)|` +
		`(?:不要|别|切勿|禁止|不得)(?:提及|提到|告诉|回答)`)
)
