package readiness

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/wording"
)

// Fingerprint is the part of a semantic model that checks across models compare: names, and hashes of texts.
type Fingerprint struct {
	// Measures are the exposed measures that have an expression, Tables the exposed
	// tables that have a description: by name, each key once.
	Measures []Mark `json:"measures"`
	Tables   []Mark `json:"tables"`
	// Objects are the columns, measures and calculation items after dropping, hidden too:
	// sorted and without duplicates.
	Objects Hashes `json:"objects"`
}

// Mark is an object with a text.
type Mark struct {
	Name string `json:"name"`
	// Key is the hash of the name under norm, Text that of the text.
	Key  Hash `json:"key"`
	Text Hash `json:"text"`
}

// Hash is the beginning of the SHA-256 of a text; 16 hex digits in JSON.
type Hash uint64

// Hashes are hashes in order; in JSON one text in base64, 8 bytes for each.
type Hashes []Hash

func hashOf(parts ...string) Hash {
	sum := sha256.Sum256([]byte(strings.Join(parts, wording.WordBreak)))
	return Hash(binary.BigEndian.Uint64(sum[:8]))
}

// FingerprintOf returns the fingerprint of a model. It does not depend on the order of
// the definition.
func FingerprintOf(m *semanticmodel.Model) Fingerprint {
	s := model.NewContent(m)
	s.Expose()
	var f Fingerprint
	for _, t := range s.Tables {
		if description := wording.Norm(t.Description); s.Exposed[t.Index] && description != "" {
			f.Tables = append(f.Tables, Mark{t.Src.Name, hashOf(t.Norm), hashOf(description)})
		}
		for _, c := range t.Columns {
			text := string(c.Src.DataType)
			if c.Calculated() {
				text = bare(c.Src.Expression)
			}
			f.Objects = append(f.Objects, hashOf("column", t.Norm, c.Norm, text))
		}
		for _, m := range t.Measures {
			text := bare(m.Src.Expression)
			f.Objects = append(f.Objects, hashOf("measure", t.Norm, m.Norm, text))
			if s.Exposed[m.Index] && text != "" {
				f.Measures = append(f.Measures, Mark{m.Name, hashOf(m.Norm), hashOf(text)})
			}
		}
		for _, i := range t.Items {
			f.Objects = append(f.Objects, hashOf("item", t.Norm, wording.Norm(i.Src.Name), bare(i.Src.Expression)))
		}
	}
	f.Tables, f.Measures = firstByName(f.Tables), firstByName(f.Measures)
	slices.Sort(f.Objects)
	f.Objects = slices.Compact(f.Objects)
	return f
}

// bare returns an expression without comments and white space, in lower case.
func bare(expression string) string { return wording.Squeezed(dax.WithoutComments(expression)) }

// firstByName sorts marks by name and keeps the first of each key.
func firstByName(marks []Mark) []Mark {
	slices.SortStableFunc(marks, func(a, b Mark) int { return strings.Compare(a.Name, b.Name) })
	seen := make(map[Hash]bool, len(marks))
	return slices.DeleteFunc(marks, func(m Mark) bool {
		twice := seen[m.Key]
		seen[m.Key] = true
		return twice
	})
}

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(h)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	*h = Hash(n)
	return err
}

// MarshalText implements encoding.TextMarshaler.
func (all Hashes) MarshalText() ([]byte, error) {
	packed := make([]byte, 0, 8*len(all))
	for _, h := range all {
		packed = binary.BigEndian.AppendUint64(packed, uint64(h))
	}
	return base64.StdEncoding.AppendEncode(nil, packed), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (all *Hashes) UnmarshalText(text []byte) error {
	packed, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(packed)%8 != 0 {
		return fmt.Errorf("readiness: %d characters are no list of hashes", len(text))
	}
	*all = make(Hashes, 0, len(packed)/8)
	for ; len(packed) > 0; packed = packed[8:] {
		*all = append(*all, Hash(binary.BigEndian.Uint64(packed)))
	}
	return nil
}
