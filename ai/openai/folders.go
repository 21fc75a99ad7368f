package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
)

// Bounds of the list of folders for measures.
const (
	maxFolders   = 80 // in total
	maxNew       = 20 // added by the model
	maxLevels    = 2
	maxUnplaced  = 200 // measures shown in the request for folders
	levelDivider = `\`
)

const foldersTask = `You arrange the measures of a semantic model into display folders, so that people and AI find them. Name the folders that the measures given should be put into.
- At most 20, each for several measures; use a folder that exists where one fits.
- At most two levels, written as Level\Level. At most 100 characters, one line.
- Name what is measured (as Revenue, Customers, Inventory\Turnover), not how people call measures in general.`

const placeTask = `You arrange the measures of a semantic model into display folders, so that people and AI find them. For each measure you are given a key of, choose the folder it belongs into, exactly as it is written in the list. Where none fits, give null.`

// placeVersion is raised when foldersTask, placeTask or untrusted changes.
const placeVersion = "folders/1"

// Place proposes a display folder for each of the measures, chosen from a list. One request for all
// measures makes the list from the existing folders; also has folders already proposed for other
// measures. Each measure is in proposals or in skipped, in the order given.
func (c *Client) Place(ctx context.Context, m *semanticmodel.Model, measures []proposal.Object,
	also []string) (proposals []proposal.Proposal, skipped []proposal.Skip, err error) {
	chosen := map[string]outcome{}
	all, skipped := itemsFor(c.facts(m), measures, nil)
	if len(all) == 0 {
		return nil, skipped, nil
	}
	list, why, err := c.folders(ctx, m, all, also)
	if err != nil {
		return nil, nil, err
	}
	reasons := map[string]string{}
	if len(list) == 0 {
		for _, it := range all {
			reasons[it.key] = why
		}
		return collect(c.facts(m), measures, skipped, chosen, reasons, "")
	}
	for i := range all {
		all[i].check = func(text string) string {
			if !slices.Contains(list, text) {
				return "is no folder of the list"
			}
			return ""
		}
	}
	j := job{client: c, facts: c.facts(m), values: list, version: placeVersion, task: placeTask + "\n\nThe folders: " + data(list)}
	outcomes, err := j.run(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	for _, it := range all {
		if o := outcomes[it.key]; o.text != "" {
			chosen[it.key] = o
		} else {
			reasons[it.key] = o.why
		}
	}
	return collect(c.facts(m), measures, skipped, chosen, reasons, "Chosen by the AI provider from the folders of the model.")
}

// folders returns the list, existing folders first; why is the reason for an empty list.
func (c *Client) folders(ctx context.Context, m *semanticmodel.Model, all []item, also []string) (list []string, why string, err error) {
	seen := map[string]bool{}
	add := func(folder string, limit int) {
		if len(list) < limit && !seen[spelling.FoldSpace(folder)] && checkFolder(folder) == "" {
			seen[spelling.FoldSpace(folder)] = true
			list = append(list, folder)
		}
	}
	for _, t := range m.Tables {
		for _, x := range t.Measures {
			add(x.DisplayFolder, maxFolders-maxNew)
		}
	}
	for _, folder := range also {
		add(folder, maxFolders-maxNew)
	}
	about := struct {
		Exist    []string     `json:"folders"`
		Measures []fieldFacts `json:"measures"`
	}{Exist: slices.Clone(list)}
	for _, it := range all[:min(len(all), maxUnplaced)] {
		about.Measures = append(about.Measures, fieldFacts{Type: it.facts.Type, Table: it.facts.Table, Name: it.facts.Name,
			DAX: shortText(it.facts.DAX)})
	}
	f := &form{}
	q := question{system: foldersTask + "\n\n" + untrusted, turns: []string{data(about) + "\n\n" + f.described()}, form: f}
	why = "The AI provider named no folder that can be used."
	for range 2 {
		text, err := c.ask(ctx, q)
		if failed, ok := errors.AsType[*failure](err); ok {
			if failed.class <= malformed && len(q.turns) == 1 {
				return nil, "", c.refuse(failed)
			}
			return list, "The AI provider named no folders: " + failed.what + ".", nil
		} else if err != nil {
			return nil, "", err
		}
		given, _ := itemsOf[string](text)
		problem := checkFolders(given)
		if problem == "" {
			c.answers.keep(q, text)
			limit := min(len(list)+maxNew, maxFolders)
			for _, folder := range given {
				add(strings.TrimSpace(folder), limit)
			}
			break
		}
		q.turns = append(slices.Clone(q.turns), text, "No folder of it could be used: "+
			"your answer "+problem+". Answer again in the same form.")
	}
	slices.Sort(list)
	return list, why, nil
}

// checkFolders returns what is wrong with the folders, to follow "your answer"; "" if one of them can be used.
func checkFolders(given []string) string {
	problem := "did not have the requested form"
	for _, folder := range given {
		if problem = checkFolder(strings.TrimSpace(folder)); problem == "" {
			return ""
		}
	}
	return problem
}

// checkFolder returns what is wrong with a folder, to follow "your answer"; "" when nothing is.
func checkFolder(folder string) string {
	if why := oneLine(folder); why != "" {
		return why
	}
	if n := utf8.RuneCountInString(folder); n > proposal.MaxFolder {
		return fmt.Sprintf("has a folder of %d characters, and at most %d are wanted", n, proposal.MaxFolder)
	}
	levels := strings.Split(folder, levelDivider)
	if len(levels) > maxLevels {
		return "has a folder of more than two levels"
	}
	for _, l := range levels {
		if l == "" || l != strings.TrimSpace(l) {
			return "has a folder with a blank level"
		}
	}
	if strings.Contains(folder, ";") {
		return "has a folder with a semicolon, which divides folders" // Power BI reads two folders
	}
	return ""
}
