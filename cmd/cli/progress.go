package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows the progress of a long command, if Stderr is a terminal.
type Progress struct {
	after time.Time // when it appears
	bar   func() *progressbar.ProgressBar
	shown *progressbar.ProgressBar
}

// Progress returns a bar that appears at once.
func (p *Program) Progress(what string) *Progress { return p.progress(what, 0) }

// TimedProgress returns a bar that appears at once and shows the number done, the rate and the remaining time.
func (p *Program) TimedProgress(what string) *Progress {
	return p.progress(what, 0, progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetPredictTime(true))
}

// LateProgress returns a bar that appears only if the work takes long, and shows the number done.
func (p *Program) LateProgress(what string) *Progress {
	return p.progress(what, p.Patience, progressbar.OptionShowCount())
}

func (p *Program) progress(what string, hidden time.Duration, more ...progressbar.Option) *Progress {
	if !OnTerminal(p.Stderr) {
		return &Progress{}
	}
	bar := func() *progressbar.ProgressBar {
		return progressbar.NewOptions64(1, append([]progressbar.Option{
			progressbar.OptionSetWriter(p.Stderr), progressbar.OptionSetDescription(what), progressbar.OptionFullWidth(),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish(),
		}, more...)...)
	}
	made := &Progress{after: time.Now().Add(hidden), bar: bar}
	if hidden == 0 {
		made.shown = bar()
	}
	return made
}

// At sets the progress.
func (p *Progress) At(done, total int64) {
	if p.bar == nil || total <= 0 {
		return
	}
	if p.shown == nil {
		if time.Now().Before(p.after) {
			return
		}
		p.shown = p.bar()
	}
	p.shown.ChangeMax64(total)
	_ = p.shown.Set64(min(done, total)) // drawing errors are harmless
}

// Of is At for counts of things.
func (p *Progress) Of(done, total int) { p.At(int64(done), int64(total)) }

// End removes the bar.
func (p *Progress) End() {
	if p.shown != nil {
		_ = p.shown.Finish()
	}
}
