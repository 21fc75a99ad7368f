package model

// Remembered returns what several rules need of a scope. build computes it when the first
// of them asks for the key, a value of a type of its own.
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
