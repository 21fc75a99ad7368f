package statistics

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// Draws is the generator PCG-DXSM with 128 bits of state, as in math/rand/v2. Packages of
// domain draw no random numbers, but a generator seeded by the comparison's id is
// deterministic.
type Draws struct{ hi, lo uint64 }

// NewDraws returns the generator of a comparison, which is the same for the same id.
func NewDraws(comparisonID string) *Draws {
	sum := sha256.Sum256([]byte(comparisonID))
	return &Draws{binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])}
}

// draw returns a number uniform over 64 bits.
func (p *Draws) draw() uint64 {
	// The multiplier and the increment, as upper and lower halves.
	const mulHi, mulLo, addHi, addLo = 0x2360ed051fc65da4, 0x4385df649fccf645, 0x5851f42d4c957f2d, 0x14057b7ef767814f
	hi, lo := bits.Mul64(p.lo, mulLo)
	hi += p.hi*mulLo + p.lo*mulHi
	lo, carry := bits.Add64(lo, addLo, 0)
	hi, _ = bits.Add64(hi, addHi, carry)
	p.hi, p.lo = hi, lo
	const mix = 0xda942042e4dd58b5
	hi = (hi ^ hi>>32) * mix
	return (hi ^ hi>>48) * (lo | 1)
}

// Below returns a number uniform over 0 to n-1, for n above 0. It draws as IntN of
// math/rand/v2 does.
func (p *Draws) Below(n int) int {
	limit := uint64(n)
	if limit&(limit-1) == 0 {
		return int(p.draw() & (limit - 1))
	}
	// The upper half of draw·n is below n. Rejecting lower halves below 2⁶⁴ mod n keeps
	// it uniform.
	hi, lo := bits.Mul64(p.draw(), limit)
	for unfair := -limit % limit; lo < unfair; {
		hi, lo = bits.Mul64(p.draw(), limit)
	}
	return int(hi)
}
