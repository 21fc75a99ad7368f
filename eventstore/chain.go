package eventstore

import (
	"crypto/sha256"
	"encoding/binary"
)

// chainer computes chain values. A chain value is the SHA-256 of the stream's chain value before the
// event, followed by every stored member of the event except its position. A length precedes each
// member, so that no two events have the same encoding. Numbers are 8 bytes, big-endian; recorded_at
// is microseconds since 1970.
//
// The position is not known before the append, so the database adds it: events.hash = SHA-256(chain ‖
// position).
type chainer struct{ hashed []byte }

// noChain is the chain value before a stream's first event.
var noChain [sha256.Size]byte

func (c *chainer) next(head [sha256.Size]byte, r *Recorded) [sha256.Size]byte {
	b := append(c.hashed[:0], head[:]...)
	b = appendField(b, r.ID[:])
	b = appendField(b, r.Account)
	b = appendField(b, r.Stream)
	b = appendNumber(b, r.Version)
	b = appendField(b, r.Type)
	b = appendNumber(b, int64(r.SchemaVersion))
	b = appendNumber(b, r.RecordedAt.UnixMicro())
	b = appendField(b, r.Data)
	b = appendField(b, r.RawMetadata)
	c.hashed = b
	return sha256.Sum256(b)
}

// appendField appends the length of a field as 8 bytes, big-endian, and the field.
func appendField[T ~[]byte | ~string](b []byte, field T) []byte {
	return append(binary.BigEndian.AppendUint64(b, uint64(len(field))), field...)
}

func appendNumber(b []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, 8), uint64(n))
}

// positioned returns events.hash: the SHA-256 of the chain value and the event's position.
func positioned(chain [sha256.Size]byte, position int64) [sha256.Size]byte {
	var b [sha256.Size + 8]byte
	copy(b[:], chain[:])
	binary.BigEndian.PutUint64(b[sha256.Size:], uint64(position))
	return sha256.Sum256(b[:])
}
