package clientcmd

import (
	"testing"

	"readiness/client"
	"readiness/cmd/readiness/clientcmd/sheet"
)

func TestOriginLines(t *testing.T) {
	t.Parallel()
	origin := &client.TextOrigin{Provider: "Ours", Model: new("m"), PromptVersion: "descriptions/1", RequestHash: "ab"}
	for name, tt := range map[string]struct {
		preview client.Preview
		want    string
	}{
		"no AI": {client.Preview{Changes: []client.PreviewChange{{Key: "Sales|"}}}, ""},
		"an AI": {client.Preview{Flagged: new(2), Changes: []client.PreviewChange{
			{Key: "Sales|", Origin: origin}, {Key: "Date|", Origin: origin, ReviewRequired: new("it contradicts a line")}}},
			"Texts by Ours m, prompt descriptions/1\nReview Date|: it contradicts a line\n2 texts of the AI provider were dropped:\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &sheet.Sheet{}
			originLines(s, tt.preview)
			if got := s.String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
