package eventstore

import (
	"errors"
	"reflect"
	"sync"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// maxCached bounds how many states are cached.
	maxCached = 4096
	// maxCachedSize bounds the data, in bytes, of the events that the states were folded from: a state
	// takes about as much memory as its events. The state used last is cached in any size.
	maxCachedSize = 32 << 20
)

// errForeignState is the error of a load whose cached state does not belong to the stream, because the
// database was restored to an earlier time behind this process.
var errForeignState = errors.New("eventstore: the cached state does not belong to the stream")

// stateCache is a cache of the states that FoldCached starts from, each with its version. It holds what was
// loaded from the database, never what a Change has decided.
type stateCache struct {
	maxSize int

	mu     sync.Mutex
	size   int
	states *simplelru.LRU[cacheKey, cachedState]
	folds  map[cacheKey]*firstFold // those that are running
}

type cacheKey struct {
	stream string
	of     reflect.Type
}

// cachedState is a state as of a version.
type cachedState struct {
	state   any
	version int64
	last    uuid.UUID // the event with that version
	size    int       // of the events' data, in bytes
	cutOff  bool      // the load ended before the stream did
}

func newStateCache(states, size int) *stateCache {
	c := &stateCache{maxSize: size, folds: map[cacheKey]*firstFold{}}
	var err error
	c.states, err = simplelru.NewLRU(states, func(_ cacheKey, s cachedState) { c.size -= s.size })
	if err != nil { // states is not positive
		panic(err)
	}
	return c
}

func (c *stateCache) get(key cacheKey) (cachedState, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.states.Get(key)
}

func (c *stateCache) remove(key cacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states.Remove(key)
}

func (c *stateCache) put(key cacheKey, s cachedState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states.Remove(key)
	c.size += s.size
	c.states.Add(key, s)
	for c.size > c.maxSize && c.states.Len() > 1 {
		c.states.RemoveOldest()
	}
}
