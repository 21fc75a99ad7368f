package wording

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	nfc "golang.org/x/text/unicode/norm"
)

// FamiliarAbbreviations need no explanation (rule NAM-03).
var FamiliarAbbreviations = SetOf("ytd,mtd,qtd,wtd,py,pm,ly,lm,lq,yy,mm,kpi,sku,nps,crm,hr,vs,vat,gdp,pct,usd,gbp,chf,cfo,pdf,url,id," +
	"sql,xml,json,csv,html,http,https,uri,dns,tcp,udp,ip,vpn,ssl,tls,ssh,ftp,vm,vms,cpu,gpu,ram,ssd,hdd,os,db,dw,dwh,bi,ml,llm," +
	"kb,mb,gb,tb,pb,ms,ns,hz,khz,mhz,ghz,kw,kwh,mwh,sdk,rls,ols,crud,gps,sms,pos,b2b,b2c,rfm,nlp,png,svg,gmt,utc,cst,cet,hq,hrs,io,kg," +
	"km,cm," +
	"mrr,arr,cltv,ltv,cac,cpc,cpm,ctr,roi,rpm,p&l,wbs,fte,ftes,ttm,fy,ny,qoq,mom,yoy,wow,std,dtd,bps,avg,min,max,qty,r&d,q&a,m&a,vcpu," +
	"api,ai,ui,iso,us,uk,eu,erp,etl,sla,kql,mdx,dax,graphql,guid,uuid," +
	"nr,mr,mrs,dr,st,ph,tv,dvd,cd,pc,pcs,ltd,plc,llc,gmbh,tbd,hs,gl,ebt,npv,wtd,bps,gwh,twh,mw,gw,mm,ml,mg,hl,sqm,sqft,sq,ft,lb,lbs,kpa,psi," +
	"kv,mph,kph,kmh,hp,bbl,btu,ppm,hr,yr,yrs,qtr,qtrs,wk,wks,mth,mths,mgr,mgmt,jpy,cny,inr,sgd,nzd,sek,nok,dkk,pln,czk,huf,brl,mxn,hkd,krw," +
	"thb,it,ust,mwst,idnr,ssn,vin,gtin,upc,mpn,npi,lms,gmv,gsv,nsv,rrp,msrp,mrp,wip,mttr,mtbf,qc,hcm,css,php,sso,vpc,pst,mst,pdt,dst,tz,gb,nz")

// NameWord is a word of a name as it is written there.
type NameWord struct {
	Text     string
	Familiar bool // a familiar abbreviation, which may hold an ampersand
	Alone    bool // between brackets, without another word, or joined by a sign
}

// elided and shortened match the letters beside an apostrophe that are no words: d'affaires, Today's.
var (
	elided    = regexp.MustCompile(`(^|[^\pL])\pL{1,2}['’](\pL)`)
	shortened = regexp.MustCompile(`(\pL)['’]\pL{1,2}($|[^\pL])`)
	// clipped are letters after an apostrophe that begins a word: 'n', 's Morgens.
	clipped = regexp.MustCompile(`(^|[^\pL])['’‘]\pL{1,2}($|[^\pL])`)
)

// unitSigns are signs beside the letters of units, currencies and formulas: m², °C, k€, CO₂.
const unitSigns = "¹²³⁴⁵⁶⁷⁸⁹⁰₀₁₂₃₄₅₆₇₈₉°€£¥$µ"

// longestUnit is how many letters a unit beside a sign has.
const longestUnit = 3

// joining are signs that make one word of letters: P/E, A-B, C#.
const joining = "/&-.+#@*"

var pluralCapitals = regexp.MustCompile(`^[A-Z]{2,}s$`)

// NameWords returns the words of a name. They differ from words in that familiar
// abbreviations and capitals with a plural's s are not split.
func NameWords(name string) []NameWord {
	if name = nfc.NFC.String(name); strings.ContainsAny(name, "'’") {
		name = elided.ReplaceAllString(shortened.ReplaceAllString(clipped.ReplaceAllString(name, "$1$2"), "$1$2"), "$1$2")
	}
	isPart := func(r rune) bool { return r == '&' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	var all []NameWord
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
		if end-start <= longestUnit && isUnit(name[:start], name[end:]) {
			all = append(all, NameWord{Text: name[start:end], Familiar: true})
			start = end
			continue
		}
		all = append(all, tokenWords(name[start:end], inBrackets(name[:start], name[end:]) || isJoined(name[:start], name[end:]))...)
		start = end
	}
	return all
}

// tokenWords returns the words of a run of letters, digits and ampersands.
func tokenWords(token string, alone bool) []NameWord {
	lower := strings.ToLower(token)
	familiar := FamiliarAbbreviations[lower] || FamiliarAbbreviations[strings.TrimSuffix(lower, "s")]
	if pluralCapitals.MatchString(token) {
		token = strings.TrimSuffix(token, "s")
	} else if !familiar {
		var all []NameWord
		for _, w := range splitWords(token) {
			all = append(all, NameWord{Text: w, Alone: alone && len(w) == len(token) || strings.Contains(token, "&")})
		}
		return all
	}
	return []NameWord{{token, familiar, alone}}
}

// isJoined reports whether a sign joins what is between the two texts to another letter.
func isJoined(before, after string) bool {
	return before != "" && strings.Contains(joining, before[len(before)-1:]) || after != "" && strings.Contains(joining, after[:1])
}

// isUnit reports whether a sign of a unit is beside what is between the two texts.
func isUnit(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return before != "" && strings.ContainsRune(unitSigns, last) || after != "" && strings.ContainsRune(unitSigns, first)
}

// inBrackets reports whether brackets of one kind enclose what is between the two texts.
func inBrackets(before, after string) bool {
	before, after = strings.TrimRightFunc(before, unicode.IsSpace), strings.TrimLeftFunc(after, unicode.IsSpace)
	return slices.ContainsFunc([]string{"()", "[]", "{}"}, func(pair string) bool {
		return strings.HasSuffix(before, pair[:1]) && strings.HasPrefix(after, pair[1:])
	})
}
