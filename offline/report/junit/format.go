package junit

import (
	"encoding/xml"
	"io"

	"readiness/offline/show"
)

// Suite is the test results of one thing.
type Suite struct {
	Name       string      `xml:"name,attr"`
	Tests      int         `xml:"tests,attr"`
	Failures   int         `xml:"failures,attr"`
	Errors     int         `xml:"errors,attr"`
	Skipped    int         `xml:"skipped,attr"`
	Properties *Properties `xml:"properties"`
	Cases      []Case      `xml:"testcase"`
}

// Properties are facts about a suite.
type Properties struct {
	All []Property `xml:"property"`
}

// Property is a fact about a suite.
type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Case is one test. It passed if it has no message.
type Case struct {
	Class   string   `xml:"classname,attr"` // its suite, which Add sets
	Name    string   `xml:"name,attr"`
	File    string   `xml:"file,attr,omitempty"`
	Line    int      `xml:"line,attr,omitempty"`
	Time    string   `xml:"time,attr,omitempty"` // seconds
	Failure *Message `xml:"failure"`
	Error   *Message `xml:"error"`
	Skipped *Message `xml:"skipped"`
}

// Message says why a test did not pass.
type Message struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// Because returns a message with a reason, its kind, and lines with details; nil without a reason.
func Because(reason, kind, details string) *Message {
	if reason == "" {
		return nil
	}
	m := &Message{Message: show.XMLText(reason), Type: kind}
	if details != "" {
		m.Text = "\n" + show.XMLText(details) + "\n"
	}
	return m
}

// Add adds a case, and counts it.
func (s *Suite) Add(c Case) {
	c.Class = s.Name
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// WriteSuites writes suites under a common name.
func WriteSuites(w io.Writer, name string, suites ...Suite) error {
	all := struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Suites   []Suite  `xml:"testsuite"`
	}{Name: name, Suites: suites}
	for _, s := range suites {
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
