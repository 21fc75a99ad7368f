package webhook

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"readiness/domain"
)

// maxName is how many characters of a name a sentence has.
const maxName = 100

// plain returns a name on one line, without characters that change how the text around it is shown.
func plain(name string) string {
	return domain.Shortened(strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r) || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, name)), maxName)
}

// slackEscapes are the characters that Slack reads as markup: mentions and links begin with <.
var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Body returns the message as it is sent, and its media type.
func (m Message) Body(f Format, id uuid.UUID, accountID string) (body []byte, mediaType string, err error) {
	var v any
	mediaType = "application/json"
	switch f {
	case Slack:
		v = map[string]any{"text": slackEscapes.Replace(m.Sentence())}
	case Teams:
		// A RichTextBlock shows text as it is; other blocks read names as Markdown.
		v = map[string]any{"type": "message", "attachments": []any{map[string]any{
			"contentType": "application/vnd.microsoft.card.adaptive",
			"content": map[string]any{"type": "AdaptiveCard", "version": "1.4", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
				"fallbackText": string(m.Kind), "body": []any{map[string]any{"type": "RichTextBlock", "inlines": []any{
					map[string]any{"type": "TextRun", "text": m.Sentence()}}}}},
		}}}
	case CloudEvents:
		mediaType = "application/cloudevents+json"
		v = struct {
			SpecVersion string    `json:"specversion"`
			ID          uuid.UUID `json:"id"`
			Source      string    `json:"source"`
			Type        Kind      `json:"type"`
			Subject     string    `json:"subject"`
			Time        time.Time `json:"time"`
			ContentType string    `json:"datacontenttype"`
			Data        Data      `json:"data"`
		}{"1.0", id, "/accounts/" + url.PathEscape(accountID), m.Kind, m.Subject, m.At.UTC(), "application/json", m.Data}
	default:
		return nil, "", fmt.Errorf("webhook: there is no format %q", f)
	}
	body, err = json.Marshal(v)
	return body, mediaType, err
}
