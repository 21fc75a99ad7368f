package model

import "readiness/definition/dax"

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

// resulting is an expression, as the key of the call that yields its result.
type resulting string

// ResultCall returns the function whose call yields a measure's result, as dax.ResultCall does.
func (x *Scope) ResultCall(m *Measure) string {
	return Pure(x, resulting(m.Src.Expression), func(e resulting) string { return dax.ResultCall(string(e)) })
}

// Memory keeps what an assessment made of single texts, so that the next one of nearly the same model need not make it again. It serves
// one assessment at a time.
type Memory struct {
	by  map[any]forgetting // by type of key
	now int                // counts the assessments
}

// forgetting is what was made of keys of one type.
type forgetting interface{ forget(now int) }

type made[K comparable, T any] map[K]*of[T]

// of is what was made of a key, and the last assessment that asked for it.
type of[T any] struct {
	value T
	last  int
}

func (all made[K, T]) forget(now int) {
	for k, one := range all {
		if one.last != now {
			delete(all, k)
		}
	}
}

// Next begins another assessment. What the one before did not ask for is forgotten.
func (m *Memory) Next() {
	for _, all := range m.by {
		all.forget(m.now)
	}
	m.now++
}

// Pure returns what build makes of a key, or what it made before if the scope has a memory. It depends on nothing but the key, of a type
// that only it uses.
func Pure[T any, K comparable](x *Scope, key K, build func(K) T) T {
	m := x.Memory
	if m == nil {
		return build(key)
	}
	var kind K
	all, known := m.by[kind].(made[K, T])
	if !known {
		if m.by == nil {
			m.by = map[any]forgetting{}
		}
		all = made[K, T]{}
		m.by[kind] = all
	}
	one := all[key]
	if one == nil {
		one = &of[T]{value: build(key)}
		all[key] = one
	}
	one.last = m.now
	return one.value
}
