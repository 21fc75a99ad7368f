package quota

// Key returns the key of the window of the call.
func (c Call) Key() string { return c.key() }

// Waiting returns how many calls wait in this process for the window of the call.
func (l *Limiter) Waiting(c Call) int {
	l.queues.mu.Lock()
	defer l.queues.mu.Unlock()
	if n := l.queues.byKey[c.key()]; n != nil {
		return len(n.waiting)
	}
	return 0
}

// Lines returns how many queues there are in this process.
func (l *Limiter) Queues() int {
	l.queues.mu.Lock()
	defer l.queues.mu.Unlock()
	return len(l.queues.byKey)
}
