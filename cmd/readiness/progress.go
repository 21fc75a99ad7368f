package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows on a terminal how far a long command has come; elsewhere it is
// silent.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w io.Writer, what string, more ...progressbar.Option) *progress {
	if !onTerminal(w) {
		return &progress{}
	}
	return &progress{progressbar.NewOptions64(1, append([]progressbar.Option{
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what), progressbar.OptionFullWidth(), progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish(),
	}, more...)...)}
}

// counted tells how many are done, too; timed how fast, and when it will be over, for what is shown from its begin.
var (
	counted = progressbar.OptionShowCount()
	timed   = []progressbar.Option{counted, progressbar.OptionShowIts(), progressbar.OptionSetPredictTime(true)}
)

// onTerminal reports whether w is a terminal.
func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) //nolint:gosec // a file descriptor is small
}

// at says that done of total are done.
func (p *progress) at(done, total int64) {
	if p.bar == nil || total <= 0 {
		return
	}
	p.bar.ChangeMax64(total)
	_ = p.bar.Set64(min(done, total)) // a bar that cannot be drawn harms nothing
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
