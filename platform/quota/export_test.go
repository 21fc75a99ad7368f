package quota

// Key returns the key of the window of the call.
func (c Call) Key() string { return c.key() }

// Waiting returns how many calls wait in this process for the window of the call.
func (l *Limiter) Waiting(c Call) int {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	if n := l.lines.byKey[c.key()]; n != nil {
		return len(n.waiting)
	}
	return 0
}

// Lines returns how many lines there are in this process.
func (l *Limiter) Lines() int {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	return len(l.lines.byKey)
}
