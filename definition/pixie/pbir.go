package pixie

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/report"
)

// pbir is a report that stores every page and every visual in its own folder.
type pbir struct {
	old     definition.Definition
	all     []*page
	version version           // of visual.json, for new ones
	samples map[string][]byte // a visual.json per page folder, for its layout
	sample  []byte            // one from any page
	gone    map[string]bool   // folders of visuals
	parts   map[string][]byte // new bytes
}

// version is a version of the format of visual.json.
type version [2]int

// A new visual.json gets the highest version that the report's visuals have, among
// those that its content is known to conform to; defaultVersion if there are none.
// Each visual is read by its own version.
var (
	defaultVersion = version{2, 0}
	highestMajor   = 2
)

var versionPattern = regexp.MustCompile(`^https://developer\.microsoft\.com/json-schemas/fabric/item/report/definition/visualContainer/([0-9]{1,4})\.([0-9]{1,4})\.0/schema\.json$`)

func (v version) String() string {
	return fmt.Sprintf("https://developer.microsoft.com/json-schemas/fabric/item/report/definition/visualContainer/%d.%d.0/schema.json",
		v[0], v[1])
}

func openPBIR(d definition.Definition, r report.Report) (*pbir, error) {
	l := &pbir{old: d, samples: map[string][]byte{}, gone: map[string]bool{}, parts: map[string][]byte{}}
	visuals := map[string][]*visual{}       // by page folder
	folders := map[string]map[string]bool{} // by page folder
	for _, part := range d.Parts {
		folder, own, isVisual := visualFolder(part.Path)
		if own == "" {
			continue
		}
		if folders[folder] == nil {
			folders[folder] = map[string]bool{}
		}
		folders[folder][strings.ToLower(own)] = true
		if !isVisual {
			continue
		}
		v, err := l.read(part, folder)
		if err != nil {
			return nil, err
		}
		visuals[folder] = append(visuals[folder], v)
	}
	for _, rp := range r.Pages {
		p := &page{name: rp.Name, displayName: rp.DisplayName, folder: path.Dir(rp.Path)}
		if p.remnant = rp.Path == ""; p.remnant {
			p.folder, _, _ = visualFolder(rp.Visuals[0].Path)
		} else {
			data, _ := d.Part(rp.Path)
			tree, err := jsonpart.Edit(rp.Path, data)
			if err != nil {
				return nil, err
			}
			p.sizes(tree.Root)
			for _, sample := range [][]byte{l.sample, data} {
				if l.samples[p.folder] == nil {
					l.samples[p.folder] = sample
				}
			}
		}
		p.visuals, p.folders = visuals[p.folder], folders[p.folder]
		l.all = append(l.all, p)
	}
	if l.version == (version{}) {
		l.version = defaultVersion
	}
	return l, nil
}

// visualFolder returns the folder of the page, and that of the visual in it, to
// which the part belongs; "" if there is none. isVisual reports whether the part
// describes the visual.
func visualFolder(file string) (page, own string, isVisual bool) {
	at := strings.SplitN(file, "/", 6)
	if len(at) != 6 || at[0] != "definition" || at[1] != "pages" || at[3] != "visuals" {
		return "", "", false
	}
	return strings.Join(at[:3], "/"), at[4], at[5] == "visual.json"
}

func (l *pbir) read(part definition.Part, page string) (*visual, error) {
	tree, err := jsonpart.Edit(part.Path, part.Data)
	if err != nil {
		return nil, err
	}
	v := &visual{name: path.Base(path.Dir(part.Path)), path: part.Path, tree: tree}
	pbirMembers.read(v)
	v.z = number(at(tree.Root, "position", "z"))
	if match := versionPattern.FindStringSubmatch(text(at(tree.Root, "$schema"))); match != nil {
		var have version
		for i := range have {
			have[i], _ = strconv.Atoi(match[i+1])
		}
		if have[0] <= highestMajor && slices.Compare(have[:], l.version[:]) > 0 {
			l.version = have
		}
	}
	if v.noted == "" && l.samples[page] == nil {
		l.samples[page] = part.Data
		l.sample = part.Data
	}
	return v, nil
}

