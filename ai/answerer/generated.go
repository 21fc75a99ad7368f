package answerer

import (
	"context"

	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
)

// generated returns a function that asks Generate Query for a query to each question. The query is judged like any other,
// and run as the person.
func (a *Asker) generated(as item.Caller, model item.Item, v view) (about verdict.Target, ask Ask) {
	about = v.about
	about.UseGenerateQuery()
	tables := make([]item.SelectedTable, len(v.Tables))
	for i, t := range v.Tables {
		tables[i].Name = t.Name
		for _, c := range t.Columns {
			tables[i].Columns = append(tables[i].Columns, c.Name)
		}
		for _, m := range t.Measures {
			tables[i].Measures = append(tables[i].Measures, m.Name)
		}
	}
	return about, func(ctx context.Context, question string) (benchmark.Reply, error) {
		dax, took, err := a.Generator.GenerateQuery(ctx, as, model, question, tables)
		reply := benchmark.Reply{DurationMS: took.Milliseconds(), Attempts: 1}
		switch {
		case err != nil:
			return unanswered(ctx, reply, err)
		case dax == "":
			reply.Failure = &verdict.Failure{Code: "NotUnderstood",
				Message: "Generate Query answered, and the service found no query in its answer, whose form is not published"}
		default:
			reply.Answer = verdict.Answer{Text: "Generate Query wrote this query.", Query: dax}
		}
		return reply, nil
	}
}
