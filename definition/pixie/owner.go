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

// Owner is the account whose Pixies are added or removed. Those of other accounts
// are not changed.
type Owner struct {
	// Mark distinguishes the account from others; the function Mark makes it.
	Mark string
	// IDs is the subset of the ids that the function IDs found in the report that
	// belong to the account. They identify the owner of copies, and of Pixies from
	// before names identified it.
	IDs map[string]bool
}

// Mark returns a keyed hash of the account's id. Without the key it does not reveal
// the account. Every process of a deployment must use the same key.
func Mark(key []byte, accountID string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(accountID))
	return hex.EncodeToString(h.Sum(nil))
}

// owner is an Owner in one report.
type owner struct {
	reportID string // in lower case
	mark     string // prefix of the names of its Pixies
	ids      map[string]bool
}

// in returns the owner in a report, whose id may have any letter case. The mark
// differs in each report, so two reports do not reveal that one account tracks both.
func (o Owner) in(reportID string) (owner, error) {
	if len(o.Mark) < minMark {
		return owner{}, errors.New("the account of the Pixies has no mark")
	}
	reportID = strings.ToLower(reportID)
	return owner{reportID: reportID, mark: digits("readiness.pixie.owner\n%s\n%s", o.Mark, reportID), ids: o.IDs}, nil
}

// minMark is the smallest length of a mark. It is long enough that no two accounts
// share one.
const minMark = 32

// names returns the names that the owner's Pixie on the page may have, which never
// change. The first that no other visual of the page has is used. Each is 20
// hexadecimal digits, as the platform's editor names visuals: ten identify the
// owner, ten mark it as a Pixie of this page.
func (o owner) names(page string) []string {
	names := make([]string, maxNames)
	for i := range names {
		names[i] = o.mark + digits("readiness.pixie.page\n%s\n%s\n%s\n%d", o.reportID, page, o.mark, i)
	}
	return names
}

const maxNames = 4

// digits returns the first ten hexadecimal digits of a hash.
func digits(format string, args ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, format, args...))
	return hex.EncodeToString(sum[:5])
}

// isMarked reports whether a Pixie of any account on the page has the name.
func isMarked(reportID, page, name string) bool {
	if len(name) != 20 {
		return false
	}
	return slices.Contains(owner{reportID: reportID, mark: name[:10]}.names(page), name)
}

// isUnmarked reports whether the name is one that Pixies on the page had before
// names identified the owner. New Pixies do not get such names.
func isUnmarked(reportID, page, name string) bool {
	for i := range maxNames {
		sum := sha256.Sum256(fmt.Appendf(nil, "readiness.pixie\n%s\n%s\n%d", reportID, page, i))
		if name == hex.EncodeToString(sum[:10]) {
			return true
		}
	}
	return false
}
