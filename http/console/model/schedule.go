package model

import (
	"net/http"
	"slices"

	"readiness/client"
	"readiness/http/console/page"
)

// daily is the choice of every day; the others are days of the week.
const daily = "Daily"

// Days returns when a schedule can assess.
func (content) Days() []string {
	return []string{daily, "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
}

// addSchedule lets the model be assessed every day or week. The page of the account lists the schedules.
func addSchedule(v *page.Visit) error {
	w, m, form, err := sent(v)
	if err != nil {
		return err
	}
	day := form.Get("day")
	if !slices.Contains(content{}.Days(), day) {
		return &page.Problem{Status: http.StatusBadRequest, Title: "The form is incomplete", Text: "Choose the day of the schedule."}
	}
	r := client.CreateScheduleRequest{Frequency: client.Daily, TimeUtc: form.Get("time")}
	if day != daily {
		r.Frequency, r.DayOfWeek = client.Weekly, new(client.CreateScheduleRequestDayOfWeek(day))
	}
	if _, err := v.API.CreateScheduleWithResponse(v.Request.Context(), w, m, r); err != nil {
		return err
	}
	return v.See("/admin#schedules")
}
