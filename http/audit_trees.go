package http

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"readiness/domain"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/tree"
	"readiness/http/api"
)

// treeObject is a response with an object of an audit tree, or with a proof.
type treeObject struct {
	kind      string
	body      []byte
	immutable bool
}

// Visit implements api.Response.
func (o treeObject) Visit(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", o.kind)
	if o.immutable {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	_, err := w.Write(o.body)
	return err
}

const plainText = "text/plain; charset=utf-8"

// GetServiceTree handles GET /v1/audit/{object}.
func (s *Server) GetServiceTree(ctx context.Context, r api.GetServiceTreeRequestObject) (api.Response, error) {
	return s.treeObject(ctx, audit.Service, r.Object)
}

// GetAccountTree handles GET /v1/audit/accounts/{accountId}/{object}. Another account's tree is answered like one that does not exist.
func (s *Server) GetAccountTree(ctx context.Context, r api.GetAccountTreeRequestObject) (api.Response, error) {
	if r.AccountID != callerOf(ctx).Account {
		return nil, notInTree("the tree of account %s has no %s", r.AccountID, r.Object)
	}
	return s.treeObject(ctx, r.AccountID, r.Object)
}

// GetAuditProof handles GET /v1/audit/proofs/{eventId}.
func (s *Server) GetAuditProof(ctx context.Context, r api.GetAuditProofRequestObject) (api.Response, error) {
	proof, err := s.audit.Proof(ctx, callerOf(ctx).Account, r.EventID)
	if errors.Is(err, audit.ErrNotSealed) {
		return nil, notInTree("the account's tree has no event %s; one that was recorded a few seconds ago is added soon", r.EventID)
	}
	if err != nil {
		return nil, s.damaged(ctx, "the proof of event "+r.EventID.String(), err)
	}
	return treeObject{kind: plainText, body: proof}, nil
}

func notInTree(format string, args ...any) error {
	return domain.Refuse(domain.AuditRecordNotFound, format, args...)
}

// treeObject returns an object of a tree by its path: checkpoint or tile/… of the first epoch, or those below the number of a later one.
// What never changes keeps its address.
func (s *Server) treeObject(ctx context.Context, of, path string) (o treeObject, err error) {
	epoch, object := 1, path
	if number, rest, ok := strings.Cut(path, "/"); ok && number != "tile" {
		if epoch, err = strconv.Atoi(number); err != nil || epoch < 2 || strconv.Itoa(epoch) != number || epoch > 1<<30 {
			return o, notInTree("there is no %s", path)
		}
		object = rest
	}
	if object == "checkpoint" {
		head, err := s.audit.Head(ctx, of, epoch)
		if errors.Is(err, audit.ErrNotSealed) {
			return o, notInTree("the tree has no signed head yet")
		}
		return treeObject{kind: plainText, body: head.Note}, err
	}
	request, err := tree.ParsePath(object)
	if err != nil {
		return o, notInTree("there is no %s", path)
	}
	body, err := s.audit.Tile(ctx, of, epoch, request)
	if errors.Is(err, audit.ErrNotSealed) {
		return o, notInTree("the tree has no %s", path)
	}
	if err != nil {
		return o, s.damaged(ctx, path, err)
	}
	return treeObject{"application/octet-stream", body, true}, nil
}

// damaged returns the refusal of an object that the database no longer has as it was signed, and reports it to the operator. It is 404, as
// for an object that there is not: tools that read trees do not ask for one again. Any other error is returned as it is.
func (s *Server) damaged(ctx context.Context, what string, err error) error {
	if !errors.Is(err, audit.ErrDamaged) {
		return err
	}
	s.log.ErrorContext(ctx, "a tree of the log is damaged; readinessd audit verify lists what was changed", "object", what, "err", err)
	return notInTree("%s cannot be had: the database no longer has it as it was signed (%v). The operator lists what was changed with readinessd audit verify",
		what, err)
}
