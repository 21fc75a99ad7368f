package fabric

// Lower lowers the bounds of what the platform reads.
func (p *Platform) Lower(parts, partBytes, definitionBytes, answerBytes, pages int) {
	p.bounds = bounds{parts, partBytes, definitionBytes, answerBytes, pages, p.bounds.listed}
}
