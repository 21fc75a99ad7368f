package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"readiness/eventstore/audit/tree"
)

// Origin returns the name of a tree, which also names the key of its notes. base is the origin of the service's tree in the first epoch.
func Origin(base, of string, epoch int) string {
	origin := base
	if of != Service {
		origin += "/accounts/" + of
	}
	if epoch > 1 {
		origin += "/" + strconv.Itoa(epoch)
	}
	return origin
}

var laterEpoch = regexp.MustCompile(`^/([1-9][0-9]{0,8})$`)

// EpochOf returns the epoch of an origin of the service's tree.
func EpochOf(base, origin string) (epoch int, ok bool) {
	rest, ok := strings.CutPrefix(origin, base)
	if !ok || rest == "" {
		return 1, ok
	}
	found := laterEpoch.FindStringSubmatch(rest)
	if found == nil {
		return 0, false
	}
	epoch, err := strconv.Atoi(found[1])
	return epoch, err == nil && epoch > 1
}

// signer signs notes under a name. It implements note.Signer.
type signer struct {
	note.Verifier
	key ed25519.PrivateKey
}

// Sign implements note.Signer.
func (s signer) Sign(msg []byte) ([]byte, error) { return ed25519.Sign(s.key, msg), nil }

// VerifierKey returns the key with which notes of the origin are verified, as signed-note writes it.
func VerifierKey(origin string, key ed25519.PublicKey) (string, error) {
	vkey, err := note.NewEd25519VerifierKey(origin, key)
	return vkey, wrapped("the key of "+origin, err)
}

func verifierOf(origin string, key ed25519.PublicKey) (note.Verifier, error) {
	vkey, err := VerifierKey(origin, key)
	if err != nil {
		return nil, err
	}
	v, err := note.NewVerifier(vkey)
	return v, wrapped("the key of "+origin, err)
}

// Body returns the text of a head that is signed (C2SP tlog-checkpoint).
func Body(origin string, head tree.Head) string {
	return fmt.Sprintf("%s\n%d\n%s\n", origin, head.Size, base64.StdEncoding.EncodeToString(head.Root[:]))
}

// sign returns the signed note of a head.
func sign(key ed25519.PrivateKey, origin string, head tree.Head) ([]byte, error) {
	v, err := verifierOf(origin, key.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	signed, err := note.Sign(&note.Note{Text: Body(origin, head)}, signer{v, key})
	return signed, wrapped("sign the head of "+origin, err)
}

// ParseBody reads the origin and the head of a note, signed or not.
func ParseBody(text []byte) (origin string, head tree.Head, err error) {
	body, _, _ := strings.Cut(string(text), "\n\n")
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if len(lines) < 3 || lines[0] == "" {
		return "", tree.Head{}, fmt.Errorf("audit: a note that is no checkpoint")
	}
	head.Size, err = strconv.ParseInt(lines[1], 10, 64)
	root, decoding := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || decoding != nil || head.Size < 0 || strconv.FormatInt(head.Size, 10) != lines[1] || len(root) != len(head.Root) {
		return "", tree.Head{}, fmt.Errorf("audit: the checkpoint of %q has no size or no hash", lines[0])
	}
	return lines[0], tree.Head{Size: head.Size, Root: tree.Hash(root)}, nil
}

// Opened returns the head of a note that the key has signed under the origin.
func Opened(signed []byte, origin string, key ed25519.PublicKey) (tree.Head, error) {
	v, err := verifierOf(origin, key)
	if err != nil {
		return tree.Head{}, err
	}
	n, err := note.Open(signed, note.VerifierList(v))
	if err != nil {
		return tree.Head{}, wrapped("the note of "+origin, err)
	}
	named, head, err := ParseBody([]byte(n.Text))
	if err == nil && named != origin {
		err = fmt.Errorf("audit: the note names %q, want %q", named, origin)
	}
	return head, err
}
