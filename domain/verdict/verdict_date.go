package verdict

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// date is a day written in a text, or a month; day is 0 for a month.
type date struct {
	text             string
	year, month, day int
}

const (
	monthName = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\.?`
	midnight  = `(?:[t ]00:00(?::00(?:\.0+)?)?(?:z|\+00:00)?)?`
)

// dateForms are the forms in which dates are written. groups names the submatches: y,
// m, d, or n for the name of a month. The first form that matches wins. For speed, a
// form is tried only when the text contains one of its marks; forms with the name of a
// month have none.
var dateForms = []struct {
	groups, marks string
	form          *regexp.Regexp
}{
	{"ymd", "-", regexp.MustCompile(`(?i)\b(\d{4})-(\d\d)-(\d\d)` + midnight + `\b`)},
	{"ymd", "/", regexp.MustCompile(`\b(\d{4})/(\d\d?)/(\d\d?)\b`)},
	{"dmy", ".", regexp.MustCompile(`\b(\d\d?)\.(\d\d?)\.(\d{4})\b`)},
	{"mdy", "/-", regexp.MustCompile(`\b(\d\d?)[/-](\d\d?)[/-](\d{4})\b`)},
	{"dny", "", regexp.MustCompile(`(?i)\b(\d\d?)(?:st|nd|rd|th)?[ -](?:of )?` + monthName + `[,]?[ -](\d{4})\b`)},
	{"ndy", "", regexp.MustCompile(`(?i)\b` + monthName + ` (\d\d?)(?:st|nd|rd|th)?,? (\d{4})\b`)},
	{"ny", "", regexp.MustCompile(`(?i)\b` + monthName + `,? (\d{4})\b`)},
	{"ym", "-", regexp.MustCompile(`\b(\d{4})-(\d\d)\b`)},
}

const months = "janfebmaraprmayjunjulaugsepoctnovdec"

func namesMonth(s string) bool {
	s = strings.ToLower(s)
	for i := 0; i < len(months); i += 3 {
		if strings.Contains(s, months[i:i+3]) {
			return true
		}
	}
	return false
}

// findDates returns the dates of a text, and the text with each date replaced by its
// year, which may be a figure.
func findDates(s string) (dates []date, rest string) {
	named := namesMonth(s)
	for _, f := range dateForms {
		if f.marks == "" && !named || f.marks != "" && !strings.ContainsAny(s, f.marks) {
			continue
		}
		s = f.form.ReplaceAllStringFunc(s, func(text string) string {
			found := readDate(text, f.groups, f.form.FindStringSubmatch(text)[1:])
			if len(found) == 0 {
				return text
			}
			dates = append(dates, found...)
			return strconv.Itoa(found[0].year)
		})
	}
	return dates, s
}

// readDate parses the submatches of a date. A date whose day and month could be swapped
// gives both.
func readDate(text, groups string, parts []string) []date {
	d := date{text: text}
	for i, group := range groups {
		n, _ := strconv.Atoi(parts[i])
		switch group {
		case 'y':
			d.year = n
		case 'm':
			d.month = n
		case 'd':
			d.day = n
		case 'n':
			d.month = strings.Index(months, strings.ToLower(parts[i]))/3 + 1
		}
	}
	var all []date
	if d.exists() {
		all = append(all, d)
	}
	if groups == "mdy" && d.month != d.day {
		if d.month, d.day = d.day, d.month; d.exists() {
			all = append(all, d)
		}
	}
	return all
}

func (d date) exists() bool {
	day := max(d.day, 1)
	t := time.Date(d.year, time.Month(d.month), day, 0, 0, 0, 0, time.UTC)
	return d.year > 0 && int(t.Month()) == d.month && t.Day() == day
}

// in looks for a date among those of a text. Months and days are not compared to each
// other.
func (d date) in(others []date) finding {
	outcome := undecided
	for _, o := range others {
		switch {
		case o.year == d.year && o.month == d.month && o.day == d.day:
			return holds
		case (o.day == 0) == (d.day == 0):
			outcome = lacks
		}
	}
	return outcome
}
