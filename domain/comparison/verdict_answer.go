package comparison

// known is what is known of an answer when it is compared to another one.
type known struct {
	Answer
	reading
	// sole is what the text is, or the only figure or date in it.
	sole *value
}

func know(a Answer) *known {
	k := &known{Answer: a, reading: read(a.Text)}
	var figures []figure
	for _, f := range k.figures {
		if !f.doubtful && !f.isYear() {
			figures = append(figures, f)
		}
	}
	switch v, ok := k.reading.value(); {
	case ok && v.label == "":
		k.sole = &v
	case len(figures) == 1:
		k.sole = &value{figure: &figures[0]}
	case len(figures) == 0 && len(k.dates) == 1:
		k.sole = &value{date: &k.dates[0]}
	case ok:
		k.sole = &v
	}
	return k
}

// compare tells whether two answers say the same, Equal, Different or Undecided, by what
// both have of: rows, fields, values in the text, the text (regime D.2, D.4). Columns
// that only one of them has make no difference.
func (k *known) compare(l *known) Likeness {
	if k.CannotTell || l.CannotTell {
		return likeness(k.CannotTell == l.CannotTell)
	}
	if k.Rows != nil && l.Rows != nil {
		narrow, wide := k.Rows, l.Rows
		if narrow.width() > wide.width() {
			narrow, wide = wide, narrow
		}
		if got, _ := CompareResultSets(*narrow, *wide, false); got != Undecided {
			return likeness(got != Different)
		}
	}
	if len(k.Fields) > 0 && len(l.Fields) > 0 {
		return likeness(sameFields(k.Fields, l.Fields))
	}
	if k.text != "" && k.text == l.text {
		return Equal
	}
	there, back := k.within(l), l.within(k)
	switch {
	case there == holds || back == holds:
		return Equal
	case there == lacks || back == lacks:
		return Different
	}
	return Undecided
}

func likeness(equal bool) Likeness {
	if equal {
		return Equal
	}
	return Different
}

// within looks for the value of an answer in another answer's text.
func (k *known) within(l *known) finding {
	if k.sole == nil {
		return undecided
	}
	return k.sole.in(l.reading)
}
