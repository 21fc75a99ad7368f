package textcheck

import (
	"regexp"
	"strings"
	"unicode"
)

// maxForeign is the share of letters of another script that a text may have, in percent.
const maxForeign = 30

// minWords is how many words a text needs for a vote on its language.
const minWords = 8

// hanWeight is how many letters a Chinese character stands for.
const hanWeight = 3

var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Han", unicode.Han}, {"Kana", unicode.Hiragana}, {"Kana", unicode.Katakana}, {"Cyrillic", unicode.Cyrillic},
	{"Greek", unicode.Greek}, {"Arabic", unicode.Arabic}, {"Hebrew", unicode.Hebrew}, {"Hangul", unicode.Hangul}, {"Thai", unicode.Thai},
	{"Devanagari", unicode.Devanagari},
}

// scriptOf returns the script of a letter; "other" for a rare one.
func scriptOf(r rune) string {
	for _, s := range scripts {
		if unicode.Is(s.table, r) {
			return s.name
		}
	}
	return "other"
}

// count adds the letters of a text by script.
func count(text string, letters map[string]int) (all int) {
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		name, n := scriptOf(r), 1
		if name == "Han" {
			n = hanWeight
		}
		letters[name] += n
		all += n
	}
	return all
}

// scriptsOf returns the scripts that texts use, more than in passing. Kana comes with
// Chinese characters.
func scriptsOf(texts []string) map[string]bool {
	letters, all := map[string]int{}, 0
	for _, text := range texts {
		all += count(text, letters)
	}
	used := map[string]bool{"Latin": all == 0}
	for name, n := range letters {
		used[name] = n*10 >= all
	}
	used["Han"] = used["Han"] || used["Kana"]
	return used
}

// foreign returns the share of letters, in percent, that satisfies strange.
func foreign(text string, strange func(script string) bool) int {
	letters := map[string]int{}
	all, n := count(text, letters), 0
	for name, of := range letters {
		if strange(name) {
			n += of
		}
	}
	if all == 0 {
		return 0
	}
	return n * 100 / all
}

// otherScript reports whether too many letters belong to scripts that the model does not use.
func (m *Model) otherScript(text string) bool {
	return foreign(text, func(s string) bool { return !m.scripts[s] }) > maxForeign
}

// strange is otherScript for texts that may be in English.
func (m *Model) strange(text string) bool {
	return foreign(text, func(s string) bool { return !m.scripts[s] && s != "Latin" }) > maxForeign
}

// stopWords are frequent words by language. A word of several languages votes for each.
var stopWords = func() map[string][]string {
	all := map[string][]string{}
	for language, words := range map[string]string{
		"en": "the of and to in is that for it as was with on by are this from at or an be which not have has all each were their " +
			"its per who when a do may if than but",
		"de": "der die das und ist von den dem des ein eine einer eines einem zu mit für auf im in nicht sich als auch nach wird werden " +
			"bei aus je an am " +
			"vom zum zur ohne oder wie pro",
		"fr": "le la les de des du et est un une en dans pour par que qui sur avec au aux ce cette ces sont ou pas plus sans chaque été",
		"es": "el la los las de del y es un una en para por que con se al como su sus son o sin cada más fue lo no",
		"it": "il lo la gli le di del della dei delle e è un una in per che con si al alla sono o senza ogni non nel nella",
		"pt": "o a os as de do da dos das e é um uma em para por que com se ao no na são ou sem cada não foi",
		"nl": "de het een van en is in op voor met dat die zijn te aan door per bij of niet uit wordt worden",
	} {
		for word := range strings.FieldsSeq(words) {
			all[word] = append(all[word], language)
		}
	}
	return all
}()

// abbreviated matches the letters of an abbreviation, such as i.e., which are words of other languages.
var abbreviated = regexp.MustCompile(`\b\pL\.`)

// votes returns how many words a text has, and how many are stop-words by language.
func votes(text string, by map[string]int) (words int) {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(abbreviated.ReplaceAllString(text, " ")), between) {
		words++
		for _, language := range stopWords[word] {
			by[language]++
		}
	}
	return words
}

// languagesOf returns the languages that texts are in: those that win the vote over all of
// them, or over at least a quarter of the longer ones.
func languagesOf(texts []string) map[string]bool {
	total, winners, long := map[string]int{}, map[string]int{}, 0
	for _, text := range texts {
		by := map[string]int{}
		if votes(text, by) >= minWords {
			long++
			if best, _ := winner(by); best != "" {
				winners[best]++
			}
		}
		for language, n := range by {
			total[language] += n
		}
	}
	all := map[string]bool{}
	if best, n := winner(total); best != "" && n >= 3 {
		all[best] = true
	}
	for language, n := range winners {
		if n*4 >= long {
			all[language] = true
		}
	}
	return all
}

// winner returns the language with the most votes, and their number; "" when it does not
// lead by half of the next one's.
func winner(by map[string]int) (best string, most int) {
	next := 0
	for language, n := range by {
		switch {
		case n > most:
			best, most, next = language, n, most
		case n > next:
			next = n
		}
	}
	if most < 2 || most*2 < next*3 {
		return "", most
	}
	return best, most
}

// otherLanguage reports whether the vote over a text's words names a language that the
// model is not in. A model whose language cannot be recognized accepts every one.
func (m *Model) otherLanguage(text string) bool {
	by := map[string]int{}
	if len(m.languages) == 0 || votes(text, by) < minWords {
		return false
	}
	best, most := winner(by)
	if best == "" {
		return false
	}
	for language := range m.languages {
		if by[language]*3 >= most*2 {
			return false
		}
	}
	return true
}
