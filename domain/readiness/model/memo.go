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
