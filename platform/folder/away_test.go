package folder_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/platform/folder"
)

// A folder that was missing during one scan and came back unchanged is seen by the next scan.
func TestAFolderThatComesBackIsSeen(t *testing.T) {
	t.Parallel()
	const reports, moves = 300, 40
	in := map[string]string{}
	for i := range reports {
		in[fmt.Sprintf("ws/sub/A%03d.Report/.platform", i)] = platformFile(uuid.NewString(), "A")
	}
	root := files(t, in)
	p := open(t, root)
	look := func() int {
		all, err := p.Items(t.Context(), anna, only(t, p).ID, item.Report)
		check(t, err)
		return len(all)
	}
	sub, away := filepath.Join(root, "ws/sub"), filepath.Join(root, "../away")
	for range moves {
		now := later(t, root)
		folder.SetNow(p, func() time.Time { return now })
		look()
		var moved sync.WaitGroup
		moved.Go(func() {
			if err := errors.Join(os.Rename(sub, away), os.Rename(away, sub)); err != nil {
				t.Error(err)
			}
		})
		look()
		moved.Wait()
		if got := look(); got != reports {
			t.Fatalf("got %d reports, want %d", got, reports)
		}
	}
}
