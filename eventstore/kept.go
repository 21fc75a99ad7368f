package eventstore

import (
	"errors"
	"reflect"
	"sync"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// maxKept bounds how many states are kept.
	maxKept = 1024
	// maxKeptSize bounds the data, in bytes, of the events that the states were folded from: a state
	// takes about as much memory as its events. The state used last is kept whatever its size.
	maxKeptSize = 32 << 20
)

// errNotKept is the error of a load whose kept state does not belong to the stream, because the
// database was set back behind this process.
var errNotKept = errors.New("eventstore: the kept state does not belong to the stream")

// kept is a cache of the states that FoldKept starts from, each with its version. It holds what was
// loaded from the database, never what a Change has decided.
type kept struct {
	maxSize int

	mu     sync.Mutex
	size   int
	states *simplelru.LRU[keptKey, keptState]
}

type keptKey struct {
	stream string
	of     reflect.Type
}

// keptState is a state as of a version.
type keptState struct {
	state   any
	version int64
	last    uuid.UUID // the event with that version
	size    int       // of the events' data, in bytes
}

func newKept(states, size int) *kept {
	k := &kept{maxSize: size}
	var err error
	k.states, err = simplelru.NewLRU(states, func(_ keptKey, s keptState) { k.size -= s.size })
	if err != nil { // states is not positive
		panic(err)
	}
	return k
}

func (k *kept) get(key keptKey) (keptState, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.states.Get(key)
}

func (k *kept) remove(key keptKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.states.Remove(key)
}

func (k *kept) put(key keptKey, s keptState) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.states.Remove(key)
	k.size += s.size
	k.states.Add(key, s)
	for k.size > k.maxSize && k.states.Len() > 1 {
		k.states.RemoveOldest()
	}
}
