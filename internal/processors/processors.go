// Package processors bounds how many processors long computations take, so that short calls find one free.
package processors

import "runtime"

// Share is a share of the processors of this process. It is safe for concurrent use.
type Share struct{ taken chan struct{} }

// Half returns a share of half of the processors, at least one.
func Half() *Share { return &Share{make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))} }

// Compute runs f on a processor of the share, after those that called before, and returns its error. f waits for nothing but Elsewhere and
// does not call Compute, so the wait is that for a few computations.
func (s *Share) Compute(f func() error) error {
	s.taken <- struct{}{}
	defer func() { <-s.taken }()
	return f()
}

// Elsewhere runs f, which waits for something outside the process, and lends the processor of the Compute that calls it meanwhile.
func (s *Share) Elsewhere(f func()) {
	<-s.taken
	defer func() { s.taken <- struct{}{} }()
	f()
}
