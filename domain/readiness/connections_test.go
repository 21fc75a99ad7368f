package readiness_test

import (
	"testing"

	"readiness/definition/semanticmodel"
)

func TestSeveritiesOfConnections(t *testing.T) {
	t.Parallel()
	joined := func(parts ...any) *semanticmodel.Model {
		return model(append([]any{table("S", whole("Order No"), text("n")), table("P", whole("Order No"), text("n")),
			related("S[Order No] -> P[Order No]")}, parts...)...)
	}
	// bridge returns a table between S and P, with relationships to both.
	bridge := func(options []string, parts ...any) *semanticmodel.Model {
		return model(table("B", append([]any{whole("s"), whole("p")}, parts...)...), table("S", whole("s"), date("d")), table("P", whole("p")),
			related("B[s] -> S[s]", options...), related("B[p] -> P[p]"))
	}
	both := []string{"both"}
	bridged := func(severity string) string { return "B[p] -> P[p] 0, B[s] -> S[s] 1 " + severity }
	severities(t, map[string][]row{
		"REL-01": {
			{"no relationship", model(table("S", whole("a")), table("P", whole("b"))), "# 1 medium"},
			{"no relationship, half of the tables with a key in common", model(table("S", text("x id")), table("P", text("X Id")), table("Q", text("q")),
				table("R", text("r"))), "# 1 high"},
			{"fewer than half", model(table("S", text("x id")), table("P", text("X Id")), table("Q", text("q")), table("R", text("r")),
				table("T", text("t"))), "# 1 medium"},
			{"a key that nothing says to be one, next to one of another table", model(table("S", text("x id")), table("P", text("X Id")), table("Q", text("q", key))),
				"# 1 medium"},
			{"a key that nothing says to be one, next to an inactive relationship", model(table("S", text("x id"), text("a")), table("P", text("X Id"), text("a")),
				related("S[a] -> P[a]", "inactive")), "# 1 medium"},
			{"a key in common and a number to sum", joined(table("T", text("n"), whole("order_no", summarized("none")), amount("Net"))), "P 0, S 0, T 1 high"},
			{"a key in common and nothing to ask for", joined(table("T", text("n"), whole("order_no", summarized("none")), amount("Net", key))),
				"P 0, S 0, T 1 medium"},
			{"a key in common and a column that a hidden measure uses", joined(table("T", text("n"), text("o"), text("p"), text("q"), text("r"),
				whole("order_no", summarized("none")), measure("m", "MAX(T[n])", hiddenMeasure))), "P 0, S 0, T 1 high"},
			{"a key in common", joined(table("T", whole("order_no"))), "P 0, S 0, T 1 high"},
			{"no key on either side", joined(table("T", text("x id")), table("U", text("x id"))), "P 0, S 0, T 1 medium, U 1 medium"},
			{"a number of keys", joined(table("T", whole("x count no", key)), table("U", whole("x count no"))), "P 0, S 0, T 1 medium, U 1 medium"},
			{"each its own key", joined(table("T", text("id", key)), table("U", text("ID"))), "P 0, S 0, T 1 medium, U 1 medium"},
			{"each its own identifier", model(table("People", text("ObjectId"), text("n")), table("Issues", text("ObjectId"), text("assignee"), amount("Net")),
				table("Labels", text("ObjectId"), text("n")), related("Issues[assignee] -> People[ObjectId]")), "Issues 0, Labels 1 medium, People 0"},
			{"the key of another", joined(table("Stages", whole("id", key)), table("U", whole("stage_id"), amount("Net"))), "P 0, S 0, Stages 1 medium, U 1 high"},
			{"a sum of keys", joined(table("T", whole("sum id", key)), table("U", whole("sum id"))), "P 0, S 0, T 1 medium, U 1 medium"},
			{"a hidden key", joined(table("T", whole("ORDER NO", hidden))), "P 0, S 0, T 1 high"},
			{"each last word", joined(table("A", text("x id", key), text("x key", key), text("x code", key), text("x cd", key), text("x no", key),
				text("x nr", key), text("x number", key)), table("U", text("X Id")), table("V", text("X Key")), table("W", text("X Code")), table("X", text("X Cd")),
				table("Y", text("X Nr")), table("Z", text("X Number"))),
				"A 1 medium, P 0, S 0, U 1 medium, V 1 medium, W 1 medium, X 1 medium, Y 1 medium, Z 1 medium"},
			{"of another type", joined(table("T", text("Order No"))), "P 0, S 0, T 1 medium"},
			{"of unknown types", joined(table("T", column("x id", "")), table("U", column("x id", ""))), "P 0, S 0, T 1 medium, U 1 medium"},
			{"texts alone", joined(table("T", text("n"))), "P 0, S 0, T 1 low"},
			{"texts and a measure", joined(table("T", text("n"), text("o"), measure("m", "COUNTROWS(T)"))), "P 0, S 0, T 1 medium"},
			{"no key", joined(table("T", text("n"), date("d"))), "P 0, S 0, T 1 medium"},
			{"in its own table only", joined(table("T", text("x id"), text("x_id"))), "P 0, S 0, T 1 medium"},
			{"in a utility table", joined(table("T", text("x id")), table("U", group("y"), text("x id"))), "P 0, S 0, T 1 medium"},
		},
		"REL-03": {
			{"a bridge", bridge(both), bridged("low")},
			{"with a text", bridge(both, text("n")), bridged("low")},
			{"with a number to sum", bridge(both, amount("Net")), bridged("medium")},
			{"with a hidden number to sum", bridge(both, amount("Net", hidden, summarized("sum"))), bridged("medium")},
			{"with a number not to sum", bridge(both, amount("Net", summarized("none"))), bridged("low")},
			{"with a key", bridge(both, whole("Net", key)), bridged("low")},
			{"of a date table", model(table("B", whole("s"), whole("p")), table("S", whole("s"), date("d"), tableCategory("Time")),
				table("P", whole("p")), related("B[s] -> S[s]", "both"), related("B[p] -> P[p]")), bridged("medium")},
			{"with 3 relationships", model(table("B", whole("s"), whole("p"), whole("q")), table("S", whole("s")), table("P", whole("p")), table("Q",
				whole("q")), related("B[s] -> S[s]", "both"), related("B[p] -> P[p]"), related("B[q] -> Q[q]")),
				"B[p] -> P[p] 0, B[q] -> Q[q] 0, B[s] -> S[s] 1 medium"},
			{"with an inactive third", model(table("B", whole("s"), whole("p"), whole("q")), table("S", whole("s")), table("P", whole("p")), table("Q",
				whole("q")), related("B[s] -> S[s]", "both"), related("B[p] -> P[p]"), related("B[q] -> Q[q]", "inactive")), bridged("low")},
			{"on a one side", model(table("B", whole("s")), table("S", whole("s")), table("P", whole("p")), related("B[s] -> S[s]", "both"),
				related("P[p] -> B[s]")), "B[s] -> S[s] 1 low, P[p] -> B[s] 0"},
			{"one to many", model(table("B", whole("s")), table("S", whole("s")), related("S[s] -> B[s]", "both", "oneToMany")),
				"S[s] -> B[s] 1 low"},
			{"many to many", model(table("B", whole("s")), table("S", whole("s"), amount("Net")), related("B[s] -> S[s]", "both", "manyToMany")),
				"B[s] -> S[s] 1 low"},
			{"many to many, the other way", model(table("B", whole("s")), table("S", whole("s"), amount("Net")), related("S[s] -> B[s]", "both",
				"manyToMany")), "S[s] -> B[s] 1 medium"},
		},
		"REL-05": {
			{"one each", model(table("A", whole("a")), table("B", whole("a"), whole("b")), table("C", whole("b")), related("A[a] -> B[a]"),
				related("B[b] -> C[b]")), "B 1 low, C 0"},
			{"shared", model(table("A", whole("a"), whole("b")), table("B", whole("a"), whole("b")), table("C", whole("b")),
				related("A[a] -> B[a]"), related("B[b] -> C[b]"), related("A[b] -> C[b]")), "B 0.5 low, C 0"},
		},
	})
}

