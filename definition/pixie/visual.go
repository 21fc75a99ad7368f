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
	z     float64 // position in the stack of visuals; higher is in front
	// noted is the id in the annotation, addressed the one in the address; images
	// only.
	noted, addressed string
	// grouped reports whether the visual is in a group; its position is then
	// relative to the group.
	grouped bool
	gone    bool
	// path is the path of the part in a PBIR report, container the enclosing value
	// in a legacy report. tree is the visual's configuration in both.
	path      string
	container *jsonpart.Value
	tree      *jsonpart.Tree
}

// id returns the id that the Pixie is counted by: the one in its address if that is
// a collector's, else the annotation's. It is "" for a visual without an id, which
// is no Pixie.
func (v *visual) id() string { return cmp.Or(v.addressed, v.noted) }

// members are the names of a visual's members that differ between the two formats.
type members struct{ visual, container string }

var (
	pbirMembers   = members{visual: "visual", container: "visualContainerObjects"}
	legacyMembers = members{visual: "singleVisual", container: "vcObjects"}
)

// read reads the visual's configuration, except its position.
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

// noteOf returns the annotation readiness.pixie, nil if there is none.
func noteOf(root *jsonpart.Value) *jsonpart.Value {
	for _, a := range items(at(root, "annotations")) {
		if text(at(a, "name")) == annotation {
			return a
		}
	}
	return nil
}

// address returns the image's address, a string in an expression; nil if there is
// none.
func (m members) address(root *jsonpart.Value) *jsonpart.Value {
	for _, image := range items(at(root, m.visual, "objects", "image")) {
		if v := at(image, "properties", "sourceUrl", "expr", "Literal", "Value"); v != nil {
			return v
		}
	}
	return nil
}

// update sets the address and id of a Pixie and reports whether anything changed. If
// an editor has moved the address to an unknown place, the Pixie becomes a new
// image.
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

// move sets a position, in an object with x, y, width and height, and reports
// whether it changed.
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

// position returns the position of a new Pixie. The tab key skips visuals with a
// negative order.
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

// image returns a plain image: without the frame that a theme adds to visuals,
// without margin, which would leave no room for it, and staying in its layer when
// selected.
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

// properties returns the properties of one formatting object, each a name and a
// literal.
func properties(pairs ...string) jsonpart.Array {
	var all jsonpart.Object
	for i := 0; i < len(pairs); i += 2 {
		literal := jsonpart.Object{{Name: "Literal", Value: jsonpart.Object{{Name: "Value", Value: pairs[i+1]}}}}
		all = append(all, jsonpart.Field{Name: pairs[i], Value: jsonpart.Object{{Name: "expr", Value: literal}}})
	}
	return jsonpart.Array{jsonpart.Object{{Name: "properties", Value: all}}}
}

// quote writes a string as a literal of the platform's query language.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// unquote returns the value of such a literal, "" if it is not one.
func unquote(literal string) string {
	if len(literal) < 2 || literal[0] != '\'' || literal[len(literal)-1] != '\'' {
		return ""
	}
	return strings.ReplaceAll(literal[1:len(literal)-1], "''", "'")
}

// at returns the value at the path of members, nil if one is missing.
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

// items returns the elements of an array, nil for any other value.
func items(v *jsonpart.Value) []*jsonpart.Value {
	if v == nil || v.Kind() != '[' {
		return nil
	}
	return v.Items()
}

// text returns the value of a string, "" for any other value.
func text(v *jsonpart.Value) string {
	if v == nil {
		return ""
	}
	s, _ := v.Text()
	return s
}

// number returns the value of a number; 0 for any other value and for a number that
// is too large.
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

// object returns a JSON object with the members, laid out like the first one, which
// is already written in its braces.
func object(first string, rest jsonpart.Object) []byte {
	tree, err := jsonpart.Edit("", []byte(first))
	if err != nil {
		panic(err) // first is a constant of this package
	}
	for _, f := range rest {
		tree.Root.Add(f.Name, f.Value)
	}
	return tree.Bytes()
}
