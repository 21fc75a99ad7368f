package ownrules

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/internal/lists"
)

// Type is a type of object in expressions.
type Type struct {
	Name, Doc string
	// Variable names an object of the type that a rule judges; "" if no rule does.
	Variable string
	Members  []Member
	cel      *types.Type
}

// Member is a member of an object.
type Member struct {
	Name, Doc string
	// Type is as in CEL, such as list(Column).
	Type string
	cel  *types.Type
	get  func(w *world, of any) ref.Val
}

// Scope returns the scope of a rule that judges objects of the type.
func (t *Type) Scope() finding.ObjectType { return scopes[t.Variable] }

// scopes are the objects that rules judge, by the variable that has one.
var scopes = map[string]finding.ObjectType{
	"model": finding.ModelObject, "table": finding.TableObject, "column": finding.ColumnObject, "measure": finding.MeasureObject,
	"hierarchy": finding.HierarchyObject, "calculationItem": finding.CalculationItemObject, "relationship": finding.RelationshipObject,
	"role": finding.RoleObject, "partition": finding.PartitionObject, "perspective": finding.PerspectiveObject,
}

// The objects of expressions that package model has not in this form.
type (
	calculationItem struct {
		model.Judged
		src   *semanticmodel.CalculationItem
		table *model.Table
	}
	level struct {
		semanticmodel.Level
		table *model.Table
	}
	role      struct{ model.Object }
	partition struct {
		model.Object
		src *semanticmodel.Partition
	}
	perspective struct {
		model.Object
		name string
	}
)

// Types returns the types of objects, with their members.
func Types() []Type { return documented }

