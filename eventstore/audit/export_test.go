package audit

import "context"

// KeepOnce keeps the newest head once.
func (l *Log) KeepOnce(ctx context.Context, path string) error { return l.keep(ctx, path) }
