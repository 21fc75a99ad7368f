package pixie

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"

	"readiness/definition/jsonpart"
)

// annotation is the name of the annotation whose value is a Pixie's id.
const annotation = "readiness.pixie"

// visual is a visual or a group of visuals.
type visual struct {
	name  string
	group bool
	z     float64 // where it stands in the stack of visuals; higher is in front
	// noted is the id in its annotation, addressed the one in its address, both of
	// an image only.
	noted, addressed string
	// grouped says that it is in a group, which its position is relative to.
	grouped bool
	gone    bool
	// path is that of a PBIR report's part, container what holds it in the other;
	// tree is what it says of itself, in either.
	path      string
	container *jsonpart.Value
	tree      *jsonpart.Tree
}

// id is what the Pixie is counted by, "" for a visual that has none and so is no
// Pixie: the one in its address, while that is a collector's.
func (v *visual) id() string { return cmp.Or(v.addressed, v.noted) }

// members are those of a visual that the two formats call differently.
type members struct{ visual, container string }

var (
	pbirMembers   = members{visual: "visual", container: "visualContainerObjects"}
	legacyMembers = members{visual: "singleVisual", container: "vcObjects"}
)

// read reads what the visual says of itself; its position it leaves.
func (m members) read(v *visual) {
	root := v.tree.Root
	if name := text(at(root, "name")); name != "" {
		v.name = name
	}
	v.group = at(root, m.visual+"Group") != nil
	if text(at(root, m.visual, "visualType")) != "image" {
		return
	}
	v.grouped = text(at(root, "parentGroupName")) != ""
	if id := text(at(noteOf(root), "value")); idPattern.MatchString(id) {
		v.noted = id
	}
	if match := addressPattern.FindStringSubmatch(unquote(text(m.address(root)))); match != nil {
		v.addressed = match[1]
	}
}

var addressPattern = regexp.MustCompile(`^https?://.*/p/([0-9A-Za-z_-]{16,64})\.gif$`)

// noteOf is our annotation, nil without.
func noteOf(root *jsonpart.Value) *jsonpart.Value {
	for _, a := range items(at(root, "annotations")) {
		if text(at(a, "name")) == annotation {
			return a
		}
	}
	return nil
}

// address is the image's address, a text in an expression; nil without.
func (m members) address(root *jsonpart.Value) *jsonpart.Value {
	for _, image := range items(at(root, m.visual, "objects", "image")) {
		if v := at(image, "properties", "sourceUrl", "expr", "Literal", "Value"); v != nil {
			return v
		}
	}
	return nil
}

// update makes a Pixie ask for the address and have the id, and says whether
// anything had to be written. One whose address an editor has moved to where we
// do not know it becomes a new image.
func (m members) update(v *visual, l look) (changed bool) {
	if v.noted != "" && v.noted != l.id {
		at(noteOf(v.tree.Root), "value").SetText(l.id)
		changed = true
	}
	switch address := m.address(v.tree.Root); {
	case address == nil:
		at(v.tree.Root, m.visual).Remove()
		v.tree.Root.Add(m.visual, m.image(l), "position", "layouts", "name")
	case unquote(text(address)) == l.address:
		return changed
	default:
		address.SetText(quote(l.address))
	}
	return true
}

// move sets a position, in an object with x, y, width and height, and says whether
// it was another.
func (l look) move(position *jsonpart.Value, written func(float64) string) (changed bool) {
	for _, n := range []struct {
		name string
		want float64
	}{{"x", l.x}, {"y", l.y}, {"height", l.size}, {"width", l.size}} {
		v := at(position, n.name)
		if v != nil && math.Abs(number(v)-n.want) < 0.5 {
			continue
		}
		changed = true
		if v == nil {
			position.Add(n.name, jsonpart.Literal(written(n.want)))
		} else {
			v.Set([]byte(written(n.want)))
		}
	}
	return changed
}

