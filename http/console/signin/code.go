package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"net/url"
	"sync"
	"time"
)

// CodeLife is how long an address with a code can be opened, and browserLife how long the browser that opened it may use the trial.
const (
	CodeLife    = 10 * time.Minute
	browserLife = 12 * time.Hour
)

// The purposes of passes.
const (
	forBrowser = "browser"
	forCookie  = "cookie"
)

// Address returns the address that lets one browser use the trial of the console at a base address, until CodeLife has passed. It can be
// opened once. key is that of Trial.
func Address(base string, key []byte, now time.Time) string {
	return base + "/sign-in?code=" + url.QueryEscape(pass(key, forBrowser, now.Add(CodeLife)))
}

// A pass is when it expires, in seconds of Unix, 16 random bytes, and a MAC of these and of what it is for.
const (
	expiresSize = 8
	nonceSize   = 16
	passSize    = expiresSize + nonceSize + sha256.Size
)

func pass(key []byte, purpose string, expires time.Time) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix())) //nolint:gosec // after 1970
	b = append(b, make([]byte, nonceSize)...)
	_, _ = rand.Read(b[expiresSize:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(append(b, mac(key, purpose, b)...))
}

func mac(key []byte, purpose string, of []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(purpose + "\n"))
	h.Write(of)
	return h.Sum(nil)
}

// valid returns the random bytes of a pass, and until when it is valid; false unless it is valid now.
func valid(key []byte, purpose, text string, now time.Time) (nonce [nonceSize]byte, until int64, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != passSize {
		return nonce, 0, false
	}
	signed := b[:expiresSize+nonceSize]
	until = int64(binary.BigEndian.Uint64(signed)) //nolint:gosec // a MAC protects it
	copy(nonce[:], signed[expiresSize:])
	return nonce, until, hmac.Equal(b[len(signed):], mac(key, purpose, signed)) && now.Unix() < until
}

// used are the codes that were used, until they expire.
type used struct {
	mu    sync.Mutex
	codes map[[nonceSize]byte]int64
}

// take reports whether the code may be used, which it may once.
func (u *used) take(key []byte, code string, now time.Time) bool {
	nonce, until, ok := valid(key, forBrowser, code, now)
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.codes, func(_ [nonceSize]byte, until int64) bool { return until <= now.Unix() })
	if _, before := u.codes[nonce]; !ok || before {
		return false
	}
	if u.codes == nil {
		u.codes = map[[nonceSize]byte]int64{}
	}
	u.codes[nonce] = until
	return true
}
