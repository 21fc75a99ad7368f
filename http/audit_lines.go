package http

import (
	"net/http"

	"readiness/eventstore"
	"readiness/projections"
)

// ndjson is the media type of lines of JSON.
const ndjson = "application/x-ndjson"

// auditLines is a page of events as lines of an export.
type auditLines struct {
	text []byte
	next *string
}

func newAuditLines(account string, found []projections.AuditEvent, next *string) (auditLines, error) {
	lines := auditLines{next: next}
	for _, e := range found {
		r := eventstore.Recorded{Position: e.Position, ID: e.ID, Account: account, Stream: e.Stream, Version: e.Version, Type: e.Type,
			SchemaVersion: e.SchemaVersion, Data: e.Data, RawMetadata: e.Metadata, RecordedAt: e.RecordedAt, Hash: e.Hash}
		line, err := r.Line()
		if err != nil {
			return lines, err
		}
		lines.text = append(append(lines.text, line...), '\n')
	}
	return lines, nil
}

// VisitListAuditEventsResponse implements api.ListAuditEventsResponseObject.
func (l auditLines) VisitListAuditEventsResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", ndjson)
	if l.next != nil {
		w.Header().Set("Link", "<"+*l.next+`>; rel="next"`)
	}
	_, err := w.Write(l.text)
	return err
}
