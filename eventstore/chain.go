package eventstore

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// chainer computes chain values. A chain value is the SHA-256 of the stream's chain value before the
// event, followed by every stored member of the event except its position. A length precedes each
// member, so that no two events have the same encoding. Numbers are 8 bytes, big-endian; recorded_at
// is microseconds since 1970.
//
// The position is not known before the append, so the database adds it: events.hash = SHA-256(chain ‖
// position).
type chainer struct {
	sum hash.Hash
	num [8]byte
}

func newChainer() *chainer { return &chainer{sum: sha256.New()} }

// noChain is the chain value before a stream's first event.
var noChain [sha256.Size]byte

func (c *chainer) next(head [sha256.Size]byte, r *Recorded) [sha256.Size]byte {
	c.sum.Reset()
	c.sum.Write(head[:])
	c.bytes(r.ID[:])
	c.string(r.Account)
	c.string(r.Stream)
	c.number(r.Version)
	c.string(r.Type)
	c.number(int64(r.SchemaVersion))
	c.number(r.RecordedAt.UnixMicro())
	c.bytes(r.Data)
	c.bytes(r.RawMetadata)
	var out [sha256.Size]byte
	c.sum.Sum(out[:0])
	return out
}

func (c *chainer) length(n int) {
	binary.BigEndian.PutUint64(c.num[:], uint64(n))
	c.sum.Write(c.num[:])
}

func (c *chainer) bytes(b []byte) { c.length(len(b)); c.sum.Write(b) }

func (c *chainer) string(s string) { c.bytes([]byte(s)) }

func (c *chainer) number(n int64) {
	c.length(8)
	binary.BigEndian.PutUint64(c.num[:], uint64(n))
	c.sum.Write(c.num[:])
}

// sealed returns events.hash: the SHA-256 of the chain value and the event's position.
func sealed(chain [sha256.Size]byte, position int64) [sha256.Size]byte {
	var b [sha256.Size + 8]byte
	copy(b[:], chain[:])
	binary.BigEndian.PutUint64(b[sha256.Size:], uint64(position))
	return sha256.Sum256(b[:])
}
