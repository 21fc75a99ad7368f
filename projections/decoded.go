package projections

import (
	"encoding/json"

	lru "github.com/hashicorp/golang-lru/v2"
)

// decoder decodes values of a column of JSON that the same few texts are read from all the time, and knows those texts again. Its
// values are shared, so they are not to be changed. It is safe for concurrent use.
type decoder[T any] struct{ known *lru.Cache[string, T] }

// newDecoder returns a decoder that knows as many texts again.
func newDecoder[T any](most int) decoder[T] {
	known, err := lru.New[string, T](most)
	if err != nil { // of a size that is not positive
		panic(err)
	}
	return decoder[T]{known}
}

func (d decoder[T]) decode(text []byte) (value T, err error) {
	value, ok := d.known.Get(string(text))
	if ok {
		return value, nil
	}
	if err = json.Unmarshal(text, &value); err == nil {
		d.known.Add(string(text), value)
	}
	return value, err
}
