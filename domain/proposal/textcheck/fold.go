package textcheck

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is how many combining marks may follow one letter.
const maxMarks = 3

// fold returns the text as its reader sees it: in normal form NFKC, hidden characters
// removed, and letters of other alphabets that look like Latin ones replaced by those. It
// also returns why the text cannot be trusted as it is, "" when it can.
func (m *Model) fold(text string) (string, Reason) {
	var why Reason
	var seen strings.Builder
	marks, last := 0, rune(0)
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case allowedJoiner(r, last, text):
			continue
		case hidden(r):
			why = Hidden
			continue
		}
		if unicode.Is(unicode.Mn, r) {
			if marks++; marks > maxMarks {
				why = Hidden
				continue
			}
		} else {
			marks = 0
		}
		seen.WriteRune(r)
		last = r
	}
	folded, lookAlike := m.latin(norm.NFKC.String(seen.String()))
	if why == "" && lookAlike {
		why = LookAlike
	}
	return folded, why
}

// hidden reports whether a character is not shown, or changes how others are shown.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\r' || r == '\t':
		return false
	case r == utf8.RuneError:
		return true
	case r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF: // variation selectors
		return true
	case r >= 0xE0000 && r <= 0xE007F: // tags, assigned or not
		return true
	}
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x2028, 0x2029: // fillers and separators
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co, unicode.Noncharacter_Code_Point)
}

// allowedJoiner reports whether a hidden character belongs to the spelling of a script, or
// to an emoji.
func allowedJoiner(r, before rune, rest string) bool {
	switch r {
	case 0x200C, 0x200D: // joiners
		after, _ := utf8.DecodeRuneInString(rest)
		return joined(before) && joined(after)
	case 0xFE0F: // shows a symbol as a picture
		return unicode.Is(unicode.So, before)
	}
	return false
}

func joined(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Mongolian)
}

// lookAlikes are Cyrillic, Greek and other letters by the Latin letter that they look like.
var lookAlikes = func() map[rune]rune {
	all := map[rune]rune{}
	for latin, others := range map[rune]string{
		'a': "аα\u0251", 'b': "ьЬ", 'c': "сϲ\u1d04", 'd': "ԁ", 'e': "еєҽ", 'g': "ɡց", 'h': "һհ", 'i': "іιɩıӏ", 'j': "јϳ", 'k': "кκ",
		'l': "ⅼǀ",
		'm': "м", 'n': "пոռ", 'o': "оοօσ", 'p': "рρ", 'q': "ԛգ", 'r': "гᴦ", 's': "ѕꜱ", 't': "тτ", 'u': "υսᴜ", 'v': "νѵᴠ", 'w': "ԝωѡᴡ",
		'x': "хχ", 'y': "уγүყ", 'z': "ᴢ",
		'A': "АΑ", 'B': "ВΒ", 'C': "СϹ", 'E': "ЕΕ", 'G': "Ԍ", 'H': "НΗ", 'I': "ІΙӀ", 'J': "Ј", 'K': "КΚ", 'M': "МΜ", 'N': "Ν", 'O': "ОΟՕ",
		'P': "РΡ", 'Q': "Ԛ", 'S': "ЅՏ", 'T': "ТΤ", 'V': "Ѵ", 'W': "Ԝ", 'X': "ХΧ", 'Y': "УΥҮ", 'Z': "Ζ",
	} {
		for _, r := range others {
			all[r] = latin
		}
	}
	return all
}()

// latin replaces look-alike letters in words that are otherwise Latin, and reports whether
// there are any. A word entirely of look-alikes is one too, unless the model uses their
// alphabet. Names of the model stay as they are.
func (m *Model) latin(text string) (string, bool) {
	found := false
	var b strings.Builder
	for len(text) > 0 {
		n := strings.IndexFunc(text, unicode.IsLetter)
		if n < 0 {
			n = len(text)
		}
		b.WriteString(text[:n])
		text = text[n:]
		end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) })
		if end < 0 {
			end = len(text)
		}
		word := text[:end]
		if m.disguised(word) && !m.words[strings.ToLower(word)] {
			found = true
			word = strings.Map(func(r rune) rune {
				if l, ok := lookAlikes[r]; ok {
					return l
				}
				return r
			}, word)
		}
		b.WriteString(word)
		text = text[end:]
	}
	return b.String(), found
}

// disguised reports whether every letter of a word is Latin or looks it, and some only
// look it.
func (m *Model) disguised(word string) bool {
	latin, alike := 0, 0
	foreign := true // the model does not use the alphabet of the look-alikes
	for _, r := range word {
		_, ok := lookAlikes[r]
		switch {
		case r == 'ı': // a Latin letter of Turkish
			latin++
		case ok:
			alike++
			foreign = foreign && !m.scripts[scriptOf(r)]
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			return false
		}
	}
	return alike > 0 && (latin > 0 || foreign && alike > 2)
}