func TestMessagesOfConnections(t *testing.T) {
	t.Parallel()
	alone := func(tables ...any) *semanticmodel.Model { return model(tables...) }
	ids := func(name string, n int) semanticmodel.Table {
		return table(name, columns(n, "k%d id", semanticmodel.Int64, key))
	}
	ruleMessages(t, map[string][]row{
		"REL-01": {
			{"no key in common", alone(table("S", whole("a")), table("P", whole("b"))),
				"relate its tables to each other (2 tables stand alone)"},
			{"one shown table", alone(table("S", whole("a")), table("P", whole("b"), hiddenTable)),
				"relate its tables to each other (1 table stands alone)"},
			{"a key in common", alone(table("S", whole("Order No")), table("P", whole("order_no", key)), table("Q", text("Order No"))),
				"relate its tables to each other, first 'P'[order_no] to 'S'[Order No] (3 tables stand alone)"},
			{"6 pairs", alone(ids("A", 3), ids("B", 2), ids("C", 2)),
				"relate its tables to each other, first 'A'[k0 id] to 'B'[k0 id], 'A'[k0 id] to 'C'[k0 id], 'A'[k1 id] to 'B'[k1 id], 'A'[k1 id] to 'C'[k1 id], 'B'[k0 id] to 'C'[k0 id] (3 tables stand alone)"},
			{"the first partner", alone(ids("A", 2), ids("B", 1), ids("C", 2), table("D", whole("k1 id")), related("A[k0 id] -> B[k0 id]")),
				"relate 'C'[k0 id] to 'A'[k0 id], or leave the table out of what an AI sees\nrelate 'D'[k1 id] to 'A'[k1 id], or leave the table out of what an AI sees"},
			{"a later partner", alone(table("A", whole("x id")), ids("B", 1), ids("C", 1), table("D", whole("x id", key)), related("B[k0 id] -> C[k0 id]")),
				"relate 'A'[x id] to 'D'[x id], or leave the table out of what an AI sees\nrelate 'D'[x id] to 'A'[x id], or leave the table out of what an AI sees"},
			{"an inactive relationship", alone(table("A", whole("x")), ids("B", 1), ids("C", 1), related("B[k0 id] -> C[k0 id]"),
				related("A[x] -> B[k0 id]", "inactive")),
				"activate its relationship 'A'[x] -> 'B'[k0 id], or leave the table out of what an AI sees"},
			{"no partner", alone(table("A", whole("x")), ids("B", 1), ids("C", 1), related("B[k0 id] -> C[k0 id]")),
				"relate it to a table that its questions need, or leave it out of what an AI sees"},
		},
		"REL-06": {
			{"the only one between its tables", alone(table("A", whole("x")), ids("B", 1), ids("C", 1), related("B[k0 id] -> C[k0 id]"),
				related("A[x] -> B[k0 id]", "inactive")), "activate it, as no active relationship connects 'A' with 'B'; " +
				"or add a measure that activates it by USERELATIONSHIP, or say in the instructions what it is for"},
			{"a second one", alone(ids("B", 2), ids("C", 2), related("B[k0 id] -> C[k0 id]"), related("B[k1 id] -> C[k1 id]", "inactive")),
				"add a measure that activates it by USERELATIONSHIP, or say in the instructions what it is for"},
			{"a second way", alone(table("A", whole("x")), ids("B", 2), ids("C", 2), related("B[k0 id] -> C[k0 id]"), related("A[x] -> C[k1 id]"),
				related("A[x] -> B[k1 id]", "inactive")), "add a measure that activates it by USERELATIONSHIP, or say in the instructions what it is for"},
		},
		"REL-03": {
			{"a bridge", alone(table("B", whole("s")), table("S", whole("s")), related("B[s] -> S[s]", "both")),
				"let it filter in one direction, unless questions need 'B' to connect other tables"},
			{"a fact", alone(table("B", whole("s"), amount("Net")), table("S", whole("s")), related("B[s] -> S[s]", "both")),
				"let it filter in one direction, and use CROSSFILTER in the measures that need both"},
			{"a key", alone(table("B", whole("s", key), amount("Net")), table("S", whole("s")), related("B[s] -> S[s]", "both")),
				"make it one-to-one, as 'B'[s] has each value once"},
			{"a one end", alone(table("B", whole("s"), amount("Net")), table("S", whole("s")), table("C", whole("s")), related("B[s] -> S[s]", "both"),
				related("C[s] -> B[s]", "inactive")), "make it one-to-one, as 'B'[s] has each value once"},
			{"a key of a one-to-many relationship", alone(table("B", whole("s", key)), table("S", whole("s")), related("S[s] -> B[s]", "both",
				"oneToMany")), "make it one-to-one, as 'B'[s] has each value once"},
			{"a key of a many-to-many relationship", alone(table("B", whole("s", key), amount("Net")), table("S", whole("s")), related("B[s] -> S[s]",
				"both", "manyToMany")), "let it filter in one direction, and use CROSSFILTER in the measures that need both"},
		},
		"REL-05": {
			{"one each", alone(table("A", whole("a")), table("B", whole("a"), whole("b")), table("C", whole("b")), related("A[a] -> B[a]"),
				related("B[b] -> C[b]")), "bring the columns of 'C' into it, so that one step leads from facts to them"},
			{"shared", alone(table("A", whole("a"), whole("b")), table("B", whole("a"), whole("b")), table("C", whole("b")),
				related("A[a] -> B[a]"), related("B[b] -> C[b]"), related("A[b] -> C[b]")),
				"bring the columns of 'C' that people ask for into it too, and keep 'C', which is on the one side of 2 active relationships"},
		},
	})
}

func TestOwnIdentifiersAreNoRelationship(t *testing.T) {
	t.Parallel()
	own := func(name string) *semanticmodel.Model {
		return model(table("People", text(name), text("n")), table("Issues", text(name), text("assignee"), amount("Net")), table("Labels", text(name), text("n")),
			related("Issues[assignee] -> People["+name+"]"))
	}
	var rows []row
	for _, name := range []string{"ObjectId", "sys_id", "ItemInternalId", "GlobalID", "id"} {
		rows = append(rows, row{name, own(name), "relate it to a table that its questions need, or leave it out of what an AI sees"})
	}
	rows = append(rows, row{"Person ID", own("Person ID"), "relate 'Labels'[Person ID] to 'People'[Person ID], or leave the table out of what an AI sees"})
	ruleMessages(t, map[string][]row{"REL-01": rows})
}