var documented = []Type{
	{"Model", "The semantic model.", "model", []Member{
		text("culture", "The default culture, such as en-US.", func(s *world) string { return s.x.Src.Culture }),
		flag("discourageImplicitMeasures", "Whether no visual summarizes a column by itself.", func(s *world) bool { return s.x.Src.ExplicitOnly }),
		text("aiInstructions", "The AI instructions.", func(s *world) string { return s.x.Instructions }),
		many("tables", "Table", "The tables, without those that Power BI makes for date hierarchies and without private ones.",
			func(_ *world, s *world) []*model.Table { return s.x.Tables }),
		many("columns", "Column", "The columns of all tables, without row numbers.", func(_ *world, s *world) []*model.Column { return s.x.Columns }),
		many("measures", "Measure", "The measures of all tables.", func(_ *world, s *world) []*model.Measure { return s.x.Measures }),
		many("relationships", "Relationship", "The relationships whose two columns exist.",
			func(_ *world, s *world) []*model.Relationship { return s.x.Relationships }),
		many("roles", "Role", "The roles.", func(w *world, _ *world) []*role { return w.roles }),
		texts("cultures", "The names of the cultures.", func(s *world) []string {
			return lists.Map(s.x.Src.Cultures, func(c semanticmodel.Culture) string { return c.Name })
		}),
		texts("perspectives", "The names of the perspectives.", func(s *world) []string { return s.x.Src.Perspectives }),
		texts("functions", "The names of the user-defined DAX functions.", func(s *world) []string {
			return lists.Map(s.x.Src.Functions, func(f semanticmodel.Function) string { return f.Name })
		}),
		pairs("annotations", "The annotations, by name.", func(s *world) map[string]string { return s.x.Src.Annotations }),
	}, nil},
	{"Table", "A table.", "table", []Member{
		text("name", "The name.", func(t *model.Table) string { return t.Src.Name }),
		text("description", "The description, without white space around it.", func(t *model.Table) string { return t.Description }),
		flag("isHidden", "Whether it is hidden.", func(t *model.Table) bool { return t.Hidden }),
		exposed("isExposed", "Whether an AI sees it.", func(t *model.Table) *model.Object { return &t.Object }),
		text("dataCategory", "The data category as written; Time is that of a marked date table.", func(t *model.Table) string { return t.Src.DataCategory }),
		flag("isCalculated", "Whether its rows are calculated in DAX.",
			func(t *model.Table) bool { return slices.ContainsFunc(t.Src.Partitions, model.IsCalculated) }),
		flag("isCalculationGroup", "Whether it is a calculation group.", func(t *model.Table) bool { return t.Src.CalculationGroup != nil }),
		flag("isDate", "Whether it is a date table, marked or not.", func(t *model.Table) bool { return t.Date }),
		flag("isFact", "Whether it is a fact: only on the many side of active relationships.", (*model.Table).Fact),
		flag("isDimension", "Whether it is on the one side of an active relationship.", (*model.Table).Dimension),
		many("columns", "Column", "Its columns, without row numbers.", func(_ *world, t *model.Table) []*model.Column { return t.Columns }),
		many("measures", "Measure", "Its measures.", func(_ *world, t *model.Table) []*model.Measure { return t.Measures }),
		many("hierarchies", "Hierarchy", "Its hierarchies.", func(_ *world, t *model.Table) []*model.Hierarchy { return t.Hierarchies }),
		many("calculationItems", "CalculationItem", "The items of a calculation group.",
			func(w *world, t *model.Table) []*calculationItem { return w.items[t] }),
		many("partitions", "Partition", "Its partitions.", func(w *world, t *model.Table) []*partition { return w.partitions[t] }),
		many("relationships", "Relationship", "The relationships that begin or end at it.",
			func(w *world, t *model.Table) []*model.Relationship { return w.ofTable[t] }),
		texts("synonyms", "Synonyms that a person wrote, in lower case.", func(t *model.Table) []string { return t.Terms }),
		pairs("annotations", "The annotations, by name.", func(t *model.Table) map[string]string { return t.Src.Annotations }),
	}, nil},
	{"Column", "A column of a table.", "column", []Member{
		text("name", "The name.", func(c *model.Column) string { return c.Name }),
		one("table", "Table", "The table that has it.", func(c *model.Column) *model.Table { return c.Table }),
		text("description", "The description, without white space around it.", func(c *model.Column) string { return c.Description }),
		flag("isHidden", "Whether it or its table is hidden.", func(c *model.Column) bool { return c.Hidden }),
		exposed("isExposed", "Whether an AI sees it.", func(c *model.Column) *model.Object { return &c.Object }),
		text("dataType", "string, boolean, dateTime, int64, decimal, double, binary, or empty if it is unknown.",
			func(c *model.Column) string { return string(c.DataType) }),
		text("summarizeBy", "none, sum, count, min, max, average, distinctCount, default, or empty.",
			func(c *model.Column) string { return c.Src.SummarizeBy }),
		text("formatString", "The format string.", func(c *model.Column) string { return c.Src.FormatString }),
		text("displayFolder", "The display folder.", func(c *model.Column) string { return c.Src.DisplayFolder }),
		text("sortByColumn", "The name of the column by which it is sorted, or empty.", func(c *model.Column) string { return c.Src.SortByColumn }),
		text("dataCategory", "The data category, such as City or WebUrl.", func(c *model.Column) string { return c.Src.DataCategory }),
		text("sourceColumn", "The column of the source.", func(c *model.Column) string { return c.Src.SourceColumn }),
		flag("isKey", "Whether it is marked as key, or is an end of a relationship.", func(c *model.Column) bool { return c.Key }),
		flag("isCalculated", "Whether it has an expression.", (*model.Column).Calculated),
		flag("isDefaultLabel", "Whether it labels the rows of its table.", func(c *model.Column) bool { return c.Src.IsDefaultLabel }),
		textIn("expression", "The DAX of a calculated column, as written.",
			func(w *world, c *model.Column) string { return w.written(c.Src, c.Src.Expression) }),
		callsOf("calls", func(w *world, c *model.Column) string { return w.written(c.Src, c.Src.Expression) }),
		many("relationships", "Relationship", "The relationships of which it is an end.",
			func(w *world, c *model.Column) []*model.Relationship { return w.ofColumn[c] }),
		many("referencedBy", "Measure", "The measures that name it.", func(w *world, c *model.Column) []*model.Measure { return w.uses[&c.Object] }),
		texts("synonyms", "Synonyms that a person wrote, in lower case.", func(c *model.Column) []string { return c.Terms }),
		pairs("annotations", "The annotations, by name.", func(c *model.Column) map[string]string { return c.Src.Annotations }),
	}, nil},
	{"Measure", "A measure.", "measure", []Member{
		text("name", "The name.", func(m *model.Measure) string { return m.Name }),
		one("table", "Table", "The table that has it.", func(m *model.Measure) *model.Table { return m.Table }),
		text("description", "The description, without white space around it.", func(m *model.Measure) string { return m.Description }),
		flag("isHidden", "Whether it or its table is hidden.", func(m *model.Measure) bool { return m.Hidden }),
		exposed("isExposed", "Whether an AI sees it.", func(m *model.Measure) *model.Object { return &m.Object }),
		textIn("expression", "The DAX, as written.", func(w *world, m *model.Measure) string { return w.written(m.Src, m.Src.Expression) }),
		callsOf("calls", func(w *world, m *model.Measure) string { return w.written(m.Src, m.Src.Expression) }),
		text("formatString", "The format string.", func(m *model.Measure) string { return m.Src.FormatString }),
		text("formatStringDefinition", "The DAX of a dynamic format string.", func(m *model.Measure) string { return m.Src.FormatStringDefinition }),
		text("displayFolder", "The display folder.", func(m *model.Measure) string { return m.Src.DisplayFolder }),
		text("dataCategory", "The data category, such as ImageUrl.", func(m *model.Measure) string { return m.Src.DataCategory }),
		many("columns", "Column", "The columns that it names.", func(w *world, m *model.Measure) []*model.Column { return w.columnsIn(m) }),
		many("measures", "Measure", "The measures that it names.", func(w *world, m *model.Measure) []*model.Measure { return w.measuresIn(m) }),
		many("referencedBy", "Measure", "The measures that name it.", func(w *world, m *model.Measure) []*model.Measure { return w.uses[&m.Object] }),
		texts("synonyms", "Synonyms that a person wrote, in lower case.", func(m *model.Measure) []string { return m.Terms }),
		pairs("annotations", "The annotations, by name.", func(m *model.Measure) map[string]string { return m.Src.Annotations }),
	}, nil},
	{"Hierarchy", "A hierarchy of a table.", "hierarchy", []Member{
		text("name", "The name.", func(h *model.Hierarchy) string { return h.Name }),
		one("table", "Table", "The table that has it.", func(h *model.Hierarchy) *model.Table { return h.Table }),
		text("description", "The description, without white space around it.", func(h *model.Hierarchy) string { return h.Description }),
		flag("isHidden", "Whether it or its table is hidden.", func(h *model.Hierarchy) bool { return h.Hidden }),
		flag("isExposed", "Whether an AI sees it.", func(h *model.Hierarchy) bool { return h.Exposed }),
		many("levels", "Level", "The levels, from the top.", func(_ *world, h *model.Hierarchy) []*level {
			return lists.Map(h.Src.Levels, func(l semanticmodel.Level) *level { return &level{l, h.Table} })
		}),
	}, nil},
	{"Level", "A level of a hierarchy.", "", []Member{
		text("name", "The name.", func(l *level) string { return l.Name }),
		text("column", "The name of its column.", func(l *level) string { return l.Column }),
	}, nil},
	{"CalculationItem", "An item of a calculation group.", "calculationItem", []Member{
		text("name", "The name.", func(i *calculationItem) string { return i.src.Name }),
		one("table", "Table", "The calculation group.", func(i *calculationItem) *model.Table { return i.table }),
		text("description", "The description.", func(i *calculationItem) string { return strings.TrimSpace(i.src.Description) }),
		textIn("expression", "The DAX, as written.", func(w *world, i *calculationItem) string { return w.written(i.src, i.src.Expression) }),
		callsOf("calls", func(w *world, i *calculationItem) string { return w.written(i.src, i.src.Expression) }),
		{"ordinal", "Its place among the items.", "int", types.IntType, func(_ *world, of any) ref.Val { return types.Int(of.(*calculationItem).src.Ordinal) }},
	}, nil},
	{"Relationship", "A relationship whose two columns exist.", "relationship", []Member{
		text("name", "What it connects, as From[Column] -> To[Column].", func(r *model.Relationship) string { return r.Name }),
		one("from", "Column", "The column at which it begins, on the many side as a rule.", func(r *model.Relationship) *model.Column { return r.From }),
		one("to", "Column", "The column at which it ends.", func(r *model.Relationship) *model.Column { return r.To }),
		text("fromCardinality", "one or many.", func(r *model.Relationship) string { return string(r.Src.FromCardinality) }),
		text("toCardinality", "one or many.", func(r *model.Relationship) string { return string(r.Src.ToCardinality) }),
		text("crossFilteringBehavior", "oneDirection, bothDirections or automatic.",
			func(r *model.Relationship) string { return r.Src.CrossFilteringBehavior }),
		flag("isActive", "Whether it is active.", func(r *model.Relationship) bool { return r.Src.IsActive }),
		pairs("annotations", "The annotations, by name.", func(r *model.Relationship) map[string]string { return r.Src.Annotations }),
	}, nil},
	{"Partition", "A source of a table's rows.", "partition", []Member{
		text("name", "The name.", func(p *partition) string { return p.src.Name }),
		one("table", "Table", "The table that has it.", func(p *partition) *model.Table { return p.Table }),
		text("sourceType", "m, calculated, entity, query, policyRange or calculationGroup.", func(p *partition) string { return p.src.SourceType }),
		text("mode", "import, directQuery, dual, directLake, push or default; empty if not written.",
			func(p *partition) string { return p.src.Mode }),
		text("expression", "The M or DAX.", func(p *partition) string { return p.src.Expression }),
	}, nil},
	{"Perspective", "A perspective.", "perspective", []Member{
		text("name", "The name.", func(p *perspective) string { return p.name }),
	}, nil},
	{"Role", "A role of row-level security.", "role", []Member{
		text("name", "The name.", func(r *role) string { return r.Name }),
	}, nil},
}

