package rewrite_test

import (
	"encoding/json"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/test/samples"
)

// backAndForth writes the changes to the definition unless it is refused, and
// restores them: each at once, one after the other, and in both orders.
func backAndForth(t *testing.T, d definition.Definition, changes ...rewrite.Change) {
	t.Helper()
	if _, err := semanticmodel.Read(d); err != nil {
		return
	}
	written, undos, err := rewrite.Write(d, changes)
	if err != nil {
		return
	}
	undos = stored(t, undos)
	restored, err := rewrite.Restore(written, undos)
	if err != nil {
		t.Fatal(err)
	}
	same(t, d, restored)
	forth, back := written, written
	for i := range undos {
		if forth, err = rewrite.Restore(forth, undos[i:i+1]); err != nil {
			t.Fatal(err)
		}
		n := len(undos) - i
		if back, err = rewrite.Restore(back, undos[n-1:n]); err != nil {
			t.Fatal(err)
		}
	}
	same(t, d, forth)
	same(t, d, back)
}

var visible = []rewrite.Change{
	change(rewrite.Visibility, "T", "C", "Hidden"), change(rewrite.Visibility, "T", "M", "Visible"), change(rewrite.Visibility, "T", "", "Visible"), change(rewrite.Instructions, "", "", "Be \"brief\"."),
}

// synonymous are changes that a linguistic schema may have no place for.
var synonymous = append(visible[:3:3], change(rewrite.Synonyms, "T", "C", "a\nb"), change(rewrite.Synonyms, "T", "", "c"), change(rewrite.Synonyms, "T", "M", "d"))

func FuzzSchema(f *testing.F) {
	for _, schema := range schemas {
		f.Add([]byte(strings.ReplaceAll(schema, "Sales", "T")))
	}
	for _, schema := range samples.Texts(f, samples.Ending("Copilot/schema.json")) {
		f.Add(schema)
	}
	f.Add([]byte("\ufeff{\"tables\": [ {\"name\":\"T\",\"visibility\":1,\"visibility\":null , \"columns\":[null,{\"name\":\"C\"}]}\r\n]}\r\n"))
	f.Fuzz(func(t *testing.T, schema []byte) {
		backAndForth(t, model("definition/a.tmdl", columnTMDL, "Copilot/schema.json", string(schema)), visible...)
		backAndForth(t, model("definition/a.tmdl", columnTMDL, "Copilot/schema.json", string(schema)), synonymous...)
	})
}

func FuzzLinguistic(f *testing.F) {
	for _, linguistic := range linguistics {
		f.Add(strings.ReplaceAll(linguistic, "Sales", "T"))
	}
	for _, culture := range samples.Texts(f, samples.Ending("cultures/en-US.tmdl")) {
		_, linguistic, _ := strings.Cut(string(culture), "linguisticMetadata =")
		linguistic, _, _ = strings.Cut(linguistic, "contentType:")
		f.Add(strings.TrimSpace(linguistic))
	}
	f.Add(strings.TrimPrefix(lsdl, "cultureInfo en-US\n\n\tlinguisticMetadata =\n"))
	f.Fuzz(func(t *testing.T, linguistic string) {
		const head = "cultureInfo en-US\n\n\tlinguisticMetadata ="
		for _, form := range []string{" " + linguistic, "\n\t\t\t" + linguistic, " ```\n" + linguistic + "\n\t\t\t```"} {
			backAndForth(t, model("definition/a.tmdl", columnTMDL, "definition/c.tmdl", head+form+"\n\t\tcontentType: json\n"), visible...)
		}
		text, err := json.Marshal(linguistic)
		if err != nil {
			t.Fatal(err)
		}
		for _, content := range []string{linguistic, string(text), strings.ReplaceAll(string(text), "e", `\u0065`)} {
			culture := `"culture": "en-US", "cultures": [{"name": "en-US", "linguisticMetadata": {"content": ` + content + `}}],`
			backAndForth(t, model("model.bim", strings.Replace(bim, `"culture": "en-US",`, culture, 1)), visible...)
		}
	})
}

// Any files are restored byte for byte.
func FuzzTMDL(f *testing.F) {
	f.Add(columnTMDL, "ref table T\n\t///\n\tmeasure N = 1\n", "a\nb")
	for _, text := range samples.Texts(f, samples.Ending(".tmdl")) {
		f.Add(string(text), "", "What it counts.")
	}
	f.Add("/// x\r\ntable T\r\n\tcolumn C", "model m\n\ttable t\n\t\tmeasure M\n", " ")
	f.Fuzz(func(t *testing.T, first, second, text string) {
		d := model("definition/a.tmdl", first, "definition/b.tmdl", second)
		m, err := semanticmodel.Read(d)
		if err != nil {
			return
		}
		var changes []rewrite.Change
		for _, target := range targets(d, m) {
			value := map[rewrite.Property]string{rewrite.SummarizeBy: "none", rewrite.Visibility: "Hidden"}[target.Property]
			if value == "" {
				value = text
			}
			if len(changes) < 8 && rewrite.CheckText(target.Property, value) == "" {
				changes = append(changes, rewrite.Change{Target: target, Value: value})
			}
		}
		backAndForth(t, d, changes...)
	})
}
