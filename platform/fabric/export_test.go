package fabric

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
)

// Lower lowers the bounds of what the platform reads.
func (p *Platform) Lower(parts, partBytes, definitionBytes, answerBytes, pages int) {
	p.bounds.parts, p.bounds.partBytes, p.bounds.definitionBytes = parts, partBytes, definitionBytes
	p.bounds.answerBytes, p.bounds.pages = answerBytes, pages
}

// Hurry bounds a question to a data agent.
func (p *Platform) Hurry(lasts time.Duration) { p.bounds.agentLasts = lasts }

// Finish polls the operation that the headers of a 202 name until it has succeeded.
func (p *Platform) Finish(ctx context.Context, h http.Header) error {
	r := p.read(item.Caller{}, "/", "POST /", subject{workspace: uuid.UUID{15: 1}})
	o, ok := p.operationOf(h)
	if !ok {
		return p.garbled(ctx, r, errors.New("it names no operation"))
	}
	return p.finish(ctx, r, o)
}
