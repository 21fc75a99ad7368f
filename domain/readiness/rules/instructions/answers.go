package instructions

import (
	"regexp"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

const (
	mostAnswers = 250
	mostFilters = 3
)

// unanswered are the types of visuals that cannot be a verified answer, with what people call them.
var unanswered = map[string]string{
	"cardVisual": "card (new)", "textbox": "text box", "qnaVisual": "Q&A", "keyDriversVisual": "key influencers",
	"decompositionTreeVisual": "decomposition tree", "aiNarratives": "narrative", "scriptVisual": "R visual", "pythonVisual": "Python visual",
}

// customVisual matches the types of visuals that are not Power BI's: they end in their GUID or in the time of their making.
var customVisual = regexp.MustCompile(`^PBI_CV_|[0-9A-Fa-f]{12}$`)

// beyondLimits judges what the platform does not take or give as a verified answer. INS-08 has the limits of trigger phrases, VIS-07 hidden
// fields, and INS-09 fields that are gone or of the report alone.
func beyondLimits(x *model.Scope, all []*model.Answer) func(*model.Answer) rule.Verdict {
	taken := map[*model.Answer]bool{}
	for i, a := range all {
		taken[a] = i < mostAnswers
	}
	return func(a *model.Answer) rule.Verdict {
		name := unanswered[a.Src.VisualType]
		if name == "" && customVisual.MatchString(a.Src.VisualType) {
			name = "custom visual"
		}
		if name != "" {
			return rule.Fails(1, "build it on another visual, as a "+name+" cannot be a verified answer", "the type is %s", a.Src.VisualType)
		}
		for _, f := range a.Src.Fields {
			if o := x.LookUp(f.Table, f.Name); o != nil && o.Table.FieldParameter {
				return rule.Fails(1, "build it again on the fields themselves, as field parameter "+wording.Quoted(o.Table.Src.Name)+
					" cannot be in a verified answer", "it uses a field parameter")
			}
		}
		switch {
		case a.Src.Filters > mostFilters:
			return rule.Fails(1, "keep the 3 filters that matter most", "%s", wording.Count(a.Src.Filters, "filter"))
		case !taken[a]:
			return rule.Fails(1, "keep the 250 verified answers that are asked most", "%d verified answers", len(all))
		}
		return rule.Verdict{}
	}
}
