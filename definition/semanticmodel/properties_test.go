package semanticmodel_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestQnA(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, text string
		want       semanticmodel.QnA
	}{
		"no part":                       {"Copilot/version.json", "{}", semanticmodel.QnANoPart},
		"on":                            {"definition.pbism", `{"version":"4.2","settings":{"qnaEnabled":true}}`, semanticmodel.QnAOn},
		"off":                           {"definition.pbism", `{"settings":{"qnaEnabled":false,"x":1}}`, semanticmodel.QnAOff},
		"a byte order mark":             {"definition.pbism", "\ufeff" + `{"settings":{"qnaEnabled":false}}`, semanticmodel.QnAOff},
		"a path in another letter case": {"Definition.PBISM", `{"settings":{"qnaEnabled":false}}`, semanticmodel.QnAOff},
		"null":                          {"definition.pbism", `{"settings":{"qnaEnabled":null}}`, semanticmodel.QnAUnset},
		"no boolean":                    {"definition.pbism", `{"settings":{"qnaEnabled":"false"}}`, semanticmodel.QnAUnset},
		"a number":                      {"definition.pbism", `{"settings":{"qnaEnabled":0}}`, semanticmodel.QnAUnset},
		"settings without it":           {"definition.pbism", `{"settings":{}}`, semanticmodel.QnAUnset},
		"settings null":                 {"definition.pbism", `{"settings":null}`, semanticmodel.QnAUnset},
		"settings of another kind":      {"definition.pbism", `{"settings":[{"qnaEnabled":false}]}`, semanticmodel.QnAUnset},
		"outside settings":              {"definition.pbism", `{"qnaEnabled":false}`, semanticmodel.QnAUnset},
		"in another letter case":        {"definition.pbism", `{"settings":{"QnaEnabled":false}}`, semanticmodel.QnAUnset},
		"an array":                      {"definition.pbism", `[]`, semanticmodel.QnAUnset},
		"no JSON":                       {"definition.pbism", `{`, semanticmodel.QnAUnset},
		"empty":                         {"definition.pbism", ``, semanticmodel.QnAUnset},
	} {
		m, err := semanticmodel.Read(parts(map[string]string{"model.bim": `{"model":{}}`, c.path: c.text}))
		if err != nil {
			t.Fatal(err)
		}
		if m.QnA != c.want {
			t.Errorf("%s: got %q, want %q", name, m.QnA, c.want)
		}
	}
}
