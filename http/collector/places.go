package collector

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"readiness/projections"
)

// ID is the id in a Pixie's address. As text it has 32 hexadecimal digits.
type ID [16]byte

var errID = errors.New("collector: an id has 32 hexadecimal digits")

// MarshalText implements encoding.TextMarshaler.
func (i ID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, i[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (i *ID) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(i)) {
		return errID
	}
	_, err := hex.Decode(i[:], text)
	return err
}

// String implements fmt.Stringer.
func (i ID) String() string { return hex.EncodeToString(i[:]) }

// Places caches where Pixies are, and which ids no Pixie has. It is for one goroutine.
type Places struct {
	resolve  func(ctx context.Context, ids []string) (map[string]projections.PixieID, error)
	now      func() time.Time
	known    map[ID]projections.PixieID
	unknown  map[ID]bool
	forgetAt time.Time // when unknown is cleared
}

// NewPlaces returns an empty cache. resolve returns where the Pixies with the ids are; unknown ids are absent from the result.
func NewPlaces(resolve func(ctx context.Context, ids []string) (map[string]projections.PixieID, error), now func() time.Time) *Places {
	return &Places{resolve: resolve, now: now, known: map[ID]projections.PixieID{}, unknown: map[ID]bool{}}
}

// Find looks up the ids that are not cached. After it, Of answers for all ids.
func (p *Places) Find(ctx context.Context, ids []ID) error {
	if now := p.now(); now.After(p.forgetAt) || len(p.unknown)+len(ids) > cacheSize {
		clear(p.unknown)
		p.forgetAt = now.Add(unknownTTL)
	}
	if len(p.known)+len(ids) > cacheSize {
		clear(p.known)
	}
	var missing []string
	for _, id := range ids {
		if _, there := p.known[id]; !there && !p.unknown[id] {
			missing = append(missing, id.String())
		}
	}
	slices.Sort(missing)
	missing = slices.Compact(missing) // one id can be pending for two hours
	if len(missing) == 0 {
		return nil
	}
	found, err := p.resolve(ctx, missing)
	if err != nil {
		return err
	}
	for _, text := range missing {
		var key ID
		_, _ = hex.Decode(key[:], []byte(text))
		if place, there := found[text]; there {
			p.known[key] = place
		} else {
			p.unknown[key] = true
		}
	}
	return nil
}

// Of returns where the Pixie with the id is, and whether there is one.
func (p *Places) Of(id ID) (projections.PixieID, bool) {
	place, known := p.known[id]
	return place, known
}
