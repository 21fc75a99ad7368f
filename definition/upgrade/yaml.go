package upgrade

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds the values of a YAML file, of which aliases can make many more than it has bytes.
const maxNodes = 4 << 20

// readYAML reads one YAML object. Every scalar is a text, as words may look like numbers or truth values; only null is nil.
func readYAML(text string) (map[string]any, error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	var first, second yaml.Node
	switch err := d.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty")
	case err != nil:
		return nil, err
	}
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: a second document begins, and a linguistic schema is one", max(second.Line, 1))
	}
	v, err := (&yamlReader{within: map[*yaml.Node]bool{}}).value(&first)
	if err != nil {
		return nil, err
	}
	all, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is no object")
	}
	return all, nil
}

// yamlReader reads the values of a document.
type yamlReader struct {
	nodes  int
	within map[*yaml.Node]bool // the aliased nodes that are being read
}

func (r *yamlReader) value(n *yaml.Node) (v any, err error) {
	if r.nodes++; r.nodes > maxNodes {
		return nil, fmt.Errorf("line %d: it has more than %d values", n.Line, maxNodes)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return r.value(n.Content[0])
	case yaml.AliasNode:
		if r.within[n.Alias] {
			return nil, fmt.Errorf("line %d: the value %s contains itself", n.Line, n.Value)
		}
		r.within[n.Alias] = true
		defer delete(r.within, n.Alias)
		return r.value(n.Alias)
	case yaml.MappingNode:
		return r.object(n)
	case yaml.SequenceNode:
		all := make([]any, 0, len(n.Content))
		for _, one := range n.Content {
			v, err := r.value(one)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return nil, nil //nolint:nilnil // null
		}
		return n.Value, nil
	default:
		return nil, fmt.Errorf("line %d: it has no value", n.Line)
	}
}

func (r *yamlReader) object(n *yaml.Node) (map[string]any, error) {
	all := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("line %d: a name is no text", n.Content[i].Line)
		}
		if _, twice := all[key.Value]; twice {
			return nil, fmt.Errorf("line %d: the name %q stands twice", n.Content[i].Line, key.Value)
		}
		v, err := r.value(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		all[key.Value] = v
	}
	return all, nil
}
