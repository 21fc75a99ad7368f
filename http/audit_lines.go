package http

import (
	"net/http"

	"readiness/projections"
)

// auditLines is a page of events as lines of an export.
type auditLines struct {
	text []byte
	next *string
}

// of returns the page of events of an account; next is the address of the next page.
func (l auditLines) of(account string, found []projections.AuditEvent, next *string) (auditLines, error) {
	for _, e := range found {
		line, err := e.Line(account)
		if err != nil {
			return l, err
		}
		l.text = append(append(l.text, line...), '\n')
	}
	l.next = next
	return l, nil
}

// Visit implements api.Response.
func (l auditLines) Visit(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/x-ndjson")
	if l.next != nil {
		w.Header().Set("Link", "<"+*l.next+`>; rel="next"`)
	}
	_, err := w.Write(l.text)
	return err
}
