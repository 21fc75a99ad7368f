package pixie

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Owner is the account whose Pixies are put or removed. Those of other accounts
// stay as they are.
type Owner struct {
	// Mark tells the account from others; Mark makes it.
	Mark string
	// IDs are those of the ids that IDs found in the report that are the account's.
	// They tell whose a Pixie is that was put before names did, and whose a copy is.
	IDs map[string]bool
}

// Mark is a keyed hash of the account's id: without the key nobody can tell which
// account it stands for. Every process of a deployment must have the same key.
func Mark(key []byte, accountID string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(accountID))
	return hex.EncodeToString(h.Sum(nil))
}

// owner is an Owner in one report.
type owner struct {
	reportID string // in small letters
	mark     string // that the names of its Pixies begin with
	ids      map[string]bool
}

// in is the owner in a report, whose id may have any letter case. Its mark there
// is another one in each report, so that nobody sees from two reports that one
// account tracks both.
func (o Owner) in(reportID string) (owner, error) {
	if len(o.Mark) < minMark {
		return owner{}, errors.New("the account that the Pixies belong to has no mark")
	}
	reportID = strings.ToLower(reportID)
	return owner{reportID: reportID, mark: digits("readiness.pixie.owner\n%s\n%s", o.Mark, reportID), ids: o.IDs}, nil
}

// minMark is how long a mark is at least, so that no two accounts share one.
const minMark = 32

// names are those that the owner's Pixie on the page may have, for ever: the first
// one that no other visual of the page has. Each is 20 hexadecimal digits, as the
// platform's editor names visuals: ten say whose it is, ten that it is a Pixie of
// this page.
func (o owner) names(page string) []string {
	names := make([]string, maxNames)
	for i := range names {
		names[i] = o.mark + digits("readiness.pixie.page\n%s\n%s\n%s\n%d", o.reportID, page, o.mark, i)
	}
	return names
}

const maxNames = 4

// digits are the first ten of a hash, in hexadecimal.
func digits(format string, args ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, format, args...))
	return hex.EncodeToString(sum[:5])
}

// isMarked says whether a Pixie on the page has the name, whosever it is.
func isMarked(reportID, page, name string) bool {
	if len(name) != 20 {
		return false
	}
	return slices.Contains(owner{reportID: reportID, mark: name[:10]}.names(page), name)
}

// isUnmarked says whether the name is one that Pixies on the page had before names
// told whose they are. No new one is given them.
func isUnmarked(reportID, page, name string) bool {
	for i := range maxNames {
		sum := sha256.Sum256(fmt.Appendf(nil, "readiness.pixie\n%s\n%s\n%d", reportID, page, i))
		if name == hex.EncodeToString(sum[:10]) {
			return true
		}
	}
	return false
}
