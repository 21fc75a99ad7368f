package house_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ofACall are names of what belongs to a call and not to the domain. They are in the envelope of the jobs, commands.Origin, and in the
// metadata of events.
var ofACall = regexp.MustCompile(`(?i)^(requestid|correlationid|causationid|trace(id|parent|state)?|spanid|tracecontext)$`)

// otherIDs are names of the domain that look like one of a call.
var otherIDs = []string{"domain/verdict/verdict_question.go: RequestID"} // the answerer's id of what was asked of it

// ofNoCall are the jobs that no call starts.
var ofNoCall = []string{"sealLog", "startDue"}

// envelopeProblems finds what the domain knows of calls, and jobs without the envelope.
func envelopeProblems(tree fs.FS) (problems []string, err error) {
	all, err := sources(tree)
	enveloped, jobs := map[string]bool{}, map[string]string{}
	for _, s := range all {
		if s.test {
			continue
		}
		inDomain := s.pkg == "domain" || strings.HasPrefix(s.pkg, "domain/")
		ast.Inspect(s.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if name := s.path + ": " + n.Name; inDomain && ofACall.MatchString(n.Name) && !slices.Contains(otherIDs, name) {
					problems = append(problems, name+" belongs to a call; the domain knows nothing of calls: see commands.Origin")
				}
			case *ast.TypeSpec:
				if of, ok := n.Type.(*ast.StructType); ok && s.pkg == "work" {
					enveloped[n.Name.Name] = slices.ContainsFunc(of.Fields.List, func(f *ast.Field) bool {
						return len(f.Names) == 0 && types.ExprString(f.Type) == "commands.Origin"
					})
				}
			case *ast.FuncDecl:
				if s.pkg == "work" && n.Name.Name == "Kind" && n.Recv != nil && len(n.Type.Params.List) == 0 {
					jobs[types.ExprString(n.Recv.List[0].Type)] = s.path
				}
			}
			return true
		})
	}
	for job, path := range jobs {
		if !enveloped[job] && !slices.Contains(ofNoCall, job) {
			problems = append(problems, fmt.Sprintf("%s: the arguments %s of a job do not embed commands.Origin", path, job))
		}
	}
	return problems, err
}

func TestJobsHaveOneEnvelope(t *testing.T) {
	t.Parallel()
	check(t, envelopeProblems, map[string]struct {
		files map[string]string
		want  []string
	}{
		"the domain's steps in the envelope": {map[string]string{
			"domain/x/x.go": `package x; type Step struct { Trace1, PersonID string }`,
			"work/x.go":     `package work; type run struct { commands.Origin; x.Step }; func (run) Kind() string { return "run" }`,
			"work/y.go":     `package work; type sealLog struct{}; func (sealLog) Kind() string { return "seal-log" }`,
			"commands/x.go": `package commands; type Origin struct { RequestID, TraceParent string }`,
		}, nil},
		"calls in the domain": {map[string]string{
			"domain/x/x.go":      `package x; type Step struct { RequestID, A string }; func f(trace string) { _ = s.CorrelationID }`,
			"domain/x/x_test.go": `package x; var requestID string`,
		}, []string{
			"domain/x/x.go: CorrelationID belongs to a call; the domain knows nothing of calls: see commands.Origin",
			"domain/x/x.go: RequestID belongs to a call; the domain knows nothing of calls: see commands.Origin",
			"domain/x/x.go: trace belongs to a call; the domain knows nothing of calls: see commands.Origin",
		}},
		"a job without the envelope": {map[string]string{
			"work/x.go": `package work; type run struct { Origin commands.Origin }; func (run) Kind() string { return "run" }`,
			"work/y.go": `package work; func (r step) Kind() string { return "step" }`,
		}, []string{
			"work/x.go: the arguments run of a job do not embed commands.Origin",
			"work/y.go: the arguments step of a job do not embed commands.Origin",
		}},
	})
}