func (l *pbir) pages() []*page { return l.all }

func (l *pbir) add(p *page, name string, z float64, look look) (*visual, error) {
	end, indent, last := style(l.samples[p.folder])
	first := "{" + end + indent + `"$schema": "` + l.version.String() + `"` + end + "}" + last
	if end == "" {
		first = `{"$schema":"` + l.version.String() + `"}` + last
	}
	file := p.folder + "/visuals/" + name + "/visual.json"
	l.parts[file] = object(first, jsonpart.Object{
		{Name: "name", Value: name},
		{Name: "position", Value: look.position(z)},
		{Name: "visual", Value: pbirMembers.image(look)},
		{Name: "annotations", Value: note(look.id)},
	})
	v := &visual{name: name, path: file}
	p.visuals = append(p.visuals, v)
	return v, nil
}

// style returns the layout of a JSON part: its line ending ("" if it is one line),
// the indentation of its first member, and its last bytes.
func style(sample []byte) (end, indent, last string) {
	body := bytes.TrimRight(sample, " \t\r\n")
	end = "\n"
	if bytes.Contains(sample, []byte("\r\n")) {
		end = "\r\n"
	}
	if len(body) < len(sample) && bytes.HasSuffix(sample, []byte("\n")) {
		last = end
	}
	first := bytes.IndexByte(body, '\n')
	if first < 0 {
		if len(body) > 0 {
			end = ""
		}
		return end, "", last
	}
	line := body[first+1:]
	indent = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	indent = cmp.Or(indent, "  ")
	return end, indent, last
}

func (l *pbir) update(v *visual, look look) bool {
	changed := pbirMembers.update(v, look)
	if position := at(v.tree.Root, "position"); !v.grouped && isObject(position) {
		changed = look.move(position, plain) || changed
	}
	if changed {
		l.parts[v.path] = v.tree.Bytes()
	}
	return changed
}

func (l *pbir) remove(v *visual) { l.gone[path.Dir(v.path)] = true }

// unname removes the visual from its page's part and from the bookmarks.
func (l *pbir) unname(p *page, name string, everywhere bool) error {
	for _, part := range l.old.Parts {
		isPage := part.Path == p.folder+"/page.json"
		if !isPage && !(strings.HasPrefix(part.Path, "definition/bookmarks/") && strings.HasSuffix(part.Path, ".json")) {
			continue
		}
		data := part.Data
		if now, ok := l.parts[part.Path]; ok {
			data = now
		}
		if !bytes.Contains(data, []byte(name)) {
			continue
		}
		tree, err := jsonpart.Edit(part.Path, data)
		if err != nil {
			return err
		}
		changed := false
		for unnameOnce(tree.Root, isPage, p.name, name, everywhere) {
			changed = true
		}
		if changed {
			l.parts[part.Path] = tree.Bytes()
		}
	}
	return nil
}

func unnameOnce(root *jsonpart.Value, isPage bool, page, name string, everywhere bool) bool {
	if isPage {
		return unnameOnPage(root, "visualInteractions", name)
	}
	return unnameInBookmark(root, page, name, everywhere)
}

func (l *pbir) definition() definition.Definition {
	parts := make([]definition.Part, 0, len(l.old.Parts)+len(l.parts))
	for _, part := range l.old.Parts {
		data, isNew := l.parts[part.Path]
		if isNew {
			part.Data = data
			delete(l.parts, part.Path)
		} else if page, own, _ := visualFolder(part.Path); own != "" && l.gone[page+"/visuals/"+own] {
			continue
		}
		parts = append(parts, part)
	}
	for file, data := range l.parts {
		parts = append(parts, definition.Part{Path: file, Data: data})
	}
	return definition.New(parts...)
}
