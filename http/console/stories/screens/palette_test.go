package screens_test

import (
	"image"
	"image/color"
	"slices"
)

// paletted returns a picture with the 256 colours that it has most, and each other pixel in the nearest of them. Pages have few
// colours, and the rest are edges of letters.
func paletted(from image.Image) *image.Paletted {
	bounds := from.Bounds()
	counts := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA {
		r, g, b, _ := from.At(x, y).RGBA()
		return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255} //nolint:gosec // eight bits are left
	}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	all := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return slices.Compare([]uint8{a.R, a.G, a.B}, []uint8{b.R, b.G, b.B})
	})
	palette := make(color.Palette, min(len(all), 256))
	for i := range palette {
		palette[i] = all[i]
	}
	out := image.NewPaletted(bounds, palette)
	nearest := map[color.RGBA]uint8{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := at(x, y)
			i, known := nearest[c]
			if !known {
				i = uint8(palette.Index(c)) //nolint:gosec // a palette has at most 256 colours
				nearest[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}
