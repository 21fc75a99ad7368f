package model

// Remembered caches a value of a scope that several rules need. build computes it when the first
// of them asks for the key, a value of a type that only they use.
func Remembered[T any](x *Scope, key any, build func() T) T {
	if known, ok := x.memo[key]; ok {
		return known.(T)
	}
	built := build()
	if x.memo == nil {
		x.memo = map[any]any{}
	}
	x.memo[key] = built
	return built
}

// Memory keeps what an assessment made of single texts, so that the next one of nearly the same model need not make it again. It serves
// one assessment at a time.
type Memory struct{ before, now map[any]any }

// Next begins another assessment. What the one before did not ask for is forgotten.
func (m *Memory) Next() { m.before, m.now = m.now, map[any]any{} }

// Pure returns what of makes of a key, or what it made before if the scope has a memory. It depends on nothing but the key, of a type
// that only it uses.
func Pure[T any, K comparable](x *Scope, key K, of func(K) T) T {
	if x.Memory == nil {
		return of(key)
	}
	known, ok := x.Memory.now[key]
	if !ok {
		if known, ok = x.Memory.before[key]; !ok {
			known = of(key)
		}
		x.Memory.now[key] = known
	}
	return known.(T)
}
