package review_test

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
	"readiness/test/testworld"
)

// TestApplyThroughSleep applies every kind of proposals of a model, which needs reads of the person in between, while the page of the
// operation sleeps: after it wakes, it carries the operation to its end. It does so over the folder and over the emulator.
func TestApplyThroughSleep(t *testing.T) {
	t.Parallel()
	if !chromium.Found(t) {
		return
	}
	for _, name := range []string{"mouse", "emulator"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := make(chan struct{})
			b, w := chromium.Ways[name].Start(t, consoletest.Options{Steps: consoletest.Gated(gate)})
			b.GoTo("/")
			chromium.Ways[name].SignIn(b)
			w.AssessAll("contoso", "ada")
			sleepThrough(t, b, w, gate)
			b.Quiet()
		})
	}
}

// sleepThrough opens the gate, without which nothing is written, when the page sleeps.
func sleepThrough(t *testing.T, b *chromium.Tab, w *consoletest.World, gate chan<- struct{}) {
	t.Helper()
	api := w.API("contoso", "ada")
	m := w.Assessed("Store Operations")
	started, err := api.OptimizeWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, nil, client.OptimizeRequest{Approval: "none"})
	testworld.Check(t, err)
	b.GoTo("/operations/" + started.JSON202.OperationID.String())
	b.Run("sleep", emulation.SetFocusEmulationEnabled(false), // a page with an emulated focus cannot sleep
		page.SetWebLifecycleState(page.SetWebLifecycleStateStateFrozen))
	close(gate)
	// A colleague's reads, at least a second apart, do not advance the operation. A page that is awake does, within three seconds. What it
	// asked for before it slept may still arrive.
	var waits []client.Operation
	for o, err := range w.API("contoso", "grace").States(t.Context(), started.JSON202.OperationID) {
		testworld.Check(t, err)
		if len(waits) > 0 && !o.LastUpdatedTimeUtc.Equal(waits[0].LastUpdatedTimeUtc) {
			waits = nil
		}
		if o.WaitingFor != nil {
			waits = append(waits, o)
		}
		if o.Ended() {
			t.Fatalf("the operation ended although its owner did not read it: %+v", o)
		}
		if len(waits) == 5 {
			break
		}
	}
	b.Run("wake", page.SetWebLifecycleState(page.SetWebLifecycleStateStateActive))
	b.Run("it ends", chromedp.WaitVisible(`//main//*[contains(., "Succeeded")]`, chromedp.BySearch))
}
