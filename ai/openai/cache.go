package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"readiness/domain/proposal"
)

// cached is how many answers are cached, the latest ones.
const cached = 512

// cache holds usable answers by the question's hash, so that asking again costs nothing. The zero
// value is empty.
type cache struct {
	mu      sync.Mutex
	answers map[[sha256.Size]byte]string
	order   [][sha256.Size]byte
}

func (q question) hash() [sha256.Size]byte {
	text, err := json.Marshal(struct {
		System string
		Turns  []string
		Form   map[string]any
	}{q.system, q.turns, q.form.orNothing()})
	if err != nil {
		panic(err) // it holds texts only
	}
	return sha256.Sum256(text)
}

// origin identifies the request that a text answers. version is that of the prompt.
func (c *Client) origin(version string, q question) *proposal.Origin {
	h := q.hash()
	return &proposal.Origin{Provider: c.name, Model: c.model, Prompt: version, Request: hex.EncodeToString(h[:])}
}

func (f *form) orNothing() map[string]any {
	if f == nil {
		return nil
	}
	return f.schema()
}

func (c *cache) get(q question) (string, bool) {
	h := q.hash()
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.answers[h]
	return text, ok
}

func (c *cache) keep(q question, text string) {
	h := q.hash()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.answers[h]; ok {
		return
	}
	if c.answers == nil {
		c.answers = map[[sha256.Size]byte]string{}
	}
	if len(c.order) == cached {
		delete(c.answers, c.order[0])
		c.order = c.order[1:]
	}
	c.answers[h] = text
	c.order = append(c.order, h)
}
