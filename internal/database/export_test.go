package database

import "context"

// EndedWith is a wait of ctx's user that ended with err.
func EndedWith(ctx context.Context, err error) { end(begin(ctx), err) }