// position is a new Pixie's. The tab key passes what has a negative order by.
func (l look) position(z float64) jsonpart.Object {
	return jsonpart.Object{
		{Name: "x", Value: jsonpart.Literal(plain(l.x))},
		{Name: "y", Value: jsonpart.Literal(plain(l.y))},
		{Name: "z", Value: jsonpart.Literal(plain(z))},
		{Name: "height", Value: jsonpart.Literal(plain(l.size))},
		{Name: "width", Value: jsonpart.Literal(plain(l.size))},
		{Name: "tabOrder", Value: jsonpart.Literal("-1")},
	}
}

func note(id string) jsonpart.Array {
	return jsonpart.Array{jsonpart.Object{{Name: "name", Value: annotation}, {Name: "value", Value: id}}}
}

// image is an image and nothing else: no frame that a theme gives visuals, no
// margin, which would leave no room for it, and in its layer when it is selected.
func (m members) image(l look) jsonpart.Object {
	off := properties("show", "false")
	return jsonpart.Object{
		{Name: "visualType", Value: "image"},
		{Name: "objects", Value: jsonpart.Object{
			{Name: "image", Value: properties("sourceType", "'imageUrl'", "sourceUrl", quote(l.address))},
		}},
		{Name: m.container, Value: jsonpart.Object{
			{Name: "title", Value: off},
			{Name: "background", Value: off},
			{Name: "border", Value: off},
			{Name: "dropShadow", Value: off},
			{Name: "visualHeader", Value: off},
			{Name: "padding", Value: properties("top", "0D", "bottom", "0D", "left", "0D", "right", "0D")},
			{Name: "general", Value: properties("keepLayerOrder", "true")},
		}},
		{Name: "drillFilterOtherVisuals", Value: jsonpart.Literal("false")},
	}
}

// properties are those of one formatting object, each a name and a literal.
func properties(pairs ...string) jsonpart.Array {
	var all jsonpart.Object
	for i := 0; i < len(pairs); i += 2 {
		literal := jsonpart.Object{{Name: "Literal", Value: jsonpart.Object{{Name: "Value", Value: pairs[i+1]}}}}
		all = append(all, jsonpart.Field{Name: pairs[i], Value: jsonpart.Object{{Name: "expr", Value: literal}}})
	}
	return jsonpart.Array{jsonpart.Object{{Name: "properties", Value: all}}}
}

// quote writes a text as a literal of the platform's query language.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// unquote is what such a literal says, "" for what is none.
func unquote(literal string) string {
	if len(literal) < 2 || literal[0] != '\'' || literal[len(literal)-1] != '\'' {
		return ""
	}
	return strings.ReplaceAll(literal[1:len(literal)-1], "''", "'")
}

// at is the value behind the members, nil where one is missing.
func at(v *jsonpart.Value, names ...string) *jsonpart.Value {
	for _, name := range names {
		if v == nil {
			return nil
		}
		v = v.Member(name)
	}
	return v
}

func isObject(v *jsonpart.Value) bool { return v != nil && v.Kind() == '{' }

// items are the elements of an array, none of anything else.
func items(v *jsonpart.Value) []*jsonpart.Value {
	if v == nil || v.Kind() != '[' {
		return nil
	}
	return v.Items()
}

// text is what a text says, "" for anything else.
func text(v *jsonpart.Value) string {
	if v == nil {
		return ""
	}
	s, _ := v.Text()
	return s
}

// number is 0 for what is no number, or one that is too large.
func number(v *jsonpart.Value) float64 {
	if v == nil || v.Kind() != 0 {
		return 0
	}
	f, err := strconv.ParseFloat(string(v.Raw()), 64)
	if err != nil {
		return 0
	}
	return f
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// object is the JSON object with the members, laid out as the first one, which is
// written in its braces already.
func object(first string, rest jsonpart.Object) []byte {
	tree, err := jsonpart.Edit("", []byte(first))
	if err != nil {
		panic(err) // first is ours
	}
	for _, f := range rest {
		tree.Root.Add(f.Name, f.Value)
	}
	return tree.Bytes()
}
