package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows the progress of a long command, if the output is a terminal.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w io.Writer, what string, more ...progressbar.Option) *progress {
	if !onTerminal(w) {
		return &progress{}
	}
	return &progress{progressbar.NewOptions64(1, append([]progressbar.Option{
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what), progressbar.OptionFullWidth(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish(),
	}, more...)...)}
}

// counted also shows the number done. timed adds the rate and the remaining time, for bars that are shown from the
// start.
var (
	counted = progressbar.OptionShowCount()
	timed   = []progressbar.Option{counted, progressbar.OptionShowIts(), progressbar.OptionSetPredictTime(true)}
)

// onTerminal reports whether w is a terminal.
func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) //nolint:gosec // a file descriptor is small
}

// at sets the progress.
func (p *progress) at(done, total int64) {
	if p.bar == nil || total <= 0 {
		return
	}
	p.bar.ChangeMax64(total)
	_ = p.bar.Set64(min(done, total)) // drawing errors are harmless
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
