package verdict

// Pairs count the verdicts of both sides on what can be compared. A cluster of paraphrases counts once, as correct where
// more than half of its weight is.
type Pairs struct{ Both, OnlyA, OnlyB, Neither int }

// N returns how many clusters there are.
func (p Pairs) N() int { return p.Both + p.OnlyA + p.OnlyB + p.Neither }

// Differing returns how many clusters only one side answers correctly.
func (p Pairs) Differing() int { return p.OnlyA + p.OnlyB }

// add counts a cluster.
func (p *Pairs) add(a, b bool) {
	switch {
	case a && b:
		p.Both++
	case a:
		p.OnlyA++
	case b:
		p.OnlyB++
	default:
		p.Neither++
	}
}

// clusters returns the indexes of n questions by cluster, ordered by the first of each. Questions without a cluster, "",
// stand alone.
func clusters(n int, cluster func(int) string) [][]int {
	var all [][]int
	known := make(map[string]int)
	for i := range n {
		at, ok := known[cluster(i)]
		if !ok {
			at = len(all)
			all = append(all, nil)
		}
		if cluster(i) != "" {
			known[cluster(i)] = at
		}
		all[at] = append(all[at], i)
	}
	return all
}

// mostly reports whether more than half of the weight of some questions is on those that are correct.
func mostly(questions []int, correct func(int) bool, weight func(int) float64) bool {
	var right, all []float64
	for _, i := range questions {
		all = append(all, weight(i))
		if correct(i) {
			right = append(right, weight(i))
		}
	}
	return 2*sum(right) > sum(all)
}

// What an interval counts.
const (
	ofQuestions = "question_verdicts"
	ofClusters  = "cluster_verdicts" // where paraphrases count once
)

// counted names what n clusters of so many questions are.
func counted(n, questions int) string {
	if n == questions {
		return ofQuestions
	}
	return ofClusters
}

// pairsOf counts comparable questions.
func pairsOf(questions []ComparedQuestion) (p Pairs) {
	weight := func(i int) float64 { return questions[i].Weight }
	for _, cluster := range clusters(len(questions), func(i int) string { return questions[i].ClusterID }) {
		p.add(mostly(cluster, func(i int) bool { return questions[i].A.Verdict == Correct }, weight),
			mostly(cluster, func(i int) bool { return questions[i].B.Verdict == Correct }, weight))
	}
	return p
}

// correctOf counts the clusters of a side's questions, and those that are correct.
func correctOf(questions []WeighedTally) (correct, n int) {
	all := clusters(len(questions), func(i int) string { return questions[i].Cluster })
	for _, cluster := range all {
		correct += one(mostly(cluster, func(i int) bool { return questions[i].Verdict == Correct },
			func(i int) float64 { return questions[i].Weight }))
	}
	return correct, len(all)
}
