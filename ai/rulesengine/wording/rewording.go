package wording

import "strings"

// Rewording replaces words of a question by words that mean the same, or by nothing.
type Rewording struct{ Words, By string }

// Rewordings are made before a question is read, longer ones first.
var Rewordings = rewordings(`
	how long does it take us on average to = average
	how long does it take on average to = average
	how long does it take us to = average
	how long does it take to = average
	how long do we take to = average
	how long does it take = average
	how fast do we = average
	how quickly do we = average
	hour of the day = hour
	time of day = hour
	day of the week = weekday
	month of the year = month
	year over year = this year vs last year
	this calendar year = this year
	current calendar year = this year
	last calendar year = last year
	from lowest to highest =
	from highest to lowest =
	from low to high =
	from high to low =
	in terms of = by
	leave out = excluding
	least satisfied = lowest satisfaction
	most satisfied = highest satisfaction
	happiest = highest satisfaction
	unhappiest = lowest satisfaction
	at the moment =
	these days =
	of all time =
	right now =
	in total =
	as well =
	at all =
	look like =
	looks like =
	quick question =
	give away =
	gave away =
	made up =
	per cent = percent
	volume = count
	gimme = show
	yr = year
	yrs = years
	qtr = quarter
	mth = month
	wk = week
`, `stuff please pls plz thanks kindly actually hey hi hello lets ever curious wondering look looking get got gotten make made place placed
	come comes coming came bring brings brought send sends sent raise raised log logged submit submitted handle handles handled take takes
	took run ran offer employ serve served located based work works working keep hold holds happening wanna perform performed performing
	deal attributed individual belong belongs belonging roughly approximately wise receive earn earns earned deliver delivers delivered`)

// rewordings reads one replacement a line, and the light words: those without a meaning unless a name of the model has them.
func rewordings(lines, light string) (all []Rewording) {
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		words, by, _ := strings.Cut(line, "=")
		all = append(all, Rewording{strings.TrimSpace(words), strings.TrimSpace(by)})
	}
	for _, w := range strings.Fields(light) {
		all = append(all, Rewording{Words: w})
	}
	return all
}

// SameThings are synonyms. A word that the model does not have is read as the only synonym that it has.
var SameThings = []string{
	"shop store outlet branch", "client customer buyer", "staff employee worker personnel", "revenue sales turnover",
	"item product article", "vendor supplier", "depot warehouse", "footfall visitors traffic", "discount rebate markdown",
	"refund reimbursement", "ticket case", "rep agent", "satisfaction csat", "prio priority", "dept department", "inventory stock",
	"profit earnings", "profit result", "wage salary pay", "nation country", "territory region area", "budgeted budget plan planned",
	"visit visited visitor", "resolve resolution resolved solve solved", "respond response responded answer answered reply",
	"satisfied satisfaction csat", "accurate accuracy", "profitable profit", "reorder reordering", "manager boss", "orders purchases",
	"kind type category", "ship shipping shipped", "receive received receipt",
}
