package textcheck

import (
	"slices"
	"strings"
	"unicode"

	"readiness/internal/lateregexp"
)

var (
	scheme = lateregexp.New(`(?i)\b(?:[a-z][a-z0-9+.-]{1,15}://|hxxps?\b|www\.[a-z0-9]|mailto:|javascript:|data:[a-z]+/[a-z])`)
	// host matches an address without a scheme: at the start of a word, with a path, or of
	// a machine.
	host = lateregexp.New(`(?i)(?:^|[\s("'=,;])(?://[a-z0-9]|\\\\[a-z0-9]|\d{1,3}(?:\.\d{1,3}){3}[:/]\d*|` +
		`(?:[a-z0-9-]+\.)+[a-z]{2,15}/[a-z0-9?#])`)
	mail = lateregexp.New(`(?i)[a-z0-9._%+-]+(?:@|\s?(?:\(at\)|\[at\])\s?)[a-z0-9-]+(?:\.|\s?(?:\(dot\)|\[dot\])\s?)[a-z]{2,}`)
	// domain matches a name of a machine in lower case. Those of companies, such as
	// Booking.com, and of products, such as ASP.NET, have capital letters.
	domain = lateregexp.New(`(?:^|[\s("'=,;])([a-z0-9-]+\.)+(?:com|org|net|info|biz|io|xyz|top|site|online|app|ru|cn|example|test|` +
		`zip|link|click)(?:$|[\s.,;:!?)"'])`)
	markup = lateregexp.New(`(?i)<[/!?]?[a-z][^<>\n]*>|<!--|<\||\|>|<<|>>|\]\(|!\[|&(?:#x?[0-9a-f]{1,8}|[lg]t|amp|quot|nbsp|apos);|` +
		`\{\s*["'][^"'\n]{1,80}["']\s*:|\{\{|\}\}|\$\{|\{%|\[/?inst\]|\[/?(?:system|assistant|user)\]|javascript:|` +
		`on[a-z]{4,12}\s?=\s?["'a-z]+\(`)
	products = map[string]bool{"asp.net": true, "vb.net": true, "ado.net": true, "socket.io": true, "draw.io": true}
)

// shape returns Link or Markup when a text has one of them, else "".
func shape(text string) Reason {
	if strings.Contains(text, "```") || strings.Contains(text, "~~~") || markup.MatchString(text) {
		return Markup
	}
	if scheme.MatchString(text) || host.MatchString(text) || mail.MatchString(text) {
		return Link
	}
	for _, at := range domain.FindAllString(text, -1) {
		if !products[strings.Trim(at, " \t\r\n(\"'=,;.:!?)")] {
			return Link
		}
	}
	return ""
}

var (
	keys = lateregexp.New(`\b(?:sk-[A-Za-z0-9_-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|gh[pousr]_[A-Za-z0-9]{16,}|` +
		`github_pat_[A-Za-z0-9_]{16,}|` +
		`glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{8,}|AIza[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})|-----BEGIN `)
	assigned = lateregexp.New(`(?i)(?:pass ?word|passwd|pwd|pass ?phrase|passwort|kennwort|mot de passe|contrase(?:ñ|n)a|clave|secret|` +
		`api[ _-]?key|account ?key|access ?key|shared ?access ?(?:key|signature)|client ?secret|token|bearer|密码|口令|密钥)\s{0,3}` +
		`(?:[:=:]|\bis\b|\bist\b|\best\b|\bes\b|是|为)\s{0,3}["']?([^\s"',;]{5,})`)
	// given matches a password without a sign before it, or after what it is for; written one that is all that follows.
	given = lateregexp.New(`(?i)\b(?:pass ?word|passwd|pwd|pass ?phrase|passwort|kennwort|senha|contraseña)\s(?:(?:for|of|to|für|para|de|do|da)\s` +
		`(?:\S{1,30}\s){1,4})?(?:is\s|ist\s|é\s|es\s)?["']?([^\s"',;]{5,})`)
	written = lateregexp.New(`(?im)\b(?:pass ?word|passwd|pwd|pass ?phrase|passwort|kennwort|senha|contraseña|secret|api[ _-]?key)` +
		`(?:=["']?[^\s"',;]{5,}|:\s?["']?\pL{5,}["']?\.?\s*$)`)
	encoded = lateregexp.New(`[A-Za-z0-9+/_=-]{24,}`)
	guid    = lateregexp.New(`(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// secret reports whether a text has a key, a password or encoded data. known reports
// whether a word is in a name of the model.
func secret(text string, known func(string) bool) bool {
	if keys.MatchString(text) || written.MatchString(text) {
		return true
	}
	for _, at := range append(assigned.FindAllStringSubmatch(text, -1), given.FindAllStringSubmatch(text, -1)...) {
		if mixed(strings.TrimRight(at[1], ".:)")) {
			return true
		}
	}
	return slices.ContainsFunc(encoded.FindAllString(text, -1), func(word string) bool {
		return !guid.MatchString(word) && !known(word) && random(word)
	})
}

// mixed reports whether a word is no word of a language: it has digits or signs in it.
func mixed(word string) bool {
	letters := strings.ContainsFunc(word, unicode.IsLetter)
	return letters && strings.ContainsFunc(word, unicode.IsDigit) || letters && strings.ContainsAny(word, "!$%^&*#@+=")
}

// maxTurns is how often a word of letters may turn from lower to upper case, in percent of
// its length: names in camel case turn less often than encoded data.
const maxTurns = 20

// random reports whether a long word reads as encoded data: letters and digits without the
// order that names have.
func random(word string) bool {
	upper, lower, digits, turns := 0, 0, 0, 0
	before := rune(0)
	for _, r := range word {
		switch {
		case unicode.IsUpper(r):
			upper++
			if unicode.IsLower(before) {
				turns++
			}
		case unicode.IsLower(r):
			lower++
		case unicode.IsDigit(r):
			digits++
		}
		before = r
	}
	hex := strings.Trim(strings.ToLower(word), "0123456789abcdef") == "" && digits > 2 && upper+lower > 2
	return hex && len(word) >= 32 || upper > 0 && lower > 0 && digits > 0 && !strings.Contains(word, "-") || turns*100 > maxTurns*len(word)
}
