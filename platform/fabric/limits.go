package fabric

import (
	"context"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
)

// Bucket is a quota of the platform that calls of one kind share.
type Bucket string

// The buckets: ordinary calls, the state and results of long-running operations, and questions to a model.
const (
	Calls      Bucket = "calls"
	Operations Bucket = "operations"
	Queries    Bucket = "queries"
)

// Call is a call as limits know it.
type Call struct {
	Bucket Bucket
	// Person is who calls: their issuer and id.
	Person item.Person
	// Route is the method and the path with its ids left out: "GET /workspaces/{w}/reports".
	Route string
	// Ahead is true for calls that other calls wait behind: polls and writes, which free what a started read holds.
	Ahead bool
}

// Limits spreads calls, so that a person's own use of the platform is not disturbed.
type Limits interface {
	// Wait returns nil when the call may be made, and counts it. It returns a PlatformUnavailable refusal with the time
	// to wait if that is longer than the caller can wait.
	Wait(ctx context.Context, c Call) error
	// Hold keeps the person's calls of the bucket, and everybody's of the route, until the time.
	Hold(ctx context.Context, c Call, until time.Time) error
}

type unlimited struct{}

func (unlimited) Wait(context.Context, Call) error            { return nil }
func (unlimited) Hold(context.Context, Call, time.Time) error { return nil }

// Read names a read of a definition: whose it is, for which operation of the service and which item.
type Read struct {
	Operation uuid.UUID
	Person    item.Person
	Item      uuid.UUID
}

// Reads remembers the long-running operations of reads that are not done, so that any process can continue them.
// Operations' ids are no secrets. A lost entry costs one more read.
type Reads interface {
	Find(ctx context.Context, r Read) (operation string, err error) // "" when there is none
	Keep(ctx context.Context, r Read, operation string) error
	Drop(ctx context.Context, r Read) error
}

type forgotten struct{}

func (forgotten) Find(context.Context, Read) (string, error) { return "", nil }
func (forgotten) Keep(context.Context, Read, string) error   { return nil }
func (forgotten) Drop(context.Context, Read) error           { return nil }
