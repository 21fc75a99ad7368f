package instructions

import (
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// onlyLinguistic selects models whose preparation for AI is in a linguistic schema alone. Others are not judged, or a first
// synonym would earn.
func onlyLinguistic(x *model.Scope) bool { return x.Src.AIFormat() == semanticmodel.LinguisticFormat }

// isCopilot selects models with a folder Copilot.
func isCopilot(x *model.Scope) bool { return x.Src.Copilot.Present }

// linguisticFormat says that the format is going, and what an upgrade keeps and loses. With Q&A off nothing reads it.
func linguisticFormat(x *model.Scope) rule.Verdict {
	synonyms, phrasings := 0, 0
	for i := range x.Src.Cultures {
		c := &x.Src.Cultures[i]
		synonyms += c.Synonyms()
		phrasings += c.Phrasings
	}
	holds := wording.Count(synonyms, "synonym") + " and " + wording.Count(phrasings, "phrasing")
	if x.Instructions != "" {
		holds = "AI instructions, " + holds
	}
	if x.Src.QnA == semanticmodel.QnAOff {
		return rule.Fails(1, "upgrade its preparation for AI (Prep data for AI in Power BI): Q&A is off, so nothing reads its linguistic schemas",
			"%s in a linguistic schema; settings.qnaEnabled is false", holds)
	}
	v := rule.Fails(1, "plan the upgrade of its preparation for AI (Prep data for AI in Power BI), as Q&A and the linguistic schema retire: "+
		"it keeps synonyms and suggested questions, loses phrasings, turns Q&A off for good, and Q&A visuals on its reports show an error",
		"%s in a linguistic schema", holds)
	v.Severity = finding.Low
	return v
}

// lacksIndex selects the models that fail: an index is the default, which earns nothing.
func lacksIndex(x *model.Scope) bool { return isCopilot(x) && unindexed(x).Violation > 0 }

// unindexed judges whether values of text columns that people filter by are indexed.
func unindexed(x *model.Scope) rule.Verdict {
	c := &x.Src.Copilot
	if c.Indexing != nil && !*c.Indexing {
		return rule.Fails(1, "turn indexing on in Copilot/settings.json, so that an AI finds the values that questions name",
			"indexingEnabled is false")
	}
	none := map[model.Ref]bool{}
	if c.Schema != nil {
		for _, t := range c.Schema.Tables {
			for _, f := range t.Columns {
				none[model.Ref{Table: wording.Norm(t.Name), Field: wording.Norm(f.Name)}] = f.Index == "None"
			}
		}
	}
	asked, names := 0, []string(nil)
	for _, o := range x.C {
		if !o.Is(semanticmodel.String) || !o.Table.Dimension() || o.Key {
			continue
		}
		asked++
		if none[model.Ref{Table: o.Table.Norm, Field: o.Norm}] {
			names = append(names, wording.LowerFirst(model.Title(&o.Object)))
		}
	}
	if len(names) == 0 {
		return rule.Verdict{}
	}
	return rule.Fails(float64(len(names))/float64(asked), "index the values of "+wording.Listed(names, wording.MostNamed)+
		", unless they have 100 characters or more", "index is None")
}

// promptsNamed judges whether the example prompts ask about what an AI sees.
func promptsNamed(x *model.Scope) rule.Verdict {
	prompts := x.Src.Copilot.Prompts
	if len(prompts) == 0 {
		return rule.Fails(1, "add example prompts (Copilot/examplePrompts.json) that the model answers", "no example prompt")
	}
	seen, unseen := map[string]bool{}, map[string]*model.Object{}
	for _, o := range x.Objects {
		if name := wording.JoinWords(o.Words); x.In(o) {
			seen[name] = true
		} else if len(o.Words) > 1 && unseen[name] == nil {
			unseen[name] = o
		}
	}
	failing, first := 0, ""
	for _, p := range prompts {
		words := wording.Words(p)
		var hidden *model.Object
		for at := 0; at < len(words) && hidden == nil; at++ {
			for n := 2; n <= longestName && at+n <= len(words); n++ {
				if name := wording.JoinWords(words[at : at+n]); !seen[name] && unseen[name] != nil {
					hidden = unseen[name]
				}
			}
		}
		if hidden != nil {
			failing++
			if first == "" {
				first = "the prompt " + wording.QuotedText(p) + " names " + wording.LowerFirst(model.Title(hidden)) + ", which an AI does not see"
			}
		}
	}
	if failing == 0 {
		return rule.Verdict{}
	}
	return rule.Fails(float64(failing)/float64(len(prompts)), "change the example prompts that name what an AI does not see, or show it",
		"%s", first)
}