// byName finds a type, and memberOf a member of it.
var byName, memberOf = func() (map[string]*Type, map[[2]string]*Member) {
	all, members := map[string]*Type{}, map[[2]string]*Member{}
	for i := range documented {
		t := &documented[i]
		t.cel = types.NewObjectType(t.Name)
		all[t.Name] = t
		for n := range t.Members {
			m := &t.Members[n]
			members[[2]string{t.Name, m.Name}] = m
			if name, list := strings.CutPrefix(m.Type, "list("); m.cel == nil && list {
				m.cel = types.NewListType(types.NewObjectType(strings.TrimSuffix(name, ")")))
			} else if m.cel == nil {
				m.cel = types.NewObjectType(m.Type)
			}
		}
	}
	return all, members
}()

func text[T any](name, doc string, get func(T) string) Member {
	return Member{name, doc, "string", types.StringType, func(_ *world, of any) ref.Val { return types.String(get(of.(T))) }}
}

func textIn[T any](name, doc string, get func(*world, T) string) Member {
	return Member{name, doc, "string", types.StringType, func(w *world, of any) ref.Val { return types.String(get(w, of.(T))) }}
}

func flag[T any](name, doc string, get func(T) bool) Member {
	return Member{name, doc, "bool", types.BoolType, func(_ *world, of any) ref.Val { return types.Bool(get(of.(T))) }}
}

