package lift

import (
	"slices"
	"strings"

	"readiness/domain/optimization"
)

// line is a part of proposed AI instructions: a line with what continues it, and the blank lines before it.
type line struct {
	text    string
	heading bool
	section int // which heading it stands under; 0 for none
}

// linesOf returns what a change adds to the AI instructions; before is the text that stays in front of it. A text that was written anew
// has none.
func linesOf(o optimization.Object) (before string, all []line) {
	if o.Previous != nil && strings.HasPrefix(*o.Written, *o.Previous) {
		before = *o.Previous
	}
	blank, section := "", 0
	for one := range strings.Lines((*o.Written)[len(before):]) {
		last := len(all) - 1
		switch heading := strings.HasPrefix(one, "#"); {
		case strings.TrimSpace(one) == "":
			blank += one
		case last >= 0 && blank == "" && !all[last].heading && strings.TrimLeft(one, " \t") != one:
			all[last].text += one
		default:
			if heading {
				section++
			}
			all = append(all, line{blank + one, heading, section})
			blank = ""
		}
	}
	if len(all) > 0 {
		all[len(all)-1].text += blank
	}
	return before, all
}

// unitsOf returns a change of the AI instructions line by line, without headings, which stand and fall with their lines.
func unitsOf(c change) (units []change) {
	_, all := linesOf(c.Object)
	for i, l := range all {
		alone := l.heading && (i+1 == len(all) || all[i+1].heading)
		if !l.heading || alone {
			c.line = i + 1
			units = append(units, c)
		}
	}
	return units
}

// instructionsOf returns the AI instructions with only some of the proposed lines, and these.
func instructionsOf(units []change) (whole, lines string) {
	before, all := linesOf(units[0].Object)
	chosen := func(i int) bool {
		return slices.ContainsFunc(units, func(u change) bool {
			return u.line == i+1 || all[i].heading && all[u.line-1].section == all[i].section
		})
	}
	for i, l := range all {
		if chosen(i) {
			lines += l.text
		}
	}
	first := all[0].text
	gap := first[:len(first)-len(strings.TrimLeft(first, " \t\r\n"))] // what parts the first line from the text before it
	if before != "" && !strings.HasPrefix(lines, gap) {
		lines = gap + lines
	}
	return before + lines, strings.TrimSpace(lines)
}

// sectionName names the section of a line of the AI instructions.
func sectionName(c change) string {
	_, all := linesOf(c.Object)
	for _, l := range all {
		if l.heading && l.section == all[c.line-1].section {
			return "AI instructions, " + strings.Trim(l.text, "# \t\r\n")
		}
	}
	return "AI instructions, the beginning"
}

// name names a change, or a line of the AI instructions.
func (c change) name() string {
	if c.line == 0 {
		return c.Key
	}
	_, all := linesOf(c.Object)
	return "AI instructions: " + strings.Join(strings.Fields(all[c.line-1].text), " ")
}
