package projections

import (
	"encoding/json"

	lru "github.com/hashicorp/golang-lru/v2"
)

// decoder decodes a JSON column in which the same few texts are read again and again, and caches the
// values of these texts. Its values are shared, so callers must not change them. It is safe for
// concurrent use.
type decoder[T any] struct{ cache *lru.Cache[string, T] }

// newDecoder returns a decoder that caches the values of up to size texts.
func newDecoder[T any](size int) decoder[T] {
	cache, err := lru.New[string, T](size)
	if err != nil { // size is not positive
		panic(err)
	}
	return decoder[T]{cache}
}

func (d decoder[T]) decode(text []byte) (value T, err error) {
	value, ok := d.cache.Get(string(text))
	if ok {
		return value, nil
	}
	if err = json.Unmarshal(text, &value); err == nil {
		d.cache.Add(string(text), value)
	}
	return value, err
}