func exposed[T any](name, doc string, get func(T) *model.Object) Member {
	return Member{name, doc, "bool", types.BoolType, func(w *world, of any) ref.Val { return types.Bool(w.x.Exposed[get(of.(T)).Index]) }}
}

func texts[T any](name, doc string, get func(T) []string) Member {
	return Member{name, doc, "list(string)", types.NewListType(types.StringType), func(_ *world, of any) ref.Val {
		return types.NewStringList(types.DefaultTypeAdapter, get(of.(T)))
	}}
}

// callsOf is the member with the functions that a DAX expression calls.
func callsOf[T any](name string, get func(*world, T) string) Member {
	return Member{name, "The functions that the DAX calls, in upper case, each once.", "list(string)", types.NewListType(types.StringType),
		func(w *world, of any) ref.Val {
			named := map[string]bool{}
			for _, c := range dax.Read(get(w, of.(T))).Calls {
				named[strings.ToUpper(c.Name)] = true
			}
			return types.NewStringList(types.DefaultTypeAdapter, slices.Sorted(maps.Keys(named)))
		}}
}

func pairs[T any](name, doc string, get func(T) map[string]string) Member {
	return Member{name, doc, "map(string, string)", types.NewMapType(types.StringType, types.StringType), func(_ *world, of any) ref.Val {
		return types.NewStringStringMap(types.DefaultTypeAdapter, get(of.(T)))
	}}
}

func one[T, O any](name, typ, doc string, get func(T) *O) Member {
	return Member{name, doc, typ, nil, func(w *world, of any) ref.Val { return w.object(typ, get(of.(T))) }}
}

func many[T, O any](name, typ, doc string, get func(*world, T) []*O) Member {
	return Member{name, doc, "list(" + typ + ")", nil, func(w *world, of any) ref.Val {
		return types.NewRefValList(types.DefaultTypeAdapter, lists.Map(get(w, of.(T)), func(o *O) ref.Val { return w.object(typ, o) }))
	}}
}

