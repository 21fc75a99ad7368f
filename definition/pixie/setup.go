package pixie

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"strings"
)

// Corner is the corner of the page where its Pixie is placed.
type Corner string

// The corners.
const (
	TopLeft     Corner = "TopLeft"
	TopRight    Corner = "TopRight"
	BottomLeft  Corner = "BottomLeft"
	BottomRight Corner = "BottomRight"
)

// The defaults of a Setup. The top left corner is visible however a page is scaled,
// and an image that is not visible is not loaded.
const (
	DefaultSize   = 4
	DefaultCorner = TopLeft
)

// The bounds of a Setup.
const (
	MaxSize     = 64   // pixels
	maxAddress  = 1000 // bytes of a CollectorBaseURL
	maxPatterns = 100
	maxPattern  = 200 // bytes
	maxName     = 500 // characters of a page's name that patterns are matched with
)

// Setup describes how the reports of a workspace are tracked (docs/decisions.md
// 8.2).
type Setup struct {
	// CollectorBaseURL is the prefix of the Pixies' addresses; /p/<id>.gif follows.
	// It is the only member without a default.
	CollectorBaseURL string
	// Size is a Pixie's width and height in pixels; 0 is DefaultSize.
	Size int
	// Corner is where the Pixies are placed; "" is DefaultCorner.
	Corner Corner
	// ExcludePages are patterns of display names of pages that get no Pixie: * is
	// any run of characters, ? is one, letter case is ignored. Only the first 500
	// characters of a name are matched.
	ExcludePages []string
}

// complete returns the setup with its defaults filled in.
func (s Setup) complete() (Setup, error) {
	u, err := url.Parse(s.CollectorBaseURL)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Opaque != "":
		return s, fmt.Errorf("the collector's base address %.100q is not a web address; it must begin with https:// or http://",
			s.CollectorBaseURL)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(s.CollectorBaseURL, "#"):
		return s, fmt.Errorf("the collector's base address %.100q must have no user, query or fragment", s.CollectorBaseURL)
	case len(s.CollectorBaseURL) > maxAddress:
		return s, fmt.Errorf("the collector's base address has %d bytes; at most %d are allowed", len(s.CollectorBaseURL), maxAddress)
	case s.Size < 0 || s.Size > MaxSize:
		return s, fmt.Errorf("a Pixie of %d pixels is not possible; the size must be from 1 to %d, 0 is %d", s.Size, MaxSize, DefaultSize)
	case len(s.ExcludePages) > maxPatterns:
		return s, fmt.Errorf("%d patterns exclude pages; at most %d are allowed", len(s.ExcludePages), maxPatterns)
	}
	for _, p := range s.ExcludePages {
		if len(p) > maxPattern {
			return s, fmt.Errorf("the pattern %.50q… that excludes pages has %d bytes; at most %d are allowed", p, len(p), maxPattern)
		}
	}
	// The address is written as the parser returns it, which escapes invalid
	// characters.
	s.CollectorBaseURL = strings.TrimRight(u.String(), "/")
	s.Size = cmp.Or(s.Size, DefaultSize)
	switch s.Corner {
	case "":
		s.Corner = DefaultCorner
	case TopLeft, TopRight, BottomLeft, BottomRight:
	default:
		return s, fmt.Errorf("%.50q is not a corner of a page; it must be %s, %s, %s or %s", s.Corner, TopLeft, TopRight, BottomLeft,
			BottomRight)
	}
	return s, nil
}

// excludes reports whether the page gets no Pixie: the setup excludes it, or it is
// only the remnant of a page.
func (s Setup) excludes(p *page) bool {
	if p.remnant {
		return true
	}
	name := []rune(strings.ToLower(p.readable()))
	name = name[:min(len(name), maxName)]
	for _, pattern := range s.ExcludePages {
		if matches([]rune(strings.ToLower(pattern)), name) {
			return true
		}
	}
	return false
}

// matches reports whether the pattern matches the complete name. It backtracks only
// to the last *, so it takes at most the product of the lengths.
func matches(pattern, name []rune) bool {
	i, star, from := 0, -1, 0
	for n := 0; n < len(name); {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, from = i, n
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == name[n]):
			i++
			n++
		case star >= 0:
			from++
			i, n = star+1, from
		default:
			return false
		}
	}
	for i < len(pattern) && pattern[i] == '*' {
		i++
	}
	return i == len(pattern)
}

// look is the appearance of a Pixie that the setup asks for.
type look struct {
	id, address string
	x, y, size  float64
}

// look returns the appearance of the Pixie with the id on the page. The format
// requires a visual to end before the page does, so there is a pixel between them.
func (s Setup) look(p *page, id string) look {
	l := look{id: id, address: s.CollectorBaseURL + "/p/" + id + ".gif", size: float64(s.Size)}
	if s.Corner == TopRight || s.Corner == BottomRight {
		l.x = math.Max(0, p.width-l.size-1)
	}
	if s.Corner == BottomLeft || s.Corner == BottomRight {
		l.y = math.Max(0, p.height-l.size-1)
	}
	return l
}
