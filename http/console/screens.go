package console

import (
	"context"
	"time"

	"readiness/client/inprocess"
	"readiness/http/console/admin"
	"readiness/http/console/compare"
	"readiness/http/console/evaluations"
	"readiness/http/console/model"
	"readiness/http/console/operations"
	"readiness/http/console/page"
	"readiness/http/console/pixies"
	"readiness/http/console/portfolio"
	"readiness/http/console/qna"
	"readiness/http/console/questions"
	"readiness/http/console/review"
	"readiness/http/console/search"
)

// screens are the screens of the console, in the order of the navigation.
func screens(o Options) []page.Screen {
	return []page.Screen{portfolio.Screen(), model.Screen(), compare.Screen(), review.Screen(o.Choices, o.Now), evaluations.Screen(),
		qna.Screen(), questions.Screen(), operations.Screen(), pixies.Screen(), admin.Screen(), search.Screen()}
}

// maxPause is the longest wait of a page for another attempt at a call. A page that waits for longer says so instead.
const maxPause = time.Second

func pause(ctx context.Context, d time.Duration) error {
	if d > maxPause {
		return inprocess.ErrLate
	}
	return inprocess.Pause(ctx, d)
}

// signedIn is where a sign-in in another tab ends.
func signedIn(*page.Visit) error {
	return &page.Problem{Status: 200, Title: "You are signed in", Text: "Close this tab, and send your form again in the other one.",
		Link: "/", LinkText: "Go to the portfolio"}
}