// world is a model as expressions see it. Objects are made when an expression first asks for them.
type world struct {
	x          *model.Scope
	types      map[string]*Type
	objects    map[any]*object
	roles      []*role
	partitions map[*model.Table][]*partition
	items      map[*model.Table][]*calculationItem
	ofTable    map[*model.Table][]*model.Relationship
	ofColumn   map[*model.Column][]*model.Relationship
	uses       map[*model.Object][]*model.Measure
	texts      map[any]string // expressions as written, where functions were put in place of calls
}

func newWorld(x *model.Scope) *world {
	w := &world{x: x, types: byName, objects: map[any]*object{}, partitions: map[*model.Table][]*partition{}, items: map[*model.Table][]*calculationItem{},
		ofTable:  map[*model.Table][]*model.Relationship{},
		ofColumn: map[*model.Column][]*model.Relationship{}, uses: map[*model.Object][]*model.Measure{}, texts: map[any]string{}}
	for _, name := range x.Src.Roles {
		w.roles = append(w.roles, &role{model.Object{Kind: model.OtherKind, ObjectType: finding.RoleObject, Index: -1, Name: name}})
	}
	for _, t := range x.Tables {
		for i := range t.Src.Partitions {
			src := &t.Src.Partitions[i]
			w.partitions[t] = append(w.partitions[t], &partition{model.Object{Kind: model.OtherKind, ObjectType: finding.PartitionObject,
				Index: -1, Table: t, Name: finding.PartitionObject.NameOf(src.Name)}, src})
		}
		for _, i := range t.Items {
			w.items[t] = append(w.items[t], &calculationItem{i, i.Src, t})
		}
	}
	for _, r := range x.Relationships {
		w.ofColumn[r.From] = append(w.ofColumn[r.From], r)
		w.ofTable[r.From.Table] = append(w.ofTable[r.From.Table], r)
		if r.To != r.From {
			w.ofColumn[r.To] = append(w.ofColumn[r.To], r)
		}
		if r.To.Table != r.From.Table {
			w.ofTable[r.To.Table] = append(w.ofTable[r.To.Table], r)
		}
	}
	for _, m := range x.Measures {
		for _, o := range m.Refs {
			w.uses[o] = append(w.uses[o], m)
		}
	}
	if x.Written == x.Src {
		return w
	}
	for i, t := range x.Src.Tables { // the written model has the same objects in the same order
		as := &x.Written.Tables[i]
		for n := range t.Columns {
			w.texts[&t.Columns[n]] = as.Columns[n].Expression
		}
		for n := range t.Measures {
			w.texts[&t.Measures[n]] = as.Measures[n].Expression
		}
		if t.CalculationGroup != nil {
			for n := range t.CalculationGroup.Items {
				w.texts[&t.CalculationGroup.Items[n]] = as.CalculationGroup.Items[n].Expression
			}
		}
	}
	return w
}

// written returns the expression of an object as its author wrote it.
func (w *world) written(src any, inlined string) string {
	if text, ok := w.texts[src]; ok {
		return text
	}
	return inlined
}

func (w *world) columnsIn(m *model.Measure) (all []*model.Column) {
	for _, o := range m.Refs {
		if c := w.x.Names.Columns[o.Index]; c != nil {
			all = append(all, c)
		}
	}
	return all
}

func (w *world) measuresIn(m *model.Measure) (all []*model.Measure) {
	for _, o := range m.Refs {
		if one := w.x.Names.ByIndex[o.Index]; one != nil {
			all = append(all, one)
		}
	}
	return all
}

