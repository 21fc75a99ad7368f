package comparison

import "testing"

func TestOrders(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"EVALUATE Sales ORDER BY [Amount]":                                 true,
		"evaluate TOPN(3, Sales)\norder\tby [x] desc":                      true,
		"EVALUATE Sales ORDER /* why */ BY [Amount]":                       true,
		"EVALUATE {1} ORDER BY [Value]":                                    true,
		"EVALUATE Sales":                                                   false,
		"":                                                                 false,
		"EVALUATE Sales -- ORDER BY [Amount]":                              false,
		`EVALUATE ROW("x", "ORDER BY")`:                                    false,
		"EVALUATE 'My ORDER BY table'":                                     false,
		"EVALUATE SUMMARIZECOLUMNS([a ORDER BY b])":                        false,
		"EVALUATE WINDOW(1, ABS, 2, ABS, Sales, ORDERBY([x]))":             false,
		"EVALUATE F(ORDER BY [x])":                                         false,
		`EVALUATE FILTER(T, [a]] ORDER BY b] = "say ""x"" ORDER BY ("")")`: false,
		`EVALUATE FILTER('it''s (', [a]]b(] = "x""(") ORDER BY 'T'[a]] b]`: true,
		"DEFINE MEASURE T[m] = 1 EVALUATE T ORDER BY T[m] START AT 1":      true,
		"EVALUATE T) ORDER BY [x]":                                         true,
		"EVALUATE VALUES(Orders[By]) // the last line":                     false,
		"EVALUATE border by":                                               false,
	} {
		if got := Orders(query); got != want {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
}
