package declared_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"readiness/cmd/declared"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(declared.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("accounts.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("accounts.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid validates a JSON text against the schema.
func valid(t interface{ Fatal(...any) }, s *jsonschema.Schema, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// The schema describes every member that the parser reads, and no other.
func TestSchemaHasTheMembersOfTheFile(t *testing.T) {
	t.Parallel()
	type node struct {
		Ref                  string `json:"$ref"`
		Type                 any
		Description          string
		AdditionalProperties *bool
		Properties           map[string]*node
		Items                *node
		AnyOf                []*node
		Defs                 map[string]*node `json:"$defs"`
	}
	var root node
	if err := json.Unmarshal(declared.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	members := 0
	var walk func(path string, n *node, typ reflect.Type)
	walk = func(path string, n *node, typ reflect.Type) {
		if len(n.AnyOf) > 0 {
			n = n.AnyOf[0]
		}
		if of, ok := root.Defs[strings.TrimPrefix(n.Ref, "#/$defs/")]; ok {
			n = of
		}
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch typ.Kind() {
		case reflect.Slice:
			if n.Items == nil {
				t.Errorf("%s: the schema does not describe a list", path)
				return
			}
			walk(path+"[]", n.Items, typ.Elem())
		case reflect.Struct:
			if n.AdditionalProperties == nil || *n.AdditionalProperties {
				t.Errorf("%s: the schema allows members that are not read", path)
			}
			described := map[string]bool{}
			for name, p := range n.Properties {
				described[name] = true
				if p.Description == "" {
					t.Errorf("%s.%s is not described", path, name)
				}
			}
			for i := range typ.NumField() {
				name := typ.Field(i).Tag.Get("yaml")
				members++
				if !described[name] {
					t.Errorf("%s.%s is read and not in the schema", path, name)
					continue
				}
				delete(described, name)
				walk(path+"."+name, n.Properties[name], typ.Field(i).Type)
			}
			for name := range described {
				t.Errorf("%s.%s is in the schema and not read", path, name)
			}
		}
	}
	walk("", &root, declared.FileType)
	if members < 30 {
		t.Errorf("only %d members were checked", members)
	}
}

// The schema accepts the samples that users see.
func TestSchemaAcceptsTheSamples(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	sample, err := os.ReadFile("../../samples/accounts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string][]byte{"samples/accounts.yaml": sample, "every member": []byte(everyMember)} {
		text, err := yaml.YAMLToJSON(src)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, s, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// values lists, by member, values for generated files: valid, invalid and boundary ones.
var values = map[string][]any{
	"accountId":          {"contoso", "fabrikam", "a b", "", strings.Repeat("a", 64), strings.Repeat("a", 65), "ä"},
	"plan":               {"Free", "Team", "Business", "Enterprise", "free", ""},
	"status":             {"Active", "Suspended", "Closed", "Expired", "active", ""},
	"definitionCopies":   {"None", "Keep30Days", "", "none"},
	"licenseId":          {"main", "other", "", "a/b"},
	"license":            {"main", "other", ""},
	"allocated":          {0, 1, -1, 1<<31 - 1, 1 << 31, "1"},
	"provisioningStatus": {"Provisioning", "Provisioned", "Failed", "provisioned", ""},
	"dataResidency":      {"Service", "CustomerLake", "CustomerStorage", "Lake", ""},
	"role":               {"admin", "member", "Admin", ""},
	"size":               {0, 1, 64, 65, -1, "2"},
	"corner":             {"TopLeft", "TopRight", "BottomLeft", "BottomRight", "Middle", ""},
	"kind":               {"rules", "openai", "anthropic", "openai_compatible", "azure_openai", "data_agent", "other", ""},
	"apiKeyEnv":          {"KEY", "_k1", "1K", "sk-123", "", strings.Repeat("K", 128), strings.Repeat("K", 129)},
	"credential":         {"clientSecret", "clientCertificate", "workloadIdentity", "managedIdentity", "password", ""},
	"tenantId":           {"contoso.com", "a", "a/b", "", ".a", "a.", strings.Repeat("a", 100), strings.Repeat("a", 101)},
	"workspaceId":        ids, "dataAgentId": ids, "clientId": ids,
	"issuer": addresses, "collectorBaseUrl": addresses, "baseUrl": addresses,
	"addPixies": switches, "capacityDetails": switches, "aiFeatures": switches, "fabricWrites": switches, "default": switches, "capacityRequired": switches,
	"platform": accesses, "usage": accesses, "storage": accesses, "agent": accesses,
	"person": texts, "region": texts, "label": texts, "name": texts, "model": texts, "apiVersion": texts, "excludePages": texts,
}

var (
	texts = []any{"ada", "Analytics: main", "", " ada", "ada ", "a\tb", "a\nb", "\u00a0ada", "ada\u3000", "a\u0085b", "ä", strings.Repeat("é", 256), strings.Repeat("é", 257), 5}

	ids      = []any{"6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90", "6F1C2F3A-8F0E-4A53-9D4E-0D1A3C5B7E91", "6f1c2f3a8f0e4a539d4e0d1a3c5b7e90", "{6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90}", "00000000-0000-0000-0000-000000000000", "sales", ""}
	accesses = []any{"Granted", "ConsentRequired", "Unavailable", "granted"}
	switches = []any{false, "yes", 1}

	addresses = []any{"https://x.example", "http://127.0.0.1:11434/v1", "HTTPS://x.example/a", "", "x.example", "ftp://x.example", "https://u:p@x.example", "https://x.example/?a=b", "https://x.example/#a", "https://", " https://x.example"}
)

// odd lists values that are valid for no member, or for few.
var odd = []any{nil, "", "other", 5, true, []any{}, []any{nil}, map[string]any{}, map[string]any{"other": 1}}

// variants calls do once for each variant of the file: each member in turn omitted, misspelled, and set to each other
// value.
func variants(v any, name string, set func(any), do func()) {
	for _, other := range append(append([]any{}, values[name]...), odd...) {
		set(other)
		do()
	}
	set(v)
	switch v := v.(type) {
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(v)) {
			value := v[member]
			delete(v, member)
			do()
			v[member+"s"] = value
			do()
			delete(v, member+"s")
			variants(value, member, func(other any) { v[member] = other }, do)
		}
	case []any:
		for i, value := range v {
			variants(value, name, func(other any) { v[i] = other }, do)
		}
	}
}

// between lists the messages of rules between members, which a schema cannot express.
var between = []string{"is declared twice", "cannot both be the default", "the account declares no license", "has room for", "is declared at accounts", "has two tracking setups"}

// The schema accepts what the parser accepts. What only the schema accepts breaks a rule between members.
func TestSchemaAgreesWithTheParser(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	right, err := yaml.YAMLToJSON([]byte(everyMember))
	if err != nil {
		t.Fatal(err)
	}
	var file any
	if err := json.Unmarshal(right, &file); err != nil {
		t.Fatal(err)
	}
	accepted, rejected := 0, 0
	variants(file, "", func(v any) { file = v }, func() {
		text, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		described := valid(t, s, text)
		_, parsed := parse(string(text))
		switch {
		case described == nil && parsed == nil:
			accepted++
		case described != nil && parsed != nil:
			rejected++
		case parsed == nil:
			t.Errorf("the parser accepts\n%s\nand the schema does not: %v", text, described)
		default:
			for fault := range strings.Lines(parsed.Error()) {
				if !slices.ContainsFunc(between, func(rule string) bool { return strings.Contains(fault, rule) }) {
					t.Errorf("the schema accepts\n%s\nand the parser does not: %s", text, fault)
				}
			}
		}
	})
	t.Logf("%d files were accepted and %d rejected by both", accepted, rejected)
	if accepted < 100 || rejected < 100 {
		t.Errorf("%d files were accepted and %d rejected by both, want many of each", accepted, rejected)
	}
}

// Changing a returned schema does not change the next one.
func TestSchemaIsACopy(t *testing.T) {
	t.Parallel()
	clear(declared.Schema())
	if !json.Valid(declared.Schema()) {
		t.Error("the schema was changed")
	}
}
