package documents

import (
	"bytes"
	"regexp"
)

// named matches the hashes of documents in an event, and other hashes, which no document has. A text of a person that looks like a hash is
// not in a member with such a name, and a quote inside a text is escaped, so no one can name a document of another account.
var named = regexp.MustCompile(`"(?:[A-Za-z]*[Hh]ash|document|questions)":"(sha256:[0-9a-f]{64})"`)

// Named returns the hashes in the data of an event that may be those of documents.
func Named(data []byte) (hashes []string) {
	if !bytes.Contains(data, []byte(`":"sha256:`)) {
		return nil
	}
	for _, found := range named.FindAllSubmatch(data, -1) {
		hashes = append(hashes, string(found[1]))
	}
	return hashes
}
