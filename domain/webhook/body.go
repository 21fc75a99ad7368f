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

// Body returns the message as it is sent, and its media type. It links to the console at the address; "" for none.
func (m Message) Body(f Format, id uuid.UUID, accountID, console string) (body []byte, mediaType string, err error) {
	var v any
	if path := m.page(); console != "" && path != "" {
		m.Data.ConsoleURL = strings.TrimRight(console, "/") + path
	}
	link := m.Data.ConsoleURL
	mediaType = "application/json"
	switch f {
	case Slack:
		text := slackEscapes.Replace(m.Sentence())
		if link != "" {
			text += " <" + slackEscapes.Replace(strings.ReplaceAll(link, "|", "%7C")) + "|Open in the console>"
		}
		v = map[string]any{"text": text}
	case Teams:
		// A RichTextBlock shows text as it is; other blocks read names as Markdown.
		card := map[string]any{"type": "AdaptiveCard", "version": "1.4", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
			"fallbackText": string(m.Kind), "body": []any{map[string]any{"type": "RichTextBlock", "inlines": []any{
				map[string]any{"type": "TextRun", "text": m.Sentence()}}}}}
		if link != "" {
			card["actions"] = []any{map[string]any{"type": "Action.OpenUrl", "title": "Open in the console", "url": link}}
		}
		v = map[string]any{"type": "message", "attachments": []any{map[string]any{
			"contentType": "application/vnd.microsoft.card.adaptive", "content": card,
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
