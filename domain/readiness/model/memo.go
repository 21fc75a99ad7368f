package model

import (
	"sync"

	"readiness/definition/dax"
)

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

// Memory keeps what assessments make of single texts, so that another one of nearly the same model need not make it again. It serves
// several at a time.
type Memory struct {
	mu  sync.Mutex
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
	m.mu.Lock()
	defer m.mu.Unlock()
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
	if value, ok := known[K, T](m, key); ok {
		return value
	}
	value := build(key) // without the lock: it may ask for others
	m.mu.Lock()
	defer m.mu.Unlock()
	m.by[*new(K)].(made[K, T])[key] = &of[T]{value, m.now}
	return value
}

// known returns what a memory has of a key. After it, the memory has a place for keys of its type.
func known[K comparable, T any](m *Memory, key K) (value T, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var kind K
	all, ok := m.by[kind].(made[K, T])
	if !ok {
		if m.by == nil {
			m.by = map[any]forgetting{}
		}
		m.by[kind] = made[K, T]{}
		return value, false
	}
	one := all[key]
	if one == nil {
		return value, false
	}
	one.last = m.now
	return one.value, true
}
