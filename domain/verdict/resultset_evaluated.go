package verdict

import "readiness/definition/dax/evaluate"

// Evaluated returns what the embedded evaluator answered to a query.
func Evaluated(r evaluate.Result) ResultSet {
	set := ResultSet{Engine: r.Engine, Rows: make([][]Value, len(r.Rows))}
	for i, row := range r.Rows {
		for _, v := range row {
			set.Rows[i] = append(set.Rows[i], evaluated(v))
		}
	}
	return set
}

func evaluated(v evaluate.Value) Value {
	switch v.Kind() {
	case evaluate.Boolean:
		return Boolean(v.Number() != 0)
	case evaluate.Number:
		return Number(v.Number())
	case evaluate.DateTime:
		return Instant(v.Time())
	case evaluate.Text:
		return Text(v.String())
	case evaluate.Blank:
	}
	return Value{}
}
