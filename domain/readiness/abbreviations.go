package readiness

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	nfc "golang.org/x/text/unicode/norm"
)

// familiarAbbreviations need no explanation (rule NAM-03 of 2026-12).
var familiarAbbreviations = setOf("ytd,mtd,qtd,wtd,py,pm,ly,lm,lq,yy,mm,kpi,sku,nps,crm,hr,vs,vat,gdp,pct,usd,gbp,chf,cfo,pdf,url,id," +
	"sql,xml,json,csv,html,http,https,uri,dns,tcp,udp,ip,vpn,ssl,tls,ssh,ftp,vm,vms,cpu,gpu,ram,ssd,hdd,os,db,dw,dwh,bi,ml,llm," +
	"kb,mb,gb,tb,pb,ms,ns,hz,khz,mhz,ghz,kw,kwh,mwh,sdk,rls,ols,crud,gps,sms,pos,b2b,b2c,rfm,nlp,png,svg,gmt,utc,cst,cet,hq,hrs,io,kg," +
	"km,cm," +
	"mrr,arr,cltv,ltv,cac,cpc,cpm,ctr,roi,rpm,p&l,wbs,fte,ftes,ttm,fy,ny,qoq,mom,yoy,wow,std,dtd,bps,avg,min,max,qty,r&d,q&a,m&a,vcpu," +
	"api,ai,ui,iso,us,uk,eu,erp,etl,sla,kql,mdx,dax,graphql,guid,uuid")

// nameWord is a word of a name as it is written there.
type nameWord struct {
	text     string
	familiar bool // a familiar abbreviation, which may hold an ampersand
	alone    bool // between brackets, without another word
}

var pluralCapitals = regexp.MustCompile(`^[A-Z]{2,}s$`)

// nameWords returns the words of a name. They differ from words in that familiar
// abbreviations and capitals with a plural's s are not split.
func nameWords(name string) []nameWord {
	name = nfc.NFC.String(name)
	isPart := func(r rune) bool { return r == '&' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	var all []nameWord
	for start := 0; start < len(name); {
		r, size := utf8.DecodeRuneInString(name[start:])
		if !isPart(r) {
			start += size
			continue
		}
		end := start + strings.IndexFunc(name[start:], func(r rune) bool { return !isPart(r) })
		if end < start {
			end = len(name)
		}
		all = append(all, tokenWords(name[start:end], inBrackets(name[:start], name[end:]))...)
		start = end
	}
	return all
}

// tokenWords returns the words of a run of letters, digits and ampersands.
func tokenWords(token string, alone bool) []nameWord {
	lower := strings.ToLower(token)
	familiar := familiarAbbreviations[lower] || familiarAbbreviations[strings.TrimSuffix(lower, "s")]
	if pluralCapitals.MatchString(token) {
		token = strings.TrimSuffix(token, "s")
	} else if !familiar {
		var all []nameWord
		for _, w := range splitWords(token) {
			all = append(all, nameWord{text: w, alone: alone && len(w) == len(token)})
		}
		return all
	}
	return []nameWord{{token, familiar, alone}}
}

// inBrackets reports whether brackets of one kind enclose what is between the two texts.
func inBrackets(before, after string) bool {
	before, after = strings.TrimRightFunc(before, unicode.IsSpace), strings.TrimLeftFunc(after, unicode.IsSpace)
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.HasSuffix(before, pair[:1]) && strings.HasPrefix(after, pair[1:]) {
			return true
		}
	}
	return false
}

type unfamiliarKey struct{}

// unfamiliar returns the verdict of NAM-03 for an exposed object. Several rules ask for it.
func (x *scope) unfamiliar(o *object) verdict {
	return orPass(remembered(x, unfamiliarKey{}, func() []*verdict {
		found := make([]*verdict, len(x.objects))
		for _, o := range x.all {
			if v := unfamiliarName(x, o); v.violation > 0 {
				found[o.index] = &v
			}
		}
		return found
	})[o.index])
}

// orPass returns a verdict, or for nil the one that passes.
func orPass(v *verdict) verdict {
	if v == nil {
		return verdict{}
	}
	return *v
}

// unfamiliarName finds the first abbreviation without a vowel, else the first single
// letter or word in capitals.
func unfamiliarName(x *scope, o *object) verdict {
	all := nameWords(x.plainName(o))
	var half *verdict
	for i, w := range all {
		lower := norm(w.text)
		switch {
		case w.familiar || !isASCIILetters(lower) || familiarAbbreviations[lower]:
		case len(lower) == 1:
			if half == nil && lower != "a" && lower != "i" && !w.alone && !besideDigits(all, i) {
				half = new(fails(0.5, "say in the name what the letter "+quotedText(w.text)+" stands for", "letter: %q", lower))
			}
		case !strings.ContainsAny(lower, "aeiouy"):
			return fails(1, "spell "+quotedText(w.text)+" out in the name", "abbreviation: %q", shown(lower, shownName))
		case half == nil && len(w.text) <= 5 && inCapitals(w.text) && slices.ContainsFunc(all,
			func(w nameWord) bool { return !inCapitals(w.text) }):
			half = new(fails(0.5, "spell "+quotedText(w.text)+" out in the name, or explain it in the description", "in capitals: %q",
				w.text))
		}
	}
	if half != nil {
		return *half
	}
	return verdict{}
}

func besideDigits(all []nameWord, i int) bool {
	digits := func(i int) bool {
		return 0 <= i && i < len(all) && !strings.ContainsFunc(all[i].text, func(r rune) bool { return !unicode.IsDigit(r) })
	}
	return digits(i-1) || digits(i+1)
}

// inCapitals reports whether a word has no letter that is not a capital.
func inCapitals(s string) bool { return strings.ToUpper(s) == s }
