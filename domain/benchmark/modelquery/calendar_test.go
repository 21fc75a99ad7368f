package modelquery_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"readiness/domain/benchmark/modelquery"
)

func TestNewCalendar(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns string // name:type, with ! for a key
		want    string // date, year, quarter, month, week, weekday
	}{
		"nothing":               {"", " | | | | | "},
		"plain":                 {"Date:dateTime Year:int64 Month:string Quarter:string Week:int64 Weekday:string", "Date|Year|Quarter|Month|Week|Weekday"},
		"in a warehouse's case": {"FullDate:dateTime calendar_year:int64 MonthName:string month_number:int64 QuarterNo:int64 DayOfWeek:string", "FullDate|calendar_year|QuarterNo|MonthName| |DayOfWeek"},
		"keys first":            {"Date:dateTime Start!:dateTime", "Start| | | | | "},
		"the better name first": {"Month Number:int64 Year Month:string Month:string Year Number:int64 Year:string", " |Year| |Month| | "},
		"no calendar year":      {"Fiscal Year:int64 Year:dateTime Month:boolean", "Year| | | | | "},
		"dates by name":         {"Zero:dateTime Day:dateTime Amount:dateTime", "Day| | | | | "},
		"dates without a name":  {"Zero:dateTime Amount:dateTime", "Amount| | | | | "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var columns []modelquery.CalendarColumn
			for rest := c.columns; rest != ""; {
				var column modelquery.CalendarColumn
				var kind string
				column.Name, rest, _ = strings.Cut(rest, ":")
				kind, rest, _ = strings.Cut(rest, " ")
				column.Name, column.Key = strings.CutSuffix(column.Name, "!")
				column.DataType = kind
				columns = append(columns, column)
			}
			first := modelquery.NewCalendar("Date", columns)
			rand.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
			if again := modelquery.NewCalendar("Date", columns); !reflect.DeepEqual(again, first) {
				t.Errorf("in another order %+v, not %+v", again, first)
			}
			var got []string
			for _, column := range []modelquery.CalendarColumn{first.Date, first.Year, first.Quarter, first.Month, first.Week, first.Weekday} {
				if column.Name == "" {
					column.Name = " "
				}
				got = append(got, column.Name)
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, "|"), c.want)
			}
		})
	}
}

func TestCalendarForms(t *testing.T) {
	t.Parallel()
	years := modelquery.NewCalendar("Date", []modelquery.CalendarColumn{{Name: "Year", DataType: "int64"}, {Name: "Date", DataType: "dateTime"}})
	days := modelquery.DateOnly(modelquery.Field{Table: "Sales", Name: "Sold On"})
	yearsOnly := modelquery.NewCalendar("Years", []modelquery.CalendarColumn{{Name: "Year", DataType: "string"}})
	form := func(f modelquery.Filter, ok bool) string {
		if !ok {
			return "-"
		}
		return f.Name + " " + f.Operator + " " + strings.Join(f.Values, ",") + strings.TrimSuffix(" "+string(f.Type), " ")
	}
	march, quarter := modelquery.MonthSpan(2024, 3), modelquery.QuarterSpan(2024, 4)
	for name, c := range map[string]struct {
		got  func(modelquery.Calendar) (modelquery.Filter, bool)
		want [3]string
	}{
		"in 2024": {func(c modelquery.Calendar) (modelquery.Filter, bool) { return c.In(modelquery.YearSpan(2024)) },
			[3]string{"Year = 2024 number", "Sold On between 2024-01-01,2024-12-31 date", "Year = 2024"}},
		"from 2022 to 2024": {func(c modelquery.Calendar) (modelquery.Filter, bool) {
			return c.In(modelquery.YearSpan(2022).Through(modelquery.YearSpan(2024)))
		}, [3]string{"Year between 2022,2024 number", "Sold On between 2022-01-01,2024-12-31 date", "Year between 2022,2024"}},
		"from March to 2024": {func(c modelquery.Calendar) (modelquery.Filter, bool) {
			return c.In(march.Through(modelquery.YearSpan(2024)))
		},
			[3]string{"Date between 2024-03-01,2024-12-31 date", "Sold On between 2024-03-01,2024-12-31 date", "-"}},
		"in Q4 2024": {func(c modelquery.Calendar) (modelquery.Filter, bool) { return c.In(quarter) },
			[3]string{"Date between 2024-10-01,2024-12-31 date", "Sold On between 2024-10-01,2024-12-31 date", "-"}},
		"on a day": {func(c modelquery.Calendar) (modelquery.Filter, bool) { return c.In(modelquery.DaySpan(2024, 2, 29)) },
			[3]string{"Date = 2024-02-29 date", "Sold On = 2024-02-29 date", "-"}},
		"in 2023 or 2024": {func(c modelquery.Calendar) (modelquery.Filter, bool) { return c.InAny([]int{2023, 2024}) },
			[3]string{"Year in 2023,2024 number", "-", "Year in 2023,2024"}},
		"since 2022": {func(c modelquery.Calendar) (modelquery.Filter, bool) { return c.Since(modelquery.YearSpan(2022)) },
			[3]string{"Year >= 2022 number", "Sold On >= 2022-01-01 date", "Year >= 2022"}},
		"after March": {func(c modelquery.Calendar) (modelquery.Filter, bool) { return c.After(march) },
			[3]string{"Date > 2024-03-31 date", "Sold On > 2024-03-31 date", "-"}},
		"before March": {func(c modelquery.Calendar) (modelquery.Filter, bool) { return c.Before(march) },
			[3]string{"Date < 2024-03-01 date", "Sold On < 2024-03-01 date", "-"}},
		"until 2024": {func(c modelquery.Calendar) (modelquery.Filter, bool) { return c.Until(modelquery.YearSpan(2024)) },
			[3]string{"Year <= 2024 number", "Sold On <= 2024-12-31 date", "Year <= 2024"}},
		"last month": {func(c modelquery.Calendar) (modelquery.Filter, bool) {
			return c.During(modelquery.Last(modelquery.Month))
		},
			[3]string{"Date period last month", "Sold On period last month", "-"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := [3]string{form(c.got(years)), form(c.got(days)), form(c.got(yearsOnly))}; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
