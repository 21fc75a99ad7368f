package vault

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// sessionIdle is how long a session lasts without use.
	sessionIdle = 8 * time.Hour
	// sessionTouch is how old the recorded use of a session may become before a read records it again.
	sessionTouch = time.Minute
	// maxSession bounds the content of a session, in bytes: tokens of issuers have a few thousand.
	maxSession = 256 << 10
)

// Sessions stores the sessions of people who signed in at the console. Their content is encrypted with AES-256-GCM and bound to the
// session's id. The database has only a hash of the id.
type Sessions struct {
	pool *pgxpool.Pool
	aead cipher.AEAD
}

// NewSessions returns the sessions in pool's database. Their encryption key is derived from key.
func NewSessions(pool *pgxpool.Pool, key []byte) (*Sessions, error) {
	v, err := newFor(pool, key, "readiness/console sessions")
	if err != nil {
		return nil, err
	}
	return &Sessions{pool, v.aead}, nil
}

func (s *Sessions) seal(hash, content []byte) []byte {
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(content)+s.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return s.aead.Seal(nonce, nonce, content, hash)
}

// Create stores a new session and returns its id, which only the person's browser keeps.
func (s *Sessions) Create(ctx context.Context, content []byte, now time.Time) (id string, err error) {
	if len(content) > maxSession {
		return "", fmt.Errorf("vault: the session has %d bytes; at most %d fit", len(content), maxSession)
	}
	id = rand.Text()
	hash := sha256.Sum256([]byte(id))
	if _, err := s.pool.Exec(ctx, `INSERT INTO console_sessions (id_hash, sealed, created_at, used_at) VALUES ($1, $2, $3, $3)`, hash[:],
		s.seal(hash[:], content), now); err != nil {
		return "", fmt.Errorf("vault: store a session: %w", err)
	}
	return id, nil
}

// Read returns the content of a session, and records that it is in use. ok is false when there is no such session, when it was not used
// for 8 hours, and when it was encrypted with another key.
func (s *Sessions) Read(ctx context.Context, id string, now time.Time) (content []byte, ok bool, err error) {
	hash := sha256.Sum256([]byte(id))
	var sealed []byte
	var used time.Time
	err = s.pool.QueryRow(ctx, `SELECT sealed, used_at FROM console_sessions WHERE id_hash = $1 AND used_at > $2`, hash[:],
		now.Add(-sessionIdle)).Scan(&sealed, &used)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("vault: read a session: %w", err)
	}
	if len(sealed) < s.aead.NonceSize() {
		return nil, false, nil
	}
	if content, err = s.aead.Open(nil, sealed[:s.aead.NonceSize()], sealed[s.aead.NonceSize():], hash[:]); err != nil {
		return nil, false, nil //nolint:nilerr // encrypted with another key: the person signs in again
	}
	if now.Sub(used) >= sessionTouch {
		if _, err := s.pool.Exec(ctx, `UPDATE console_sessions SET used_at = $2 WHERE id_hash = $1 AND used_at < $2`, hash[:],
			now); err != nil {
			return nil, false, fmt.Errorf("vault: record the use of a session: %w", err)
		}
	}
	return content, true, nil
}

// Replace stores new content of a session that still exists.
func (s *Sessions) Replace(ctx context.Context, id string, content []byte) error {
	if len(content) > maxSession {
		return fmt.Errorf("vault: the session has %d bytes; at most %d fit", len(content), maxSession)
	}
	hash := sha256.Sum256([]byte(id))
	if _, err := s.pool.Exec(ctx, `UPDATE console_sessions SET sealed = $2 WHERE id_hash = $1`, hash[:], s.seal(hash[:],
		content)); err != nil {
		return fmt.Errorf("vault: store a session: %w", err)
	}
	return nil
}

// End deletes a session.
func (s *Sessions) End(ctx context.Context, id string) error {
	hash := sha256.Sum256([]byte(id))
	if _, err := s.pool.Exec(ctx, `DELETE FROM console_sessions WHERE id_hash = $1`, hash[:]); err != nil {
		return fmt.Errorf("vault: end a session: %w", err)
	}
	return nil
}

// EndThose deletes the sessions whose content matches, and returns how many. Those that were encrypted with another key it cannot read.
func (s *Sessions) EndThose(ctx context.Context, match func(content []byte) bool) (ended int64, err error) {
	const page = 500
	for last := []byte{}; ; {
		rows, err := s.pool.Query(ctx, `SELECT id_hash, sealed FROM console_sessions WHERE id_hash > $1 ORDER BY id_hash LIMIT $2`,
			last, page)
		if err != nil {
			return ended, fmt.Errorf("vault: read sessions: %w", err)
		}
		var hash, sealed []byte
		var those [][]byte
		n := 0
		if _, err := pgx.ForEachRow(rows, []any{&hash, &sealed}, func() error {
			n, last = n+1, slices.Clone(hash)
			if len(sealed) < s.aead.NonceSize() {
				return nil
			}
			content, err := s.aead.Open(nil, sealed[:s.aead.NonceSize()], sealed[s.aead.NonceSize():], hash)
			if err == nil && match(content) {
				those = append(those, last)
			}
			return nil
		}); err != nil {
			return ended, fmt.Errorf("vault: read sessions: %w", err)
		}
		tag, err := s.pool.Exec(ctx, `DELETE FROM console_sessions WHERE id_hash = ANY($1)`, those)
		if err != nil {
			return ended, fmt.Errorf("vault: end sessions: %w", err)
		}
		if ended += tag.RowsAffected(); n < page {
			return ended, nil
		}
	}
}

// Sweep deletes the sessions that were not used for 8 hours.
func (s *Sessions) Sweep(ctx context.Context, now time.Time) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM console_sessions WHERE used_at <= $1`, now.Add(-sessionIdle)); err != nil {
		return fmt.Errorf("vault: sweep sessions: %w", err)
	}
	return nil
}
