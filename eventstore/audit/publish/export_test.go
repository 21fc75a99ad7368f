package publish

import "sync/atomic"

// Hasten makes the bucket repeat calls at once.
func Hasten(b *Bucket) { b.pause = 0 }

// AtWrite calls do when the publisher is about to write for the nth time.
func AtWrite(p *Publisher, n int, do func()) {
	var writes atomic.Int64
	p.o.Bucket.writing = func() {
		if int(writes.Add(1)) == n {
			do()
		}
	}
}