// judged returns the objects that a rule of a scope judges, with their values.
func (w *world) judged(scope finding.ObjectType) (all []model.Judged, values []ref.Val) {
	add := func(typ string, o model.Judged) {
		all, values = append(all, o), append(values, w.object(typ, o))
	}
	switch scope {
	case finding.ModelObject:
		return []model.Judged{nil}, []ref.Val{w.object("Model", w)}
	case finding.TableObject:
		for _, t := range w.x.Tables {
			add("Table", t)
		}
	case finding.ColumnObject:
		for _, c := range w.x.Columns {
			add("Column", c)
		}
	case finding.MeasureObject:
		for _, m := range w.x.Measures {
			add("Measure", m)
		}
	case finding.RelationshipObject:
		for _, r := range w.x.Relationships {
			add("Relationship", r)
		}
	case finding.RoleObject:
		for _, r := range w.roles {
			add("Role", r)
		}
	case finding.PartitionObject:
		for _, t := range w.x.Tables {
			for _, p := range w.partitions[t] {
				add("Partition", p)
			}
		}
	case finding.PerspectiveObject:
		for _, name := range w.x.Src.Perspectives {
			add("Perspective", &perspective{model.Object{Kind: model.OtherKind, ObjectType: finding.PerspectiveObject, Index: -1,
				Name: finding.PerspectiveObject.NameOf(name)}, name})
		}
	case finding.HierarchyObject, finding.CalculationItemObject:
		for _, t := range w.x.Tables {
			if scope == finding.HierarchyObject {
				for _, h := range t.Hierarchies {
					add("Hierarchy", h)
				}
				continue
			}
			for _, i := range w.items[t] {
				add("CalculationItem", i)
			}
		}
	case finding.VerifiedAnswerObject, finding.DataAgentObject, finding.SourceObject:
	}
	return all, values
}

// object returns the value of an object; the same object has the same value.
func (w *world) object(typ string, of any) *object {
	if known, ok := w.objects[of]; ok {
		return known
	}
	o := &object{typ: w.types[typ], of: of, in: w}
	w.objects[of] = o
	return o
}

// object is an object as a value of CEL.
type object struct {
	typ   *Type
	of    any
	in    *world
	known map[string]ref.Val
}

var (
	_ traits.Indexer     = (*object)(nil)
	_ traits.FieldTester = (*object)(nil)
)

// member returns the value of a member, which is made once.
func (o *object) member(name string) (ref.Val, bool) {
	if v, ok := o.known[name]; ok {
		return v, true
	}
	m := memberOf[[2]string{o.typ.Name, name}]
	if m == nil {
		return nil, false
	}
	if o.known == nil {
		o.known = map[string]ref.Val{}
	}
	v := m.get(o.in, o.of)
	o.known[name] = v
	return v, true
}

// Get implements traits.Indexer.
func (o *object) Get(index ref.Val) ref.Val {
	name, _ := index.(types.String)
	if v, ok := o.member(string(name)); ok {
		return v
	}
	return types.NewErr("no such member: %s", name)
}

// IsSet implements traits.FieldTester: every member of an object is there.
func (o *object) IsSet(field ref.Val) ref.Val {
	name, _ := field.(types.String)
	return types.Bool(memberOf[[2]string{o.typ.Name, string(name)}] != nil)
}

// ConvertToNative implements ref.Val.
func (o *object) ConvertToNative(to reflect.Type) (any, error) {
	return nil, types.NewErr("%s cannot become %s", o.typ.Name, to).(*types.Err)
}

// ConvertToType implements ref.Val.
func (o *object) ConvertToType(to ref.Type) ref.Val {
	if to == types.TypeType {
		return o.typ.cel
	}
	return types.NewErr("%s cannot become %s", o.typ.Name, to.TypeName())
}

// Equal implements ref.Val.
func (o *object) Equal(other ref.Val) ref.Val { return types.Bool(ref.Val(o) == other) }

// Type implements ref.Val.
func (o *object) Type() ref.Type { return o.typ.cel }

// Value implements ref.Val.
func (o *object) Value() any { return o }

// provider tells CEL the types of objects.
type provider struct{ types.Provider }

// FindStructType implements types.Provider.
func (p provider) FindStructType(name string) (*types.Type, bool) {
	if t := byName[name]; t != nil {
		return types.NewTypeTypeWithParam(t.cel), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (p provider) FindStructFieldNames(name string) ([]string, bool) {
	if t := byName[name]; t != nil {
		return lists.Map(t.Members, func(m Member) string { return m.Name }), true
	}
	return p.Provider.FindStructFieldNames(name)
}

// FindStructFieldType implements types.Provider.
func (p provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	m := memberOf[[2]string{name, field}]
	if m == nil {
		return p.Provider.FindStructFieldType(name, field)
	}
	return &types.FieldType{
		Type:  m.cel,
		IsSet: func(any) bool { return true },
		GetFrom: func(of any) (any, error) {
			o, ok := of.(*object)
			if !ok {
				return nil, types.NewErr("no such member: %s", field).(*types.Err)
			}
			v, _ := o.member(field)
			return v, nil
		},
	}, true
}
