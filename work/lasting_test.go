package work_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/definition"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/platform/folder"
	"readiness/work"
)

// outlasting is the folder of a platform whose tokens last longer than the caller's. Each read takes an hour.
type outlasting struct {
	*folder.Platform
	b    *bench
	gave int
	seen []string
}

func (p *outlasting) Lasting(_ context.Context, as item.Caller, life time.Duration) (string, time.Time, error) {
	p.gave++
	return "lasting for " + as.Token, p.b.Clock.Now().Add(life), nil
}

func (p *outlasting) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	p.seen = append(p.seen, as.Token)
	d, err := p.Platform.Definition(ctx, as, it)
	p.b.Clock.Set(p.b.Clock.Now().Add(time.Hour))
	return d, err
}

// The assessment of several models continues after the caller's token has expired, with a token that the platform issued for it and
// that is deleted after the work. Work that ends before the caller's own token expires uses that token.
func TestWorkOutlastsTheToken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		valid time.Duration // of the caller's token
		gave  int
		token string
		ends  operation.Status
	}{
		"a short token": {15 * time.Second, 1, "lasting for eyJ.token", operation.StatusSucceeded},
		"a long token":  {3 * time.Hour, 0, "eyJ.token", operation.StatusSucceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			p := &outlasting{Platform: b.Folder, b: b}
			b.Commands.Platform, b.Work.Platform = p, p
			caller := b.ana()
			caller.TokenExpires = b.Clock.Now().Add(c.valid)
			var got commands.Accepted
			got, err := b.Assessments.StartBulk(t.Context(), caller, workspace, []uuid.UUID{good, gone})
			check(t, err)
			for _, step := range slices.Clone(b.steps) {
				check(t, work.Carry(t.Context(), b.Work, step, 0))
			}
			if op := b.operation(t, got.OperationID); op.Status != c.ends {
				t.Errorf("the operation ended %s: %+v", op.Status, op.Failure)
			}
			if !slices.Equal(p.seen, []string{c.token, c.token}) || p.gave != c.gave {
				t.Errorf("the platform saw %q and gave %d tokens, want %q and %d", p.seen, p.gave, c.token, c.gave)
			}
			if _, kept, err := b.Vault.Token(t.Context(), got.OperationID, noon); kept || err != nil {
				t.Errorf("the token is still kept, %v", err)
			}
		})
	}
}
