package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestSynonymRules(t *testing.T) {
	t.Parallel()
	one := func(parts ...any) *semanticmodel.Model {
		return model(append([]any{table("S", measure("Net", "1"))}, parts...)...)
	}
	two := func(parts ...any) *semanticmodel.Model {
		return model(append([]any{table("S", measure("Net", "1"), measure("Gross", "2"))}, parts...)...)
	}
	// inSchema gives the first measure terms in schema.json.
	inSchema := func(terms ...string) modelOption {
		return func(m *semanticmodel.Model) {
			m.Copilot.Schema = &semanticmodel.AISchema{Tables: []semanticmodel.AITable{{Name: "s", Measures: []semanticmodel.AIField{{Name: "NET", Synonyms: terms}}}}}
		}
	}
	hierarchyTerms := func(m *semanticmodel.Model) {
		synonyms("S[Net]", "", "revenue")(m)
		m.Cultures[0].Entities[0].OfHierarchy = true
	}
	rules(t, map[string][]row{
		"SYN-01": {
			{"none", one(), "S[Net] 1"},
			{"of each authored state", model(table("S", measure("a", "1"), measure("b", "1"), measure("c", "1")), synonyms("S[a]", "", "x"), synonyms("S[b]", "Authored", "y"), synonyms("S[c]", "User", "z")), "S[a] 0, S[b] 0, S[c] 0"},
			{"of other states", model(table("S", measure("a", "1"), measure("b", "1"), measure("c", "1")), synonyms("S[a]", "Generated", "x"), synonyms("S[b]", "Deleted", "y"), synonyms("S[c]", "Suggested", "z")), "S[a] 1, S[b] 1, S[c] 1"},
			{"names under norm", one(synonyms(" s[NET ]", "", "revenue")), "S[Net] 0"},
			{"the name itself", one(synonyms("S[Net]", "", " NET ")), "S[Net] 1"},
			{"a blank one", one(synonyms("S[Net]", "", " ")), "S[Net] 1"},
			{"of a hierarchy", one(modelOption(hierarchyTerms)), "S[Net] 1"},
			{"of the table", one(synonyms("S", "", "revenue")), "S[Net] 1"},
			{"words that say no more", one(synonyms("S[Net]", "", "the nets", "net value data")), "S[Net] 1"},
			{"the name's words joined", model(table("S", measure("Churn Rate", "1")), synonyms("S[Churn Rate]", "", "ChurnRates")), "S[Churn Rate] 1"},
			{"an abbreviation that is a word of grammar", one(synonyms("S[Net]", "", "IT")), "S[Net] 0"},
			{"in schema.json", one(inSchema("revenue")), "S[Net] 0"},
			{"text of a dimension", products(text("Title"), text("Name", hidden), whole("Size")), "Products[Title] 1"},
			{"text that is a key", model(table("Sales", text("P")), table("Products", text("Code")), related("Sales[P] -> Products[Code]")), ""},
			{"text of a fact", model(table("Sales", whole("P"), text("Note")), table("Products", whole("Id")), related("Sales[P] -> Products[Id]")), ""},
			{"a hidden measure", model(table("S", measure("Net", "1", hiddenMeasure))), ""},
		},
		"SYN-02": {
			{"none", one(), "S[Net] 1"},
			{"its own", one(synonyms("S[Net]", "", "revenue")), "S[Net] 0"},
			{"shared, in other case", two(synonyms("S[Net]", "", "revenue"), synonyms("S[Gross]", "", "Revenue", "all")), "S[Gross] 1, S[Net] 1"},
			{"the name of another", two(synonyms("S[Net]", "", "gross"), synonyms("S[Gross]", "", "all")), "S[Gross] 0, S[Net] 1"},
			{"the name of a table", one(synonyms("S[Net]", "", "s")), "S[Net] 1"},
			{"a term of a table", one(synonyms("S[Net]", "", "revenue"), synonyms("S", "", "revenue")), "S[Net] 1"},
			{"its own name beside a good one", one(synonyms("S[Net]", "", "net", "revenue")), "S[Net] 0"},
			{"its own in two cultures", one(synonyms("S[Net]", "", "revenue"), synonyms("S[Net]", "", "revenue")), "S[Net] 0"},
			{"its own in both places", one(synonyms("S[Net]", "", "revenue"), inSchema("Revenue")), "S[Net] 0"},
			{"of a hidden object", model(table("S", measure("Net", "1"), text("Revenue", hidden)), synonyms("S[Net]", "", "revenue")), "S[Net] 0"},
			{"of one that is not judged", model(table("S", measure("Net", "1"), amount("Revenue")), synonyms("S[Net]", "", "revenue")), "S[Net] 1"},
		},
	})
}
